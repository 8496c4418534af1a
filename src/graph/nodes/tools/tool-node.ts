import { given } from "../../errors/given.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { type NodeDefinition, type RetryConfig, retry } from "../../model/node-definition.ts";
import { aFunction, anything, required, someText, text, timeLimit } from "../../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import { toolRetry } from "../shared/agent-retry.ts";
import { mapResult } from "../shared/map-result.ts";

/** Settings of a {@link toolNode}. */
export interface ToolNodeConfig<
  State extends BaseState,
  Args = Readonly<Record<string, unknown>>,
  Result = unknown,
  Item = unknown,
  Update = unknown,
> {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** The display name of the tool. @default the id */
  readonly toolName?: string;
  /** The function to run. */
  readonly execute: (args: Args, context: ExecutionContext<State, Item>) => Result | Promise<Result>;
  /** The arguments of `execute`. @default an empty object */
  readonly args?: Args | ((state: Readonly<State>, context: ExecutionContext<State, Item>) => Args);
  /** Turns the result into an update. @default `outputs[id] = result` */
  readonly outputMapper?: (
    result: Result,
    state: Readonly<State>,
    context: ExecutionContext<State, Item>,
  ) => ExactUpdate<State, Update>;
  /** Fail after this many milliseconds. */
  readonly timeout?: number;
  readonly retry?: RetryConfig;
}

export const TOOL_NODE: NodeFactory<ToolNodeConfig<BaseState>> = {
  name: "toolNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    toolName: text,
    execute: required(aFunction, "give it the function to run, or call a tool by its name with customToolNode()"),
    args: anything,
    outputMapper: aFunction,
    timeout: timeLimit,
    retry,
  },
};

/**
 * A node that runs a function.
 *
 * ```ts
 * toolNode({
 *   id: "fetch",
 *   args: (state) => ({ url: state.url }),
 *   execute: async ({ url }, { signal }) => (await fetch(url, { signal })).text(),
 *   outputMapper: (page) => ({ page }),
 *   timeout: 30_000,
 * });
 * ```
 */
export function toolNode<
  State extends BaseState,
  Args = Readonly<Record<string, unknown>>,
  Result = unknown,
  Item = unknown,
  Update = unknown,
>(config: ToolNodeConfig<State, Args, Result, Item, Update>): NodeDefinition<State, Item> {
  return defineNode(TOOL_NODE, config, makeToolNode<State, Args, Result, Item, Update>);
}

/** Creates the node of a checked config. */
export function makeToolNode<State extends BaseState, Args, Result, Item, Update>(
  config: ToolNodeConfig<State, Args, Result, Item, Update>,
): NodeDefinition<State, Item> {
  const { id, execute, args, outputMapper } = config;
  return {
    id,
    type: "tool",
    targets: [],
    name: config.name ?? config.toolName ?? id,
    ...given({ description: config.description, timeoutMs: config.timeout, retry: toolRetry(config.retry) }),
    execute(context) {
      const finish = (result: Result): { stateUpdate: Partial<State> } => ({
        stateUpdate: outputMapper ? mapResult(outputMapper, result, context) : outputOf<State>(id, result),
      });
      // The casts are true: a function among the arguments is the author's, and no arguments means an empty object.
      const make = args as (state: Readonly<State>, context: ExecutionContext<State>) => Args;
      const resolved = (
        typeof args === "function" ? immediate(make(context.state, context), "args", id) : (args ?? {})
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
