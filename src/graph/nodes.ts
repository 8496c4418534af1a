import type { NodeDefinition } from "./model/node-definition.ts";
import { type AgentNodeConfig, agentNode, type NamedAgentNodeConfig } from "./nodes/agents/agent-node.ts";
import { type CommandNodeConfig, commandNode } from "./nodes/agents/command-node.ts";
import { type SkillNodeConfig, skillNode } from "./nodes/agents/skill-node.ts";
import type { ClearContextNodeConfig } from "./nodes/context/clear-context.ts";
import { clearContextNode } from "./nodes/context/clear-context-node.ts";
import { contextMonitorNode } from "./nodes/context/context-monitor-node.ts";
import type { ContextMonitorNodeConfig } from "./nodes/context/monitor-context.ts";
import { type DecisionNodeConfig, decisionNode } from "./nodes/flow/decision-node.ts";
import { type ParallelNodeConfig, parallelNode } from "./nodes/flow/parallel-node.ts";
import { type SleepNodeConfig, sleepNode } from "./nodes/flow/sleep-node.ts";
import { type SubgraphNodeConfig, subgraphNode } from "./nodes/flow/subgraph-node.ts";
import { type AskUserNodeConfig, askUserNode } from "./nodes/people/ask-user-node.ts";
import { type WaitNodeConfig, waitNode } from "./nodes/people/wait-node.ts";
import { type ScriptNodeConfig, scriptNode } from "./nodes/script/script-node.ts";
import { type ParallelSubagentNodeConfig, parallelSubagentNode } from "./nodes/subagents/parallel-subagent-node.ts";
import { type SubagentNodeConfig, subagentNode } from "./nodes/subagents/subagent-node.ts";
import type { CriteriaLoopConfig, CriteriaLoopState } from "./nodes/tasks/check-criteria.ts";
import { criteriaLoopNode } from "./nodes/tasks/criteria-loop-node.ts";
import { type TaskLoopConfig, taskLoopNode } from "./nodes/tasks/task-loop-node.ts";
import type { TaskLoopState } from "./nodes/tasks/task-loop-state.ts";
import { type CustomToolNodeConfig, customToolNode } from "./nodes/tools/custom-tool-node.ts";
import { type ShellNodeConfig, shellNode } from "./nodes/tools/shell-node.ts";
import { type ToolNodeConfig, toolNode } from "./nodes/tools/tool-node.ts";
import type { BaseState, StateOf, StateSchema } from "./state/annotation.ts";

/** Replaces a factory whose nodes need fields that the state does not have. */
export interface MissingStateFields<Fields extends string> {
  /** Spread these in `defineState({ … })`. */
  readonly missing: Fields;
}

/** The factories of {@link nodes}. `Item` is the type of `ctx.item` in a `.map`. */
export interface NodeFactories<State extends BaseState, Item = unknown> {
  readonly agentNode: <Output = unknown, Update = unknown>(
    config: NamedAgentNodeConfig<State, Output, Item, Update> | AgentNodeConfig<State, Output, Item, Update>,
  ) => NodeDefinition<State, Item>;
  readonly askUserNode: <Update = unknown>(config: AskUserNodeConfig<State, Update>) => NodeDefinition<State>;
  readonly clearContextNode: (config: ClearContextNodeConfig<State, Item>) => NodeDefinition<State, Item>;
  readonly commandNode: <Output = unknown, Update = unknown>(
    config: CommandNodeConfig<State, Output, Item, Update>,
  ) => NodeDefinition<State, Item>;
  readonly contextMonitorNode: <Update = unknown>(
    config: ContextMonitorNodeConfig<State, Item, Update>,
  ) => NodeDefinition<State, Item>;
  readonly criteriaLoopNode: State extends CriteriaLoopState
    ? (config: CriteriaLoopConfig<State>) => NodeDefinition<State>
    : MissingStateFields<"criteriaLoopFields">;
  readonly customToolNode: <Args = Readonly<Record<string, unknown>>, Result = unknown, Update = unknown>(
    config: CustomToolNodeConfig<State, Args, Result, Update>,
  ) => NodeDefinition<State>;
  readonly decisionNode: (config: DecisionNodeConfig<State>) => NodeDefinition<State>;
  readonly parallelNode: <Update = unknown>(config: ParallelNodeConfig<State, Update>) => NodeDefinition<State>;
  readonly parallelSubagentNode: <Update = unknown>(
    config: ParallelSubagentNodeConfig<State, Update>,
  ) => NodeDefinition<State>;
  readonly shellNode: <Update = unknown>(config: ShellNodeConfig<State, Update>) => NodeDefinition<State>;
  readonly skillNode: <Output = unknown, Update = unknown>(
    config: SkillNodeConfig<State, Output, Item, Update>,
  ) => NodeDefinition<State, Item>;
  readonly sleepNode: (config: SleepNodeConfig<State>) => NodeDefinition<State>;
  readonly scriptNode: <Args = unknown, Result = unknown, Update = unknown>(
    config: ScriptNodeConfig<State, Args, Result, Update>,
  ) => NodeDefinition<State>;
  readonly subagentNode: <Update = unknown>(config: SubagentNodeConfig<State, Update>) => NodeDefinition<State>;
  readonly subgraphNode: <SubState extends BaseState = BaseState, Update = unknown>(
    config: SubgraphNodeConfig<State, SubState, Update>,
  ) => NodeDefinition<State>;
  readonly taskLoopNode: State extends TaskLoopState
    ? (config: TaskLoopConfig<State>) => NodeDefinition<State>
    : MissingStateFields<"taskLoopFields">;
  readonly toolNode: <Args = Readonly<Record<string, unknown>>, Result = unknown, Update = unknown>(
    config: ToolNodeConfig<State, Args, Result, Item, Update>,
  ) => NodeDefinition<State, Item>;
  readonly waitNode: <Update = unknown>(config: WaitNodeConfig<State, Item, Update>) => NodeDefinition<State, Item>;
}

const FACTORIES = Object.freeze({
  agentNode,
  askUserNode,
  clearContextNode,
  commandNode,
  contextMonitorNode,
  criteriaLoopNode,
  customToolNode,
  decisionNode,
  parallelNode,
  parallelSubagentNode,
  shellNode,
  skillNode,
  sleepNode,
  scriptNode,
  subagentNode,
  subgraphNode,
  taskLoopNode,
  toolNode,
  waitNode,
} satisfies Readonly<Record<keyof NodeFactories<BaseState>, unknown>>);

/**
 * All node factories, bound to a state: for nodes that are created outside of their graph. Within a graph's calls, as in
 * `graph(State).then(agentNode({ … }))`, the plain factories infer it.
 *
 * ```ts
 * const State = defineState({ topic: annotation(""), plan: annotation("") });
 * const { agentNode, shellNode } = nodes(State);
 * const plan = agentNode({ id: "plan", buildMessage: ({ topic }) => topic, outputMapper: ({ content }) => ({ plan: content }) });
 * ```
 */
export function nodes<Schema extends StateSchema>(schema: Schema): NodeFactories<StateOf<Schema>>;
export function nodes<State extends BaseState, Item = unknown>(): NodeFactories<State, Item>;
export function nodes(_schema?: StateSchema): unknown {
  // The state only matters to the compiler: each factory creates nodes of any state.
  return FACTORIES;
}
