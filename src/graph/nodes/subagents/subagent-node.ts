import { given } from "../../errors/given.ts";
import { sessionConfig } from "../../model/agent-settings.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import { type NodeDefinition, type RetryConfig, retry } from "../../model/node-definition.ts";
import { agentUses } from "../../model/node-use.ts";
import type { SubagentSuccess } from "../../model/subagent-runner.ts";
import { listOf, type OptionAdvice, type OptionTable } from "../../options/find-option-problems.ts";
import {
  aFunction,
  countOrInfinity,
  either,
  object,
  oneOf,
  required,
  schema,
  someText,
  text,
  textOrFunction,
  timeLimit,
  wholeNumber,
} from "../../options/option-checks.ts";
import { toolNames } from "../../options/tool-names.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import { AGENT_RETRY } from "../shared/agent-retry.ts";
import { mapResult } from "../shared/map-result.ts";
import { shorten } from "../shared/shorten.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import { outputOf } from "../tools/tool-node.ts";
import type { SubagentSettings } from "./delegate.ts";
import { delegateApart, mergeApart } from "./work-apart.ts";

/** Settings of a {@link subagentNode}. */
export interface SubagentNodeConfig<State extends BaseState, Update = unknown> extends SubagentSettings<State> {
  readonly id: string;
  /** @default the agent's name */
  readonly name?: string;
  readonly description?: string;
  /** Describes a visit, for people and for the commits of its worktree. Must be pure. @default the name and the task */
  readonly title?: string | ((state: Readonly<State>, place: MapPlace) => string);
  /** Turns the result into an update. @default `outputs[id] = result.output` (or `result.structured`) */
  readonly outputMapper?: (
    result: SubagentSuccess,
    state: Readonly<State>,
    context: ExecutionContext<State>,
  ) => ExactUpdate<State, Update>;
  /** @default 3 attempts, except for errors that a retry cannot fix */
  readonly retry?: RetryConfig;
}

/** The options of {@link SubagentSettings}. */
export const SUBAGENT_OPTIONS: OptionTable<SubagentSettings<BaseState>> = {
  agentName: required(someText, "give it the name of an agent"),
  task: required(textOrFunction),
  agentType: textOrFunction,
  onLimit: oneOf(["wait", "stop", "switch"]),
  fallbackAgents: listOf(someText, 'a list of agents such as "claude"'),
  systemPrompt: textOrFunction,
  model: text,
  tools: toolNames,
  maxOutputLength: countOrInfinity,
  outputSchema: schema,
  maxRepairs: wholeNumber,
  isolation: either(oneOf(["worktree"]), aFunction),
  worktreeSetup: textOrFunction,
  worktreeName: textOrFunction,
  worktreeBranch: textOrFunction,
  verify: textOrFunction,
  sessionConfig,
  permissions: object,
  stallTimeoutMs: timeLimit,
  timeout: timeLimit,
};

/** What other nodes call it. */
export const SUBAGENT_ADVICE: OptionAdvice = {
  agent: ['did you mean "agentName"?', "agentName"],
  prompt: ['did you mean "task"?', "task"],
};

export const SUBAGENT_NODE: NodeFactory<SubagentNodeConfig<BaseState>> = {
  name: "subagentNode",
  options: {
    ...SUBAGENT_OPTIONS,
    id: required(someText),
    name: text,
    description: text,
    title: textOrFunction,
    outputMapper: aFunction,
    retry,
  },
  advice: SUBAGENT_ADVICE,
};

/**
 * A node that delegates a task to a sub-agent: a named agent in its own session, run by the run's `subagents` service.
 *
 * ```ts
 * subagentNode({
 *   id: "analyze",
 *   agentName: "codebase-analyzer",
 *   task: (state) => `Analyze ${state.targetFile}`,
 *   outputMapper: (result) => ({ analysis: result.output }),
 * });
 * ```
 */
export function subagentNode<State extends BaseState = BaseState, Update = unknown>(
  config: SubagentNodeConfig<State, Update>,
): NodeDefinition<State> {
  return defineNode(SUBAGENT_NODE, config, (checked) => makeSubagentNode(checked, { isMerging: true }));
}

/** As {@link subagentNode}, but the work of an isolated sub-agent stays on its branch. */
export function unmergedSubagentNode<State extends BaseState>(
  config: SubagentNodeConfig<State>,
): NodeDefinition<State> {
  return defineNode(SUBAGENT_NODE, config, (checked) => makeSubagentNode(checked, { isMerging: false }));
}

function makeSubagentNode<State extends BaseState, Update>(
  config: SubagentNodeConfig<State, Update>,
  { isMerging }: { readonly isMerging: boolean },
): NodeDefinition<State> {
  const { id, name = config.agentName, title, outputMapper } = config;
  const ownTitle = (state: Readonly<State>, place: MapPlace): string | undefined =>
    typeof title === "function" ? title(state, place) : title;
  return {
    id,
    type: "agent",
    name,
    title: (state, place) =>
      shorten(
        ownTitle(state, place) ??
          `${name}: ${typeof config.task === "function" ? config.task(state, place) : config.task}`,
      ),
    ...given({ description: config.description, model: config.model }),
    retry: { ...AGENT_RETRY, ...config.retry },
    ...THROUGH_SERVICES,
    // An agent that a function chooses is looked up when the node runs.
    uses: agentUses({
      ...config,
      agent: config.agentName,
      agentType: typeof config.agentType === "function" ? undefined : config.agentType,
    }),
    async execute(context) {
      const subject = ownTitle(context.state, context);
      const result = await delegateApart(name, config, context, subject === undefined ? {} : { subject });
      if (isMerging && result.worktree !== undefined) await mergeApart(result.worktree, config, context);
      if (outputMapper) return { stateUpdate: mapResult(outputMapper, result, context) };
      return {
        stateUpdate: outputOf<State>(id, config.outputSchema === undefined ? result.output : result.structured),
      };
    },
  };
}
