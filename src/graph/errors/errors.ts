import { AtomicError, messageOf } from "../../contracts/index.ts";
import { callerFrameOf, type GraphProblem, placeIn } from "./graph-problems.ts";
import { serviceRemedy } from "./service-remedy.ts";

/** `compile()` found problems; all of them are listed. */
export class GraphValidationError extends AtomicError {
  readonly problems: readonly string[];
  /** Where each problem was written, as `path:line:column`, in the order of the problems; undefined when unknown. */
  readonly locations: readonly (string | undefined)[];

  /**
   * @param origin created where the graph was started: `compile()` is often a tail call, and then its caller is not on the
   * stack
   */
  constructor(found: readonly GraphProblem[], origin?: Error) {
    const problems = found.map(({ text }) => text);
    super(
      "GRAPH_INVALID",
      `The graph cannot be compiled:\n${problems.map((problem) => `  - ${problem}`).join("\n")}\nCorrect the graph's definition.`,
    );
    const callers = found.map((problem) => callerFrameOf(problem.origin));
    this.problems = problems;
    this.locations = callers.map(placeIn);
    const frames = [...new Set(callers), ...framesOf(this), ...framesOf(origin)].filter((frame) => frame !== undefined);
    this.stack = [`${this.name}: ${this.message}`, ...frames].join("\n");
  }
}

/** The lines of a stack below its message. */
function framesOf(error: Error | undefined): readonly string[] {
  return error?.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
}

/** A route names a node that the graph does not have. */
export class UnknownNodeError extends AtomicError {
  constructor(
    readonly nodeId: string,
    readonly knownIds: readonly string[],
  ) {
    super("GRAPH_UNKNOWN_NODE", `No node named "${nodeId}". Known nodes: ${knownIds.join(", ")}.`);
  }
}

/** A `goto` leads out of the branch it was returned in. */
export class GotoOutOfBranchError extends AtomicError {
  constructor(
    readonly nodeId: string,
    readonly target: string,
  ) {
    super(
      "GRAPH_GOTO_OUT_OF_BRANCH",
      `The node "${nodeId}" cannot go to "${target}": the target lies outside the parallel branch the node runs in. Route to a node of the same branch, or let the branch end.`,
    );
  }
}

/** None of a decision's routes applies and it has no fallback. */
export class NoRouteError extends AtomicError {
  constructor(readonly nodeId: string) {
    super("GRAPH_NO_ROUTE", `No route of the decision "${nodeId}" applies. Add a route or a fallback.`);
  }
}

/** A loop reached its maximum number of iterations, and its condition was still not met. */
export class LoopLimitError extends AtomicError {
  constructor(
    readonly loopId: string,
    readonly maxIterations: number,
  ) {
    super(
      "GRAPH_LOOP_LIMIT",
      `The loop "${loopId}" ran ${maxIterations} times without reaching its end. Check its "until", or set maxIterations.`,
    );
  }
}

const LIMIT_TEXTS = {
  maxSteps: (limit: number) =>
    `The run started ${limit} nodes, which is its maxSteps. Raise maxSteps, or look for a loop without progress.`,
  timeoutMs: (limit: number) =>
    `The run took longer than its timeoutMs of ${limit} ms. Raise timeoutMs, then resume the run.`,
  maxTokens: (limit: number) =>
    `The run used more than the ${limit} tokens of its budget. Raise it (budget.maxTokens, or --max-tokens), then resume the run.`,
  maxCostUsd: (limit: number) =>
    `The run cost more than the ${limit} USD of its budget. Raise it (budget.maxCostUsd, or --max-cost), then resume the run.`,
} as const;

/** The run reached one of its limits. */
export class RunLimitError extends AtomicError {
  constructor(
    readonly bound: keyof typeof LIMIT_TEXTS,
    readonly limit: number,
  ) {
    super("RUN_LIMIT", LIMIT_TEXTS[bound](limit));
  }
}

/** A node took longer than its `timeoutMs`. */
export class NodeTimeoutError extends AtomicError {
  constructor(
    readonly nodeId: string,
    readonly timeoutMs: number,
  ) {
    super(
      "NODE_TIMEOUT",
      `The node "${nodeId}" took longer than its time limit of ${timeoutMs} ms. Raise it or split the node.`,
    );
  }
}

/**
 * Data does not have the shape that a node requires. The engine runs the *preceding* node again with this message as
 * `ctx.feedback`, as often as the failing node's `retry.maxAttempts` allows (E8).
 */
export class SchemaValidationError extends AtomicError {
  constructor(
    message: string,
    /** The validator's findings in its own format; for a schema, its issues. */
    readonly zodError?: unknown,
  ) {
    super("SCHEMA_VALIDATION", message, { cause: zodError });
  }
}

/** The items of a map are not a list. */
export class MapItemsError extends AtomicError {
  constructor(readonly mapId: string) {
    super("GRAPH_MAP_ITEMS", `The "items" of "${mapId}" did not return an array. Return the list to fan out over.`);
  }
}

/** Every branch of an `any` failed. */
export class AllBranchesFailedError extends AtomicError {
  constructor(
    readonly forkId: string,
    readonly messages: readonly string[],
  ) {
    super("GRAPH_ALL_BRANCHES_FAILED", `Every branch of "${forkId}" failed: ${messages.join("; ")}`);
  }
}

/** An answer does not fit its question. */
export class InvalidAnswerError extends AtomicError {
  constructor(
    readonly requestId: string,
    readonly problem: string,
    readonly allowed: readonly string[],
  ) {
    const hint = allowed.length > 0 ? ` Allowed answers: ${allowed.join(", ")}.` : "";
    super("ANSWER_INVALID", `The answer to "${requestId}" was rejected: ${problem}.${hint}`);
  }
}

/** There is no open question with this id. */
export class UnknownRequestError extends AtomicError {
  constructor(
    readonly requestId: string,
    readonly openIds: readonly string[],
  ) {
    const open = openIds.length > 0 ? `Open questions: ${openIds.join(", ")}.` : "The run has no open question.";
    super("REQUEST_UNKNOWN", `There is no open question "${requestId}". ${open}`);
  }
}

/** The saver has no journal for this run, or there is no saver. */
export class UnknownRunError extends AtomicError {
  constructor(
    readonly runId: string,
    { hasSaver = true }: { readonly hasSaver?: boolean } = {},
  ) {
    const why = hasSaver
      ? "List the runs with: atomic runs list"
      : "The graph has no checkpointer, so no run of it is kept: pass one to compile(), run() and resume().";
    super("RUN_UNKNOWN", `There is no run "${runId}". ${why}`);
  }
}

/** A run with this id exists already. */
export class RunExistsError extends AtomicError {
  constructor(readonly runId: string) {
    super("RUN_EXISTS", `The run "${runId}" exists already. Resume it, or start one with another id.`);
  }
}

/** The run has no checkpoint with this number. */
export class UnknownCheckpointError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly sequence: number,
    readonly knownSequences: readonly number[],
  ) {
    const shown = knownSequences.slice(-10).join(", ");
    super(
      "CHECKPOINT_UNKNOWN",
      `The run "${runId}" has no checkpoint ${sequence}. Its latest: ${shown}. List them with history().`,
    );
  }
}

/** Another process is executing the run (E9). */
export class RunLockedError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly owner?: string,
  ) {
    super(
      "RUN_LOCKED",
      `The run "${runId}" is being executed by ${owner ?? "another process"}. Wait for it to end or cancel it, then try again.`,
    );
  }
}

/** The run is completed; there is nothing to resume. */
export class RunFinishedError extends AtomicError {
  constructor(readonly runId: string) {
    super("RUN_FINISHED", `The run "${runId}" is completed; there is nothing left to do. Start a new run.`);
  }
}

/** No workflow has the name in a `subgraphNode`. */
export class UnknownSubgraphError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly nodeId: string,
  ) {
    super(
      "GRAPH_UNKNOWN_SUBGRAPH",
      `The node "${nodeId}" runs the workflow "${workflowName}", which does not exist. List the workflows with: atomic workflows list`,
    );
  }
}

/** A workflow runs itself, directly or through others. */
export class SubgraphCycleError extends AtomicError {
  constructor(readonly path: readonly string[]) {
    super(
      "GRAPH_SUBGRAPH_CYCLE",
      `Workflows run each other in a cycle: ${path.join(" → ")}. Remove one of these steps.`,
    );
  }
}

/** The journal does not fit the graph it is resumed with (E10). */
export class GraphChangedError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly differences: readonly string[],
    options?: { readonly cause?: unknown },
  ) {
    super(
      "GRAPH_CHANGED",
      `The run "${runId}" was started with another version of its graph:\n${differences.map((line) => `  - ${line}`).join("\n")}\nRestore that version, or start a new run.`,
      options,
    );
  }
}

/** A journal is damaged: from an entry on, its content cannot be trusted. */
export class JournalCorruptError extends AtomicError {
  /** The last entry that the run can continue from; 0 when there is none. */
  readonly lastGoodSequence: number;

  constructor(
    readonly runId: string,
    /** The first damaged entry. */
    readonly sequence: number,
    readonly detail: string,
    options?: { readonly cause?: unknown },
  ) {
    const lastGood = Math.max(0, sequence - 1);
    const advice =
      lastGood === 0
        ? "No entry before it is intact. Restore the journal from a backup, or start a new run."
        : `The entries up to ${lastGood} are intact. Call truncate(${JSON.stringify(runId)}, ${lastGood}) of the checkpointer, which drops what follows, then resume the run.`;
    super(
      "JOURNAL_CORRUPT",
      `The journal of the run "${runId}" is damaged at entry ${sequence} (${detail}). ${advice}`,
      options,
    );
    this.lastGoodSequence = lastGood;
  }
}

/** A journal, or the list of journals, cannot be read; it is not known to be damaged. */
export class JournalReadError extends AtomicError {
  constructor(
    /** Absent when listing runs failed. */
    readonly runId: string | undefined,
    options: { readonly cause: unknown },
  ) {
    const what = runId === undefined ? "The list of runs" : `The journal of the run "${runId}"`;
    super(
      "JOURNAL_READ",
      `${what} cannot be read (${messageOf(options.cause)}). Repair the access, then try again.`,
      options,
    );
  }
}

/** A saver with journals in many places does not know all of them. */
export class RunsNotListableError extends AtomicError {
  constructor() {
    super(
      "RUNS_NOT_LISTABLE",
      "A SessionDirSaver that was given a function does not know all sessions. Give it sessionDirectories too, to list their runs.",
    );
  }
}

/** A journal cannot be written. Earlier entries are intact. */
export class JournalWriteError extends AtomicError {
  constructor(
    readonly runId: string,
    options: { readonly cause: unknown },
  ) {
    super(
      "JOURNAL_WRITE",
      `The journal of the run "${runId}" cannot be written (${messageOf(options.cause)}). Make room or repair the access, then resume the run.`,
      options,
    );
  }
}

/** A node needs a service that the run does not have. */
export class MissingServiceError extends AtomicError {
  constructor(
    readonly service: string,
    readonly nodeId: string,
  ) {
    super(
      "SERVICE_MISSING",
      `The node "${nodeId}" needs "${service}", which this run does not have. ${serviceRemedy(service)}.`,
    );
  }
}

/** A service of the run does not do what its type promises: files that are run directly are not type-checked. */
export class InvalidServiceError extends AtomicError {
  /** Another attempt would get the same. */
  readonly isRetryable = false;

  constructor(
    readonly service: string,
    problem: string,
  ) {
    super("SERVICE_INVALID", `The service "${service}" of the run ${problem}.`);
  }
}

/** A command of a `shellNode` failed. */
export class CommandFailedError extends AtomicError {
  constructor(
    readonly command: string,
    readonly ending: string,
    readonly outputTail: string,
  ) {
    super("COMMAND_FAILED", `The command \`${command}\` ended with ${ending}.${outputTail ? `\n${outputTail}` : ""}`);
  }
}

/** An error read from a journal: code and message are the original ones, the class is not. */
export class RestoredError extends AtomicError {}

/** A run started with `execute()` is suspended because it waits for a person. */
export class RunSuspendedError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly requestIds: readonly string[],
  ) {
    super(
      "RUN_SUSPENDED",
      `The run "${runId}" waits for a person (${requestIds.join(", ")}). Use run() and resume() for graphs that ask.`,
    );
  }
}
