const LOOPBACK = ["127.0.0.1", "localhost"];

/**
 * What makes an agent reach this machine itself although the user's environment names a proxy: Atomic's tools and hooks are
 * served here, some agents have a server of their own here, and so have users their models. With a proxy, calls would go
 * astray together with their tokens and keys. What the user has excepted stays excepted. Pure.
 */
export function noProxyForLoopback(
  env: Readonly<Record<string, string>>,
): Readonly<Record<"NO_PROXY" | "no_proxy", string>> {
  const named = [env.NO_PROXY, env.no_proxy].flatMap((list = "") => list.split(",").map((host) => host.trim()));
  const hosts = [...new Set([...named, ...LOOPBACK])].filter((host) => host !== "").join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}
