import type { BaseState } from "../annotation.ts";
import type { ExecutionContext } from "../execution-context.ts";
import { given } from "../given.ts";
import type { NodeDefinition, RetryConfig } from "../node-definition.ts";

/** Settings of a {@link toolNode}. */
export interface ToolNodeConfig<State extends BaseState, Args = Readonly<Record<string, unknown>>, Result = unknown> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** What the tool is called, for people. @default the id */
  readonly toolName?: string;
  /** The work itself. */
  readonly execute: (args: Args, context: ExecutionContext<State>) => Result | Promise<Result>;
  /** What `execute` is given. @default an empty object */
  readonly args?: Args | ((state: Readonly<State>) => Args);
  /** Turns the result into an update. @default `outputs[id] = result` */
  readonly outputMapper?: (result: Result, state: Readonly<State>) => Partial<State>;
  /** Fail after so many milliseconds. */
  readonly timeout?: number;
  readonly retry?: RetryConfig;
}

/**
 * A node that runs a function.
 *
 * ```ts
 * toolNode<State, { url: string }, string>({
 *   id: "fetch",
 *   args: (state) => ({ url: state.url }),
 *   execute: async ({ url }, { signal }) => (await fetch(url, { signal })).text(),
 *   outputMapper: (page) => ({ page }),
 *   timeout: 30_000,
 * });
 * ```
 */
export function toolNode<State extends BaseState, Args = Readonly<Record<string, unknown>>, Result = unknown>(
  config: ToolNodeConfig<State, Args, Result>,
): NodeDefinition<State> {
  const { id, execute, args, outputMapper } = config;
  return {
    id,
    type: "tool",
    targets: [],
    name: config.name ?? config.toolName ?? id,
    ...given({ description: config.description, timeoutMs: config.timeout, retry: config.retry }),
    execute(context) {
      const finish = (result: Result): { stateUpdate: Partial<State> } => ({
        stateUpdate: outputMapper ? outputMapper(result, context.state) : outputOf<State>(id, result),
      });
      // The casts are true: a function among the arguments is the author's, and no arguments means an empty object.
      const resolved = (
        typeof args === "function" ? (args as (state: Readonly<State>) => Args)(context.state) : (args ?? {})
      ) as Args;
      const result = execute(resolved, context);
      return result instanceof Promise ? result.then(finish) : finish(result);
    },
  };
}

/** The update that stores a node's result where nodes without a mapper store theirs. */
export function outputOf<State extends BaseState>(id: string, result: unknown): Partial<State> {
  // The cast is true: every state has `outputs`.
  return { outputs: { [id]: result } } as unknown as Partial<State>;
}
