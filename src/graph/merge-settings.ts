import { given } from "./given.ts";
import type { GraphConfig } from "./graph-config.ts";

/** A graph's settings, and over them those of a run. What is `undefined` counts as not given. */
export function mergeSettings<Options extends GraphConfig>(
  config: GraphConfig,
  options: Options,
): GraphConfig & Options {
  // The cast is true: leaving out what is undefined leaves every type as it was.
  return { ...withoutAlias(config), ...withoutAlias(options) } as GraphConfig & Options;
}

function withoutAlias({ timeout, timeoutMs = timeout, ...settings }: GraphConfig): GraphConfig {
  return given({ ...settings, timeoutMs });
}
