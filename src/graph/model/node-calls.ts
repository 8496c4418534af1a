import type { Json } from "../../contracts/index.ts";
import type { StateRecord } from "../state/state-update.ts";
import type { Spent } from "./spent.ts";

/** A call of a node: a piece of work with tasks of its own, which starts while the node runs. */
export interface NodeCall {
  /** Identifies the call within the visit of the node. */
  readonly key: string;
  /** The version of the code that made the call. */
  readonly version: string;
  /** What the node's `calls.codeOf` makes a graph of. */
  readonly spec: Json;
  /** Indexes of earlier calls that the node's code has given up: it makes other ones in their place. */
  readonly replaces?: readonly number[];
}

/** How a call ended. */
export type CallEnd = (
  | { readonly type: "completed"; readonly state: StateRecord }
  | { readonly type: "failed"; readonly error: Error }
) & {
  /** What its nodes have spent. */
  readonly spent: Spent;
};

/** A call in the journal. */
export interface KnownCall extends NodeCall {
  /** Counts the calls of the visit from 0. */
  readonly index: number;
  readonly isOver: boolean;
}

/**
 * The calls of one visit of a node. Their ends arrive in the order in which the journal has them, each in a turn of the event
 * loop of its own: code that is deterministic makes its calls in the same order in every attempt.
 */
export interface NodeCalls {
  /** The calls in the journal when the attempt started, oldest first. */
  readonly known: readonly KnownCall[];
  /** Whether this visit is itself part of a call. */
  readonly isWithinCall: boolean;
  /** Makes a call. The promise stays pending when the node is aborted. @throws what makes the call impossible */
  make(call: NodeCall): Promise<CallEnd>;
  /** Waits for the end of a known call. */
  endOf(index: number): Promise<CallEnd>;
  /**
   * Holds the ends of calls: the code works somewhere else, and may make calls before it gets another end. Returns what ends
   * that.
   */
  hold(): () => void;
  /** Skips a known call that is in progress and no longer needed. */
  skip(index: number): void;
}
