const LOOPBACK = ["127.0.0.1", "localhost"];

/**
 * Makes an agent connect to this machine directly, although the user's environment names a proxy: Atomic's tools and hooks,
 * the servers of some agents and users' own models are on this machine. A proxy would break these calls and receive their
 * tokens and keys. The user's own exceptions stay. Pure.
 */
export function noProxyForLoopback(
  env: Readonly<Record<string, string>>,
): Readonly<Record<"NO_PROXY" | "no_proxy", string>> {
  const named = [env.NO_PROXY, env.no_proxy].flatMap((list = "") => list.split(",").map((host) => host.trim()));
  const hosts = [...new Set([...named, ...LOOPBACK])].filter((host) => host !== "").join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}
