import type { ClientOptions, ModelEndpoint } from "../../options/client-options.ts";
import { isolatedHome } from "../../process/isolated-home.ts";
import { noProxyForLoopback } from "../../process/no-proxy-for-loopback.ts";
import type { AcpPresetSettings } from "./acp-preparation.ts";

const NO_KEY = "none";

/** The whole environment of a process of the agent's that nothing was prepared for. Pure. */
export function buildAcpEnvironment(
  { env, homeDirectory }: ClientOptions,
  settings: Pick<AcpPresetSettings, "env">,
): Readonly<Record<string, string>> {
  const home = homeDirectory === undefined ? {} : isolatedHome(homeDirectory);
  return { ...env, ...home, ...noProxyForLoopback(env), ...settings.env };
}

/** The key of an endpoint; programs want some text where it needs none. */
export function keyOf(endpoint: ModelEndpoint): string {
  return endpoint.apiKey ?? NO_KEY;
}

/** Some agents add the `/v1` themselves. */
export function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v1\/?$/, "");
}
