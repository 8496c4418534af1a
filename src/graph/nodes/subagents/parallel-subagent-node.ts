import { isRecord, type RunErrorInfo } from "../../../contracts/index.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import { defineNode, type NodeFactory } from "../../model/define-node.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { MapPlace } from "../../model/map-place.ts";
import { type NodeDefinition, type RetryConfig, retry } from "../../model/node-definition.ts";
import type { SubagentResult, SubagentSuccess } from "../../model/subagent-runner.ts";
import { listOf, shape } from "../../options/find-option-problems.ts";
import { aFunction, required, someText, text, yesOrNo } from "../../options/option-checks.ts";
import type { BaseState, ExactUpdate } from "../../state/annotation.ts";
import { nameNode } from "../agents/agent-node.ts";
import { findAgent } from "../agents/named-agent.ts";
import { nodeParts } from "../shared/node-parts.ts";
import { outputOf } from "../tools/tool-node.ts";
import type { SubagentSettings } from "./delegate.ts";
import { keepResults, mergingNode } from "./merging-node.ts";
import { SUBAGENT_ADVICE, SUBAGENT_OPTIONS, unmergedSubagentNode } from "./subagent-node.ts";

/** Settings of a {@link parallelSubagentNode}. */
export interface ParallelSubagentNodeConfig<State extends BaseState, Update = unknown> {
  readonly id: string;
  /** @default the number of agents */
  readonly name?: string;
  readonly description?: string;
  readonly agents: readonly SubagentSettings<State>[];
  /**
   * Combines the agents' results into one update. Keys are each agent's name and index, `explore-0`, `explore-1`, …, in
   * the order of `agents`. A failed agent has `success: false` and an `error`. Must be pure.
   */
  readonly merge: (
    results: ReadonlyMap<string, SubagentResult>,
    state: Readonly<State>,
    place: MapPlace,
  ) => ExactUpdate<State, Update>;
  /** Whether the first failure cancels the other agents and fails the node. @default false */
  readonly failFast?: boolean;
  /** For each agent. @default 3 attempts, except for errors that a retry cannot fix */
  readonly retry?: RetryConfig;
}

export const PARALLEL_SUBAGENT_NODE: NodeFactory<ParallelSubagentNodeConfig<BaseState>> = {
  name: "parallelSubagentNode",
  options: {
    id: required(someText),
    name: text,
    description: text,
    agents: required(
      listOf(
        shape(SUBAGENT_OPTIONS, { expected: "an object with an agentName and a task", advice: SUBAGENT_ADVICE }),
        "a list of agents",
      ),
    ),
    merge: required(
      aFunction,
      "give it a function of the results, such as (results) => ({ answers: [...results.values()] })",
    ),
    failFast: yesOrNo,
    retry,
  },
};

/**
 * A node that delegates tasks to several sub-agents in parallel. Each is a separate node with its own retries, journal
 * records and cancellation, and counts towards the run's `maxConcurrency`. A finished one never runs again.
 *
 * ```ts
 * parallelSubagentNode({
 *   id: "research-phase",
 *   agents: [
 *     { agentName: "explore", task: (state) => `Find files about ${state.topic}` },
 *     { agentName: "explore", task: (state) => `Find tests about ${state.topic}` },
 *   ],
 *   merge: (results) => ({ findings: [...results.values()].map((result) => result.output) }),
 * });
 * ```
 */
export function parallelSubagentNode<State extends BaseState = BaseState, Update = unknown>(
  config: ParallelSubagentNodeConfig<State, Update>,
): NodeDefinition<State> {
  return defineNode(PARALLEL_SUBAGENT_NODE, config, makeParallelSubagentNode);
}

function makeParallelSubagentNode<State extends BaseState, Update>(
  config: ParallelSubagentNodeConfig<State, Update>,
): NodeDefinition<State> {
  const { id, agents = [], merge, failFast = false } = config;
  const branches = agents.map((settings, index) => defineBranch(config, settings, index));
  const isApart = agents.some(({ isolation }) => isolation !== undefined);
  const ids = branches.map(({ node }) => node.id);
  const finish = (results: ReadonlyMap<string, SubagentResult>, context: ExecutionContext<State>) =>
    withResults(id, results, merge(results, context.state, context));
  return {
    id,
    type: "parallel",
    name: config.name ?? `${agents.length} sub-agents`,
    ...given({ description: config.description }),
    targets: ids,
    actsThroughServices: true,
    parts: [
      ...nodeParts(branches.map(({ node }) => node)),
      ...nodeParts(isApart ? mergingNode({ id, branches, failFast, finish }) : []),
    ],
    join: {
      strategy: failFast ? "all" : "settled",
      merge: (ended, state, failures, place) => {
        const results = new Map(branches.map((branch) => [branch.key, resultOf(branch, ended, failures)]));
        // The author's merge waits until it is known whose work was merged.
        return isApart ? keepResults(id, results) : withResults(id, results, merge(results, state, place));
      },
    },
    async execute(context) {
      const { clients, subagents } = context.services;
      if (ids.length === 0) return { stateUpdate: merge(new Map(), context.state, context) };
      // A mistake in the graph is not an agent's failure.
      if (clients === undefined && subagents === undefined) throw new MissingServiceError("subagents", id);
      for (const { agentName } of agents) await findAgent(agentName, context);
      return { goto: ids };
    },
  };
}

/** Puts the results into `outputs` under the node's id, unless the author's update has something there. */
function withResults<State extends BaseState>(
  id: string,
  results: ReadonlyMap<string, SubagentResult>,
  update: Partial<State> | undefined,
): Partial<State> {
  // What is no update is rejected as the author wrote it.
  if (update !== undefined && !isRecord(update)) return update;
  const list = [...results].map(([agent, { success, output, error }]) =>
    success ? { agent, success, output } : { agent, success, error },
  );
  // The cast is true: every state has `outputs`, which takes any value by name.
  return { ...update, outputs: { [id]: list, ...update?.outputs } } as Partial<State>;
}

interface Branch<State extends BaseState> {
  readonly key: string;
  readonly settings: SubagentSettings<State>;
  readonly node: NodeDefinition<State>;
}

function defineBranch<State extends BaseState>(
  { id, retry }: ParallelSubagentNodeConfig<State>,
  settings: SubagentSettings<State>,
  index: number,
): Branch<State> {
  const key = `${settings.agentName}-${index}`;
  const nodeId = nameNode(id, key);
  const outputMapper = (result: SubagentSuccess): Partial<State> => outputOf<State>(nodeId, result);
  const node = unmergedSubagentNode<State>({
    ...settings,
    id: nodeId,
    outputMapper,
    ...given({ retry }),
  });
  return { key, settings, node };
}

function resultOf<State extends BaseState>(
  { node }: Branch<State>,
  ended: ReadonlyMap<string, Readonly<State>>,
  failures: ReadonlyMap<string, RunErrorInfo>,
): SubagentResult {
  // The cast is true: unless the node was skipped, its mapper wrote this value.
  const result = ended.get(node.id)?.outputs[node.id] as SubagentSuccess | undefined;
  if (result !== undefined) return result;
  return { success: false, output: "", error: failures.get(node.id)?.message ?? "The sub-agent was skipped." };
}
