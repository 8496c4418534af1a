import type {
  CodingAgentClient,
  JsonObject,
  NodeEmission,
  Redactor,
  SandboxConfig,
  SessionConfig,
  ToolDefinition,
} from "../../contracts/index.ts";
import type { BaseState } from "../state/annotation.ts";
import type { GitReader } from "./git-reader.ts";
import type { GraphSettings } from "./graph-settings.ts";
import type { MapPlace } from "./map-place.ts";
import type { AgentDefinition, PromptDefinition } from "./named-definitions.ts";
import type { NamedServices } from "./named-services.ts";
import type { NodeCalls } from "./node-calls.ts";
import type { NodeId } from "./node-id.ts";
import type { CommandResult, RunCommandOptions } from "./run-command.ts";
import type { ScriptLimits } from "./script-limits.ts";
import type { ScriptServices } from "./script-services.ts";
import type { SubagentRunner } from "./subagent-runner.ts";
import type { TaskStore } from "./task-store.ts";
import type { WorktreeService } from "./worktree-service.ts";

/** The visit of a node, or the piece of its work, that an agent works for. */
export interface AgentVisit {
  readonly runId: string;
  /** The id of the visit, such as `implement#2`; for a sub-agent that the visit has several of, followed by a slash and more. */
  readonly taskId: string;
}

/** A node's requirements for a client, and what it needs one for. */
export interface ClientWish {
  /** The agent must run in a sandbox with at least these limits. */
  readonly sandbox?: SandboxConfig;
  /** Absent outside of a run. */
  readonly visit?: AgentVisit;
}

/** Returns the client of an agent. Must throw an error that says what to do when there is none. */
export type ClientProvider = (
  agentType: string | undefined,
  wish?: ClientWish,
) => CodingAgentClient | Promise<CodingAgentClient>;

/** Finds the graph of a workflow by name; `null` when there is none. */
export type WorkflowResolver = (
  name: string,
  options?: ResolveWorkflowOptions,
) => SubgraphLike | null | Promise<SubgraphLike | null>;

/** A node's settings for the workflow that it names. */
export interface ResolveWorkflowOptions {
  /** The configuration to build the workflow with. @default the workflow's `defaultConfig` */
  readonly config?: JsonObject;
}

/** A value that can run as a subgraph; see `CompiledSubgraph`. */
interface SubgraphLike {
  /** Present in compiled graphs; for the engine. */
  readonly code?: unknown;
  execute(input: Partial<BaseState>): Promise<BaseState>;
}

/** Runs a command line and returns its exit code and output. Must end the command when the signal aborts. */
export type CommandRunner = (command: string, options: RunCommandOptions) => Promise<CommandResult>;

/** What a run provides to its nodes. All optional; a node that needs a missing service throws `MissingServiceError`. */
export interface RunServices {
  /** Finds workflows by name, for `subgraphNode`. */
  readonly workflows?: WorkflowResolver;
  readonly clients?: ClientProvider;
  /** For `customToolNode`, and for the agents whose `tools` name them. */
  readonly tools?: NamedServices<ToolDefinition>;
  /** For `agentNode({ agent })` and sub-agents. */
  readonly agents?: NamedServices<AgentDefinition>;
  /** For `skillNode`. */
  readonly skills?: NamedServices<PromptDefinition>;
  /** For `commandNode`. */
  readonly commands?: NamedServices<PromptDefinition>;
  /** Runs sub-agents. @default each in its own session of a client of `clients` */
  readonly subagents?: SubagentRunner;
  /** Runs the commands of `shellNode`s. @default runCommand */
  readonly shell?: CommandRunner;
  /** Where commands run and agents work. @default the process's working directory */
  readonly workingDirectory?: string;
  /** The run's folder on disk, for artifacts. */
  readonly sessionDirectory?: string;
  /** Working trees for workers with `isolation: "worktree"`. */
  readonly worktrees?: WorktreeService;
  /** Keeps the tasks of task loops. */
  readonly tasks?: TaskStore;
  /** Checks and keeps workflow scripts that agents write. @default they are only read, and cannot be kept */
  readonly scripts?: ScriptServices;
  /**
   * Takes secrets out of all that the run keeps or reports: its state and journal, files, events and errors. A node's code
   * sees them; what it returns has `[redacted]` in their places, in this process and in one that resumes the run.
   * @default nothing is redacted
   */
  readonly redactor?: Redactor;
  /** Reads git repositories, for nodes that look at changes. */
  readonly git?: GitReader;
  /** Whether programs that the project's files name may run. @default they may */
  readonly isProjectTrusted?: () => Promise<boolean>;
  /**
   * How many agents a script may have at work, and call in all. What a script sets itself only lowers it.
   * @default min(16, max(2, cores - 2)) and 1,000
   */
  readonly scriptLimits?: ScriptLimits;
  /** Settings of every agent session of the run, for example its permission policy. */
  readonly sessionConfig?: SessionConfig;
}

/** A failure that was handled earlier in the run. */
export interface ExecutionError {
  readonly nodeId: NodeId;
  readonly error: Error;
  readonly timestamp: Date;
  readonly attempt: number;
}

/** The argument of a node's function. */
export interface ExecutionContext<State extends BaseState = BaseState, Item = unknown> extends MapPlace<Item> {
  readonly runId: string;
  readonly nodeId: NodeId;
  /** Identifies this visit of the node within the run; the same after a restart. Usable as an idempotency key. */
  readonly taskId: string;
  /** Starts of this visit: 1 at first, 2 after a failure or a crash. */
  readonly attempt: number;
  readonly state: Readonly<State>;
  /** Aborted when the run is cancelled, the node times out, or its branch loses. */
  readonly signal: AbortSignal;
  /** Another name of {@link signal}. */
  readonly abortSignal: AbortSignal;
  /**
   * The model to use. The first one that is set: the node's, that of a `subgraphNode` around it, the `defaultModel` of its
   * graph, the run's.
   */
  readonly model: string | undefined;
  /** The same for an agent, ignoring default models of other agents. */
  modelFor(agentType: string | undefined): string | undefined;
  /** The settings of `compile()`, overridden by those of `run()`; immutable. */
  readonly config: GraphSettings;
  /** The graph's `contextWindowThreshold`. */
  readonly contextWindowThreshold: number | undefined;
  /** The fullness of an agent's context window after the last known turn in this process, from 0 to 1. */
  readonly contextWindowUsage: number | undefined;
  readonly services: RunServices;
  /** Failures that a `.catch` handled, oldest first. */
  readonly errors: readonly ExecutionError[];
  /** The failure that a `.catch` node handles. */
  readonly error: Error | undefined;
  /** Why the next node rejected this node's earlier result (see `SchemaValidationError`). */
  readonly feedback: string | undefined;
  /** Whether a loop around the node reads its agent's answer, which must therefore stay in `outputs`. */
  readonly keepsReply: boolean;
  /**
   * Publishes an event to the run's subscribers, of a type that nodes may emit.
   *
   * @throws InvalidEmissionError for anything else, which fails the node
   */
  emit(event: NodeEmission): void;
  /**
   * Runs an action once per visit of this node: the result is journaled under `key`, and a later attempt gets it back
   * instead of repeating the action (E4). Each step of a visit needs a key of its own: one that is finished is rejected, and
   * calls while it is in progress wait for it.
   */
  step<T>(key: string, action: () => T | Promise<T>): Promise<T>;
  /** The calls of this visit, for a node with `calls`. */
  readonly calls: NodeCalls;
  /**
   * Completes the run as soon as this node is done, whatever else there is to do; branches beside it are dropped. Within a
   * subgraph, completes the subgraph.
   *
   * @param output the run's output. @default the graph's `output`, or else the node's
   */
  finish(output?: unknown): void;
  /**
   * Stops the clock of the node's `timeoutMs`. For follow-up work that must not cost the node its result and has a time
   * limit of its own.
   *
   * @returns a function that restarts the clock with the time left; a node that never calls it cannot time out any more
   */
  stopTimeout(): () => void;
  /**
   * Waits for something that other nodes of the run bring about. Meanwhile the node has no place in `maxConcurrency`, so
   * that it cannot keep those from starting. A run that pauses, or otherwise waits only for people, is suspended
   * meanwhile; the node starts again when that is resumed.
   */
  whileIdle<T>(wait: () => Promise<T>): Promise<T>;
  /** The journaled result of {@link step} for `key`, if there is one. */
  recall(key: string): unknown;
}
