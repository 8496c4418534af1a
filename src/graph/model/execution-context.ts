import type {
  CodingAgentClient,
  JsonObject,
  NodeEmission,
  SandboxConfig,
  SessionConfig,
  ToolDefinition,
} from "../../contracts/index.ts";
import type { BaseState } from "../state/annotation.ts";
import type { GraphSettings } from "./graph-settings.ts";
import type { MapPlace } from "./map-place.ts";
import type { AgentDefinition, PromptDefinition } from "./named-definitions.ts";
import type { NamedServices } from "./named-services.ts";
import type { NodeId } from "./node-id.ts";
import type { CommandResult, RunCommandOptions } from "./run-command.ts";
import type { SubagentRunner } from "./subagent-runner.ts";
import type { TaskStore } from "./task-store.ts";

/** What a node wants of the client that it asks for. */
export interface ClientWish {
  /** The agent is to run in a sandbox, with these limits at the least. */
  readonly sandbox?: SandboxConfig;
}

/** Gives the client of an agent. Must throw an error that says what to do when it cannot. */
export type ClientProvider = (
  agentType: string | undefined,
  wish?: ClientWish,
) => CodingAgentClient | Promise<CodingAgentClient>;

/** Finds the graph of a workflow; `null` when there is none of this name. */
export type WorkflowResolver = (
  name: string,
  options?: ResolveWorkflowOptions,
) => SubgraphLike | null | Promise<SubgraphLike | null>;

/** How a node wants the workflow that it names. */
export interface ResolveWorkflowOptions {
  /** What it is to be built with. @default the workflow's `defaultConfig` */
  readonly config?: JsonObject;
}

/** What can be run as a subgraph; see `CompiledSubgraph`. */
interface SubgraphLike {
  /** Present in compiled graphs; for the engine. */
  readonly code?: unknown;
  execute(input: Partial<BaseState>): Promise<BaseState>;
}

/** Runs a command line and gives what it left behind. Must end it when the signal aborts. */
export type CommandRunner = (command: string, options: RunCommandOptions) => Promise<CommandResult>;

/** What a run offers to its nodes. Everything is optional; a node that needs more throws `MissingServiceError`. */
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
  /** Runs sub-agents. @default each in a session of its own, made by `clients` */
  readonly subagents?: SubagentRunner;
  /** Runs the commands of `shellNode`s. @default runCommand */
  readonly shell?: CommandRunner;
  /** Where commands run and agents work. @default the process's working directory */
  readonly workingDirectory?: string;
  /** The run's folder on disk, for artifacts. */
  readonly sessionDirectory?: string;
  /** Keeps the tasks of task loops. */
  readonly tasks?: TaskStore;
  /** Settings that hold for every agent session of the run, for example its permission policy. */
  readonly sessionConfig?: SessionConfig;
}

/** A failure that was dealt with earlier in the run. */
export interface ExecutionError {
  readonly nodeId: NodeId;
  readonly error: Error;
  readonly timestamp: Date;
  readonly attempt: number;
}

/** What a node is given. */
export interface ExecutionContext<State extends BaseState = BaseState, Item = unknown> extends MapPlace<Item> {
  readonly runId: string;
  readonly nodeId: NodeId;
  /** Identifies this visit of the node within the run; the same after a restart. A key for idempotency. */
  readonly taskId: string;
  /** Counts the times this visit was begun: 1 at first, 2 after a failure or a crash. */
  readonly attempt: number;
  readonly state: Readonly<State>;
  /** Aborted when the run is cancelled, the node's time is over, or its branch lost. */
  readonly signal: AbortSignal;
  /** Another name of {@link signal}. */
  readonly abortSignal: AbortSignal;
  /**
   * The model to use: the node's, that of a `subgraphNode` around it, the `defaultModel` of its graph, and last the run's.
   */
  readonly model: string | undefined;
  /** The same for an agent: a default that is a model of another agent does not count. */
  modelFor(agentType: string | undefined): string | undefined;
  /** The settings that the graph of the run was compiled with, and what `run()` was given over them; cannot be changed. */
  readonly config: GraphSettings;
  /** The graph's `contextWindowThreshold`. */
  readonly contextWindowThreshold: number | undefined;
  /** How full an agent's context window was after the last turn in this process that it is known of, 0 to 1. */
  readonly contextWindowUsage: number | undefined;
  readonly services: RunServices;
  /** Failures that a `.catch` has taken, oldest first. */
  readonly errors: readonly ExecutionError[];
  /** The failure a `.catch` node is about. */
  readonly error: Error | undefined;
  /** Why the node that followed refused this node's earlier result (see `SchemaValidationError`). */
  readonly feedback: string | undefined;
  /** Whether a loop around the node looks into its agent's answer, which then has to stay in `outputs`. */
  readonly keepsReply: boolean;
  /** Tells whoever watches the run. Costs nothing when nobody does. */
  emit(event: NodeEmission): void;
  /**
   * Does something once per visit of this node: the result is journaled under `key`, and a later attempt gets it back
   * instead of doing it again (E4).
   */
  step<T>(key: string, action: () => T | Promise<T>): Promise<T>;
  /**
   * Has the run end well as soon as this node is done, whatever else there is to do: branches beside it are given up. Within
   * a subgraph it is the subgraph that ends.
   *
   * @param output what the run has come to. @default the graph's `output`, else what the node leaves
   */
  finish(output?: unknown): void;
  /**
   * Stops the clock of the node's `timeoutMs`. For follow-up work that must not cost the node its result and has a time
   * limit of its own.
   *
   * @returns a function that restarts the clock with the time left; a node that never calls it cannot time out any more
   */
  stopTimeout(): () => void;
  /** The journaled result of {@link step} for `key`, if there is one. */
  recall(key: string): unknown;
}
