import { AtomicError, messageOf } from "../../contracts/index.ts";

/**
 * A command cancelled a node, but not its run. The error that a `.catch` receives, and the reason of the node's signal. It
 * advises nothing: a run that handles it continues and can complete, and one that fails says how to resume it.
 */
export class NodeCancelledError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("NODE_CANCELLED", `The node "${nodeId}" was cancelled.`);
  }
}

/** A command restarted a node. The reason of its signal, and the error of that attempt in the journal. */
export class NodeRestartedError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("NODE_RESTARTED", `The node "${nodeId}" was restarted.`);
  }
}

/** A command skipped a node. The reason of its signal. */
export class NodeSkippedError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("NODE_SKIPPED", `The node "${nodeId}" was skipped.`);
  }
}

/** A command names a node that is not in progress, neither now nor when its run stopped. */
export class NodeNotUnderWayError extends AtomicError {
  constructor(
    readonly node: string,
    /** The visits in progress. */
    readonly taskIds: readonly string[],
    /** Whether a `.catch` or a fork handled its failure. @default false */
    readonly isHandled = false,
  ) {
    const known = taskIds.length === 0 ? "No node is." : `Unfinished: ${taskIds.join(", ")}.`;
    const why = isHandled
      ? "failed, and the run handled that failure and continues without the node: nothing more can be done about it."
      : "is not in progress, and has not failed.";
    super("NODE_NOT_UNDER_WAY", `The node "${node}" ${why} ${known}`);
  }
}

/** A command names a node with several visits in progress. */
export class AmbiguousNodeError extends AtomicError {
  constructor(
    readonly node: string,
    readonly taskIds: readonly string[],
  ) {
    super(
      "NODE_AMBIGUOUS",
      `Several visits of "${node}" are in progress. Name one of them instead: ${taskIds.join(", ")}.`,
    );
  }
}

/** The node ended before the command took effect. */
export class NodeEndedError extends AtomicError {
  constructor(readonly taskId: string) {
    super("NODE_ENDED", `The node "${taskId}" ended before the command took effect. Nothing was changed.`);
  }
}

/** A command cannot be sent to the process that executes a run. */
export class CommandUnsentError extends AtomicError {
  constructor(
    readonly runId: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "COMMAND_UNSENT",
      `The command for the run "${runId}" cannot be sent (${messageOf(options.cause)}), and nothing was changed. Make room or repair the access, then try again.`,
      options,
    );
  }
}

/** A command would restart a node of a run that is pausing, in which no node starts. */
export class RunPausingError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly node: string,
  ) {
    super(
      "RUN_PAUSING",
      `The node "${node}" was not restarted: the run "${runId}" is pausing, and starts no node. Withdraw the pause first, with control.unpause() or: atomic runs resume ${runId}`,
    );
  }
}

/** A command did not take effect because there was another command or an answer for the same node. */
export class CommandReplacedError extends AtomicError {
  constructor(readonly taskId: string) {
    super(
      "COMMAND_REPLACED",
      `The command for "${taskId}" did not take effect: there was another command or answer for it. Send only one.`,
    );
  }
}

/** A {@link RunControl} was given to a second run while the first one is executed. */
export class ControlInUseError extends AtomicError {
  constructor() {
    super("CONTROL_IN_USE", "A RunControl can control one run at a time. Create one for each run.");
  }
}

/** A command is for a run that no process executes. */
export class RunNotExecutedError extends AtomicError {
  constructor(readonly runId: string | undefined) {
    const run = runId === undefined ? "The run of this control" : `The run "${runId}"`;
    super(
      "RUN_NOT_EXECUTED",
      `${run} is not being executed. Pass the command to resume(), which applies it before anything else.`,
    );
  }
}

/** The process that executes the run did not carry out the command in time. */
export class SteeringTimeoutError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly timeoutMs: number,
    readonly isWithdrawn: boolean,
  ) {
    const command = isWithdrawn ? "The command was withdrawn" : "The command may still take effect";
    super(
      "STEERING_TIMEOUT",
      `The process that executes the run "${runId}" did not reply within ${timeoutMs} ms. ${command}; check the run's status.`,
    );
  }
}
