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
import type { SleepSpec } from "./sleep.ts";

/** What a node does, for people and pictures; the engine treats all alike. */
export type NodeType = "agent" | "tool" | "decision" | "wait" | "ask_user" | "sleep" | "subgraph" | "parallel";

/** How a failing node is tried again (E8). */
export interface RetryConfig {
  /** How often the node runs at the most, the first time included. @default 1 */
  readonly maxAttempts?: number;
  /** The pause before the second attempt, in milliseconds. @default 1_000 */
  readonly backoffMs?: number;
  /** By what each further pause is longer. @default 2 */
  readonly backoffMultiplier?: number;
  /** The longest pause, in milliseconds. @default 30_000 */
  readonly maxBackoffMs?: number;
  /** The part of a pause that is left to chance, 0 to 1. @default 0.2 */
  readonly jitter?: number;
  /**
   * Says whether an error is worth another attempt. `error.error` is the same error, for functions that also take those of
   * `ctx.errors`, unless the error has an `error` of its own.
   * @default every error is
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

/** Something a node tells the outside besides its update. */
export type SignalData =
  | {
      readonly type: "context_window_warning";
      /** The part of the window that is used, 0 to 1; absent where nobody looked. */
      readonly usage?: number;
      /** What is done about it. */
      readonly action?: ContextAction;
      /** The name of the session. */
      readonly session?: string;
    }
  | { readonly type: "checkpoint"; readonly label: string }
  /** Asks a person; the same as a `request` with this question. */
  | { readonly type: "human_input_required"; readonly prompt: string }
  /** Tells whoever watches what was found out about a failure; see {@link createDebugReport}. */
  | { readonly type: "debug_report_generated"; readonly report: DebugReport };

/** A question a node puts to a person (E6). */
export interface RequestSpec {
  readonly question: string;
  readonly header?: string;
  readonly options?: HumanRequest["options"];
  /** Answer with `value` by itself after so many milliseconds. The clock keeps counting while no process is alive. */
  readonly autoApprove?: { readonly afterMs: number; readonly value?: Json };
}

/** What a node leaves behind. */
export interface NodeResult<State extends BaseState = BaseState> {
  /** Fields to change, combined with the state by each field's reducer. */
  readonly stateUpdate?: StateUpdate<State>;
  /**
   * Go to this node instead of the next one. It must lie in the same branch. Several nodes run side by side, once each,
   * and the run goes on behind the last of them.
   */
  readonly goto?: NodeId | readonly NodeId[];
  readonly signals?: readonly SignalData[];
  /** Ask a person; the node's `applyAnswer` turns the answer into an update, and the run goes on behind the node. */
  readonly request?: RequestSpec;
  /** Rest before the run goes on behind the node; made by `sleepNode`. What the node changes counts at once. */
  readonly sleep?: SleepSpec;
  /** Run a graph within this run; made by `subgraphNode`. */
  readonly enter?: SubgraphEntry;
}

/** A graph that a node wants to run within its run. */
export interface SubgraphEntry {
  /** Of the compiled graph; for the engine. */
  readonly code: unknown;
  readonly input: StateChange;
  /** The workflow's name, where the node gave one. */
  readonly name?: string;
  /** What that workflow was built with, where the node says so. */
  readonly config?: JsonObject;
}

/**
 * A step that belongs to a node and stands behind it in the graph, as if the author had written it there: another node,
 * a loop, or what takes failures of the parts before it.
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
      readonly kind: "catch";
      readonly handler: NodeDefinition<State>;
      /** Codes of failures that are left to whoever is around the node. */
      readonly passesOn?: ReadonlySet<string>;
    };

/** A step of a graph. The factories (`agentNode`, `shellNode`, …) make them; an object of this shape is one too. */
export interface NodeDefinition<State extends BaseState = BaseState, Item = unknown> {
  readonly id: NodeId;
  readonly type: NodeType;
  /** Shown to people. @default the id */
  readonly name?: string;
  readonly description?: string;
  /** A fact for outlines of the graph, for example "for 5 s". */
  readonly remark?: string;
  /** What this visit is about, for people; shown instead of the name. */
  title?(state: Readonly<State>, place: MapPlace): string;
  /** The model for the agent of this node; of a `subgraphNode`, for those of the subgraph. */
  readonly model?: string;
  readonly retry?: RetryConfig;
  /** Fail the node after so many milliseconds; its `ctx.signal` is aborted. */
  readonly timeoutMs?: number;
  /** What a `subgraphNode` runs, and how its final state becomes an update. */
  readonly subgraph?: {
    readonly ref: { readonly code?: unknown } | string;
    finish(subState: StateRecord, state: Readonly<State>, place: MapPlace): StateUpdate<State>;
  };
  /** How the branches of a `goto` to several nodes become one again. @default all of them, by the fields' reducers */
  readonly join?: {
    readonly strategy?: JoinStrategy;
    /** Is given the states in which branches ended, and why others failed, by the ids of their nodes. Must be pure. */
    readonly merge?: (
      results: ReadonlyMap<string, Readonly<State>>,
      state: Readonly<State>,
      failures: ReadonlyMap<string, RunErrorInfo>,
      place: MapPlace,
    ) => StateUpdate<State>;
  };
  /** Steps that stand behind this one in the graph; its `goto` can name their nodes. */
  readonly parts?: readonly NodePart<State>[];
  /** What is wrong with the node's settings, each as the rest of a sentence; `compile()` reports it. */
  readonly problems?: readonly string[];
  /** All nodes that `goto` may name, for validation and pictures. @default it may name any */
  readonly targets?: readonly NodeId[];
  /** Whether it always goes to its `targets`, to several at once only if it has a `join`. @default false */
  readonly leavesByRoute?: boolean;
  /** Whether all it does to the world goes through `ctx.services`, so that `plan()` may execute it. @default false */
  readonly actsThroughServices?: boolean;
  /** The name of the tool that it calls; `plan()`, which calls none, fails it when the run does not have that tool. */
  readonly usesTool?: string;
  /** Of a node that asks an agent: whether the answer's text stays in `outputs[id]` when an `outputMapper` makes the update. */
  readonly keepsReply?: boolean;
  execute(
    context: ExecutionContext<State, Item>,
  ): NodeResult<State> | undefined | Promise<NodeResult<State> | undefined>;
  /** Turns a valid answer to the node's request into an update. Must be pure. @default `outputs[id] = answer` */
  applyAnswer?(answer: unknown, state: Readonly<State>, place: MapPlace): StateUpdate<State> | undefined;
  /** The shape an answer to the node's request must have. Without it and without options any answer is taken. */
  readonly answerSchema?: StandardSchema;
}
