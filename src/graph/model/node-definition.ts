import type {
  ContextAction,
  DebugReport,
  HumanRequest,
  Json,
  JsonObject,
  RunErrorInfo,
} from "../../contracts/index.ts";
import { type OptionTable, shape } from "../options/find-option-problems.ts";
import {
  aFunction,
  amount,
  countOrInfinity,
  fraction,
  milliseconds,
  type OptionCheck,
} from "../options/option-checks.ts";
import type { BaseState, StateUpdate } from "../state/annotation.ts";
import type { StandardSchema } from "../state/standard-schema.ts";
import type { StateChange, StateRecord } from "../state/state-update.ts";
import type { ExecutionContext } from "./execution-context.ts";
import type { JoinStrategy } from "./join-strategy.ts";
import type { MapPlace } from "./map-place.ts";
import type { NodeId } from "./node-id.ts";
import type { NodeUse } from "./node-use.ts";
import type { SleepSpec } from "./sleep.ts";

/** The kind of a node, for people and diagrams; the engine treats all kinds alike. */
export type NodeType =
  | "agent"
  | "tool"
  | "decision"
  | "wait"
  | "ask_user"
  | "sleep"
  | "subgraph"
  | "parallel"
  | "script";

/** How a failing node is retried (E8). */
export interface RetryConfig {
  /** The maximum number of attempts, including the first. @default 1 */
  readonly maxAttempts?: number;
  /** The pause before the second attempt, in milliseconds. @default 1_000 */
  readonly backoffMs?: number;
  /** The factor by which each further pause grows. @default 2 */
  readonly backoffMultiplier?: number;
  /** The longest pause, in milliseconds. @default 30_000 */
  readonly maxBackoffMs?: number;
  /** The random share of a pause, 0 to 1. @default 0.2 */
  readonly jitter?: number;
  /**
   * Whether to retry after an error. `error.error` is the same error, for functions that also accept elements of
   * `ctx.errors`, unless the error has its own `error`.
   * @default every error; in nodes of the factories, not errors that a retry cannot fix, and not those of an `outputMapper`
   */
  readonly retryOn?: (error: Error & { readonly error: Error }, attempt: number) => boolean;
}

const RETRY_OPTIONS: OptionTable<RetryConfig> = {
  maxAttempts: countOrInfinity,
  backoffMs: milliseconds,
  backoffMultiplier: amount,
  maxBackoffMs: milliseconds,
  jitter: fraction,
  retryOn: aFunction,
};

/** The option `retry` of nodes. */
export const retry: OptionCheck = shape(RETRY_OPTIONS, { expected: "an object, for example { maxAttempts: 3 }" });

/** What a node reports besides its update. */
export type SignalData =
  | {
      readonly type: "context_window_warning";
      /** The used part of the window, 0 to 1; absent if unknown. */
      readonly usage?: number;
      /** How the node responds to it. */
      readonly action?: ContextAction;
      /** The name of the session. */
      readonly session?: string;
    }
  | { readonly type: "checkpoint"; readonly label: string }
  /** Asks a person; the same as a `request` with this question. */
  | { readonly type: "human_input_required"; readonly prompt: string }
  /** Publishes a report about a failure to subscribers; see {@link createDebugReport}. */
  | { readonly type: "debug_report_generated"; readonly report: DebugReport };

/** A question of a node to a person (E6). */
export interface RequestSpec {
  readonly question: string;
  readonly header?: string;
  readonly options?: HumanRequest["options"];
  /** Answers itself with `value` after this many milliseconds, which also pass while no process is running. */
  readonly autoApprove?: { readonly afterMs: number; readonly value?: Json };
}

/** The result of a node. */
export interface NodeResult<State extends BaseState = BaseState> {
  /** Fields to change, combined with the state by each field's reducer. */
  readonly stateUpdate?: StateUpdate<State>;
  /**
   * Go to this node instead of the next one. It must be in the same branch. Several nodes run in parallel, once each, and
   * the run continues after the last of them.
   */
  readonly goto?: NodeId | readonly NodeId[];
  readonly signals?: readonly SignalData[];
  /**
   * The outcome of what the node checked. With `false` it is shown as not passed; the run continues either way. Has no effect
   * beside `request`, `sleep` and `enter`.
   */
  readonly isPassed?: boolean;
  /** Ask a person; the node's `applyAnswer` turns the answer into an update, and the run continues after the node. */
  readonly request?: RequestSpec;
  /** Sleep before the run continues after the node; made by `sleepNode`. The node's update applies at once. */
  readonly sleep?: SleepSpec;
  /** Run a graph within this run; made by `subgraphNode`. */
  readonly enter?: SubgraphEntry;
}

/** A graph that a node runs within its run. */
export interface SubgraphEntry {
  /** The compiled graph's `code`; for the engine. */
  readonly code: unknown;
  readonly input: StateChange;
  /** The workflow's name, if the node named one. */
  readonly name?: string;
  /** The workflow's configuration, if the node set one. */
  readonly config?: JsonObject;
}

/**
 * A step that belongs to a node and follows it in the graph, as if the author had written it there: another node, a loop,
 * a map, or a handler for failures of the earlier parts.
 */
export type NodePart<State extends BaseState = BaseState> =
  | { readonly kind: "node"; readonly node: NodeDefinition<State> }
  | {
      readonly kind: "loop";
      readonly id: string;
      readonly body: { readonly steps: readonly NodePart<State>[] };
      until(state: Readonly<State>, info: MapPlace & { readonly iteration: number }): boolean;
      readonly maxIterations: number;
      readonly onMaxIterations: "continue" | "fail";
    }
  | {
      readonly kind: "map";
      readonly id: string;
      /** One branch for each. Must be pure. */
      items(state: Readonly<State>, place: MapPlace): readonly unknown[];
      readonly body: { readonly steps: readonly NodePart<State>[] };
      readonly strategy: "all";
      readonly merge: undefined;
      readonly concurrency: undefined;
    }
  | {
      readonly kind: "catch";
      readonly handler: NodeDefinition<State>;
      /** Codes of failures that are left to a handler around the node. */
      readonly passesOn?: ReadonlySet<string>;
    };

/** A step of a graph, created by a factory (`agentNode`, `shellNode`, …) or written as an object of this shape. */
export interface NodeDefinition<State extends BaseState = BaseState, Item = unknown> {
  readonly id: NodeId;
  readonly type: NodeType;
  /** Shown to people. @default the id */
  readonly name?: string;
  readonly description?: string;
  /** A fact for outlines of the graph, for example "for 5 s". */
  readonly remark?: string;
  /** Describes this visit for people; shown instead of the name. */
  title?(state: Readonly<State>, place: MapPlace): string;
  /** The model for this node's agent; for a `subgraphNode`, the model for the agents of the subgraph. */
  readonly model?: string;
  readonly retry?: RetryConfig;
  /** Fail the node after this many milliseconds; its `ctx.signal` is aborted. */
  readonly timeoutMs?: number;
  /** The graph that a `subgraphNode` runs, and how its final state becomes an update. */
  readonly subgraph?: {
    readonly ref: { readonly code?: unknown } | string;
    /** What a workflow given by name is built with; `in-run` if only a run knows it. Checks before a run read it. */
    readonly config?: JsonObject | "in-run";
    finish(subState: StateRecord, state: Readonly<State>, place: MapPlace): StateUpdate<State>;
  };
  /** How the branches of a `goto` to several nodes join. @default all of them, by the fields' reducers */
  readonly join?: {
    readonly strategy?: JoinStrategy;
    /** Receives the final states of the branches, and the failures of others, by the ids of their nodes. Must be pure. */
    readonly merge?: (
      results: ReadonlyMap<string, Readonly<State>>,
      state: Readonly<State>,
      failures: ReadonlyMap<string, RunErrorInfo>,
      place: MapPlace,
    ) => StateUpdate<State>;
  };
  /** Steps that follow this one in the graph; its `goto` can name their nodes. */
  readonly parts?: readonly NodePart<State>[];
  /** Problems of the node's settings, each as the end of a sentence; `compile()` reports them. */
  readonly problems?: readonly string[];
  /** All nodes that `goto` may name, for validation and diagrams. @default any node */
  readonly targets?: readonly NodeId[];
  /** For a node that makes calls while it runs. */
  readonly calls?: {
    /** The code of the graph that carries out a call, from its `spec`. Must be pure, and must not throw. */
    codeOf(spec: Json): unknown;
    /**
     * Whether a call that failed starts again where it was, when the node starts again after a failure. Must be pure.
     * @default false
     */
    repeats?(spec: Json): boolean;
    /** The workflows that it runs by name, as far as that is known before a run, and where they are written. */
    readonly workflows?: readonly { readonly name: string; readonly place: string }[];
    /** Codes of failures that end the run, or reach a `.catch` around the node, instead of the call alone. */
    readonly passesOn?: ReadonlySet<string>;
  };
  /** Whether the node always goes to its `targets`; to several at once only if it has a `join`. @default false */
  readonly leavesByRoute?: boolean;
  /** Whether the node acts only through `ctx.services`, so that `plan()` may execute it. @default false */
  readonly actsThroughServices?: boolean;
  /**
   * What the node looks up by name, as far as that is known before a run. `plan()` calls no tools, but fails the node if
   * the run lacks one of them.
   */
  readonly uses?: readonly NodeUse[];
  /** Fields of the state that the node writes, and the fields to spread in `defineState()`; `compile()` reports missing ones. */
  readonly stateFields?: { readonly names: readonly string[]; readonly from: string };
  /** For a node that asks an agent: whether the reply's text stays in `outputs[id]` when an `outputMapper` makes the update. */
  readonly keepsReply?: boolean;
  execute(
    context: ExecutionContext<State, Item>,
  ): NodeResult<State> | undefined | Promise<NodeResult<State> | undefined>;
  /** Turns a valid answer to the node's request into an update. Must be pure. @default `outputs[id] = answer` */
  applyAnswer?(answer: unknown, state: Readonly<State>, place: MapPlace): StateUpdate<State> | undefined;
  /** The schema of an answer to the node's request. Without it and without options, any answer is valid. */
  readonly answerSchema?: StandardSchema;
}
