import { AtomicError } from "../../contracts/index.ts";

/** Somebody cancelled a node of a run that goes on. What a `.catch` is given, and the reason of the node's signal. */
export class NodeCancelledError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("NODE_CANCELLED", `The node "${nodeId}" was cancelled. Resume the run to begin it again.`);
  }
}

/** Somebody has a node begin again: the reason of its signal, and what the journal says about the attempt. */
export class NodeRestartedError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("NODE_RESTARTED", `The node "${nodeId}" was made to begin again.`);
  }
}

/** Somebody has a run go on without a node: the reason of its signal. */
export class NodeSkippedError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("NODE_SKIPPED", `The node "${nodeId}" was skipped.`);
  }
}

/** A command is about a node that is not under way. */
export class NodeNotUnderWayError extends AtomicError {
  constructor(
    readonly node: string,
    /** The visits that are under way. */
    readonly taskIds: readonly string[],
  ) {
    const known = taskIds.length === 0 ? "No node is." : `Under way: ${taskIds.join(", ")}.`;
    super("NODE_NOT_UNDER_WAY", `The node "${node}" is not under way. ${known}`);
  }
}

/** A command names a node of which several visits are under way. */
export class AmbiguousNodeError extends AtomicError {
  constructor(
    readonly node: string,
    readonly taskIds: readonly string[],
  ) {
    super(
      "NODE_AMBIGUOUS",
      `Several visits of "${node}" are under way. Name one of them instead: ${taskIds.join(", ")}.`,
    );
  }
}

/** A node ended by itself before a command took effect. */
export class NodeEndedError extends AtomicError {
  constructor(readonly taskId: string) {
    super("NODE_ENDED", `The node "${taskId}" ended before the command took effect. Nothing was changed.`);
  }
}

/** Something else was said about the same node before a command took effect. */
export class CommandReplacedError extends AtomicError {
  constructor(readonly taskId: string) {
    super(
      "COMMAND_REPLACED",
      `Something else was said about "${taskId}" before this command took effect. Say one thing about it.`,
    );
  }
}

/** A {@link RunControl} was given to a second run while the first one is executed. */
export class ControlInUseError extends AtomicError {
  constructor() {
    super("CONTROL_IN_USE", "A RunControl is for one run at a time. Make one for each run.");
  }
}

/** A command is for a run that no process executes. */
export class RunNotExecutedError extends AtomicError {
  constructor(readonly runId: string | undefined) {
    const run = runId === undefined ? "The run of this control" : `The run "${runId}"`;
    super(
      "RUN_NOT_EXECUTED",
      `${run} is not being executed. Give the command to resume(), which takes it before anything else.`,
    );
  }
}

/** Whoever executes a run did not deal with a command in time. */
export class SteeringTimeoutError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly timeoutMs: number,
    readonly isWithdrawn: boolean,
  ) {
    const command = isWithdrawn ? "The command was withdrawn" : "It has the command, which may still take effect";
    super(
      "STEERING_TIMEOUT",
      `The process that executes the run "${runId}" did not reply within ${timeoutMs} ms. ${command}; look at the run.`,
    );
  }
}
