import { createHash } from "node:crypto";
import { raceAbort } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import { immediate } from "../../errors/promise-returned-error.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import type { NodeUse } from "../../model/node-use.ts";
import type { ScriptLimits } from "../../model/script-limits.ts";
import { aFunction, anything, count, required, someText, text } from "../../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import { NOT_THE_WORKS_FAULT } from "../shared/agent-retry.ts";
import { mapResult } from "../shared/map-result.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import { outputOf } from "../tools/tool-node.ts";
import { type CallSpec, codeOfCall } from "./call-spec.ts";
import { argsOf, jsonOf } from "./check-call.ts";
import type { ScriptApi } from "./script-api.ts";
import type { ScriptHost } from "./script-host.ts";
import { ScriptRun } from "./script-run.ts";

/**
 * A script: a function whose calls of agents, commands, people and workflows are journaled.
 * @param host for what runs a script elsewhere, as {@link readScriptText} does
 */
export type ScriptFunction<Args = unknown, Result = unknown> = (
  api: ScriptApi<Args>,
  host: ScriptHost,
) => Result | Promise<Result>;

/** Settings of a {@link scriptNode}. */
export interface ScriptNodeConfig<State extends BaseState, Args = unknown, Result = unknown, Update = unknown>
  extends ScriptLimits {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly run: ScriptFunction<Args, Result>;
  /** The names of definitions that it passes as `agentType`, for checks before a run. @default none */
  readonly uses?: readonly NodeUse[];
  /** The workflows that it runs, for the same checks. @default none */
  readonly workflows?: NonNullable<NodeDefinition["calls"]>["workflows"];
  /** The script's `args`. Must be pure. @default the fields of the state that are its input */
  readonly args?: (state: Readonly<State>) => Args;
  /** Changes whenever the function does what it did not do before. @default computed from the function's text */
  readonly version?: string;
  /** Turns what the function returns into an update. @default `outputs[id] = result` */
  readonly outputMapper?: (
    result: Result,
    state: Readonly<State>,
    context: ExecutionContext<State>,
  ) => ExactUpdate<State, Update>;
}

export const SCRIPT_NODE: NodeFactory<ScriptNodeConfig<BaseState>> = {
  name: "scriptNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    run: required(aFunction, "give it the script: async ({ agent }) => { … }"),
    args: aFunction,
    version: text,
    uses: anything,
    workflows: anything,
    maxConcurrency: count,
    maxAgents: count,
    outputMapper: aFunction,
  },
  advice: { execute: ['did you mean "run"?', "run"], script: ['did you mean "run"?', "run"] },
};

/**
 * A node that runs a script. Each call of `agent`, `shell`, `ask` and `workflow` is a step of the run; after a crash, the
 * function starts again and gets the results of the calls that have ended from the journal. Code between the calls must
 * therefore do the same every time: no clock, no random numbers, and no other effects.
 *
 * ```ts
 * scriptNode({
 *   id: "review",
 *   run: async ({ agent, parallel }) => {
 *     const files = ["a.ts", "b.ts"];
 *     return await parallel(files.map((file) => () => agent(`Review ${file}`, { label: file })));
 *   },
 * });
 * ```
 */
export function scriptNode<State extends BaseState = BaseState, Args = unknown, Result = unknown, Update = unknown>(
  config: ScriptNodeConfig<State, Args, Result, Update>,
): NodeDefinition<State> {
  return defineNode(SCRIPT_NODE, config, makeScriptNode<State, Args, Result, Update>);
}

function makeScriptNode<State extends BaseState, Args, Result, Update>(
  config: ScriptNodeConfig<State, Args, Result, Update>,
): NodeDefinition<State> {
  const { id, run, outputMapper } = config;
  const { version = createHash("sha256").update(String(run)).digest("hex").slice(0, 12) } = config;
  return {
    id,
    type: "script",
    ...THROUGH_SERVICES,
    ...given({ name: config.name, description: config.description }),
    uses: config.uses ?? [],
    calls: {
      ...given({ workflows: config.workflows }),
      // The cast is true: the specs of a script's calls are these.
      codeOf: (spec) => codeOfCall(spec as unknown as CallSpec),
      // A failed agent is null. What the script got as an error is no answer: it may have ended the script.
      repeats: (spec) => (spec as unknown as CallSpec).kind !== "agent",
      passesOn: NOT_THE_WORKS_FAULT,
    },
    async execute(context) {
      const args =
        config.args === undefined ? argsOf(context.state) : immediate(config.args(context.state), "args", id);
      const script = new ScriptRun({ context: context as ExecutionContext, args, version, limits: config });
      const body = async (): Promise<unknown> => {
        // The cast is true: the author says what the args are.
        const result = await run(script.api as ScriptApi<Args>, script.host);
        await script.settle();
        return result === undefined ? undefined : jsonOf(result, "What the script returned");
      };
      const result = await raceAbort(body(), context.signal);
      if (outputMapper !== undefined) return { stateUpdate: mapResult(outputMapper, result as Result, context) };
      return result === undefined ? undefined : { stateUpdate: outputOf<State>(id, result) };
    },
  };
}
