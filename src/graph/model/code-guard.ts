import type { NodeEmission } from "../../contracts/index.ts";

/** A visit of a node whose code is about to run. */
export interface NodeScope {
  readonly nodeId: string;
  readonly taskId: string;
  /** Publishes an event to the run's subscribers; false when the node's code has already ended. */
  emit(event: NodeEmission): boolean;
  /** Fails the node; false when its code has already ended. */
  fail(error: Error): boolean;
}

/** Surrounds the code of a run's nodes, to attribute uncaught errors and output to a node. */
export interface CodeGuard {
  /** Calls a node's code and returns its result, or a promise of it. */
  enter<Result>(scope: NodeScope, execute: () => Result | Promise<Result>): Result | Promise<Result>;
  /** Called when the run starts; `failRun` fails it. Returns a function to call when the run is over. */
  attach(failRun: (error: Error) => void): () => void;
}
