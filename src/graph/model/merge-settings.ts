import { given } from "../errors/given.ts";
import { InvalidOptionsError } from "../options/check-call.ts";
import type { GraphConfig } from "./graph-config.ts";

/** A graph's settings, overridden by those of a run, and each limit of its budget by the run's. `undefined` overrides nothing. */
export function mergeSettings<Options extends GraphConfig>(
  config: GraphConfig,
  options: Options,
): GraphConfig & Options {
  const checkpointing = options.checkpointing ?? config.checkpointing;
  const own = options.checkpointing === false ? undefined : options.checkpointer;
  const checkpointer = own ?? (checkpointing === false ? undefined : config.checkpointer);
  if (checkpointing === true && checkpointer === undefined) {
    const problem = "checkpointing is true, and there is no checkpointer; give one to compile() or run()";
    throw new InvalidOptionsError("run", [problem]);
  }
  const { checkpointer: _replaced, ...settings } = { ...withoutAlias(config), ...withoutAlias(options) };
  const budget = config.budget && { ...config.budget, ...given({ ...options.budget }) };
  // The cast is true: removing undefined fields does not change the type.
  return { ...settings, ...given({ checkpointer, budget: budget ?? options.budget }) } as GraphConfig & Options;
}

function withoutAlias({ timeout, timeoutMs = timeout, ...settings }: GraphConfig): GraphConfig {
  return given({ ...settings, timeoutMs });
}
