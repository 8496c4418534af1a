import type { ClientOptions, ModelEndpoint } from "../../../options/client-options.ts";
import { isolatedHome } from "../../../process/isolated-home.ts";
import { noProxyForLoopback } from "../../../process/no-proxy-for-loopback.ts";
import type { AcpPresetSettings } from "./acp-preparation.ts";

const NO_KEY = "none";

/** The complete environment of an agent's process that needs no preparation. Pure. */
export function buildAcpEnvironment(
  { env, homeDirectory }: ClientOptions,
  settings: Pick<AcpPresetSettings, "env">,
): Readonly<Record<string, string>> {
  const home = homeDirectory === undefined ? {} : isolatedHome(homeDirectory);
  return { ...env, ...home, ...noProxyForLoopback(env), ...settings.env };
}

/** The key of an endpoint. Programs require one even where the endpoint does not. */
export function keyOf(endpoint: ModelEndpoint): string {
  return endpoint.apiKey ?? NO_KEY;
}

/** Some agents add the `/v1` themselves. */
export function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v1\/?$/, "");
}
