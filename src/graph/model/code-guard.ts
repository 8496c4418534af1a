import type { NodeEmission } from "../../contracts/index.ts";

/** A visit of a node whose code is about to run. */
export interface NodeScope {
  readonly nodeId: string;
  readonly taskId: string;
  /** Tells whoever watches the run; false when the node's code has ended already. */
  emit(event: NodeEmission): boolean;
  /** Fails the node; false as above. */
  fail(error: Error): boolean;
}

/** Surrounds the code of a run's nodes, for whoever hears of errors and output that no node returns. */
export interface CodeGuard {
  /** Calls a node's code; must return, or resolve to, what the code does. */
  enter<Result>(scope: NodeScope, execute: () => Result | Promise<Result>): Result | Promise<Result>;
  /** The run has begun; `failRun` fails it. Gives what is called when it is over. */
  attach(failRun: (error: Error) => void): () => void;
}
