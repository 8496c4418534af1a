import { join } from "node:path";
import {
  AtomicError,
  BudgetSpentError,
  CostUnknownError,
  MaxTurnsReachedError,
  UnknownSessionError,
} from "../../contracts/index.ts";
import { JournalCorruptError, RunNotEditableError, RunNotExecutedError, RunPausingError } from "../../graph/index.ts";
import { workflowSessionsDirectory } from "../../workflows/run-kit.ts";

/** An error in words for the command line, where the original names a remedy in code. */
export class CommandLineError extends AtomicError {
  /** The run's id, for `--json`. */
  declare readonly runId?: string;

  constructor(message: string, original: AtomicError & { readonly runId?: string | undefined }) {
    super(original.code, message, { cause: original });
    if (original.runId !== undefined) this.runId = original.runId;
  }
}

/** The call that an error ended. */
export interface EndedCall {
  readonly args: readonly string[];
  /** The user's own Atomic folder. */
  readonly atomicHome: string;
}

/**
 * Rewrites errors whose remedy is a command, or one of the options in `args`. Other errors stay unchanged: limits that a
 * workflow or a program has set are changed there.
 */
export function explainForCommandLine(error: unknown, { args, atomicHome }: EndedCall): unknown {
  if (!(error instanceof AtomicError)) return error;
  const message =
    error instanceof JournalCorruptError
      ? describeDamage(error, atomicHome)
      : (messageFor(error) ?? messageForLimit(error, args));
  return message === undefined ? error : new CommandLineError(message, error);
}

function messageFor(error: AtomicError): string | undefined {
  if (error instanceof RunNotExecutedError && error.runId !== undefined) {
    const { runId } = error;
    return `No process executes the run "${runId}". See where it stands: atomic runs show ${runId}`;
  }
  if (error instanceof RunNotEditableError) {
    const { runId, status } = error;
    return status === "running"
      ? `The run "${runId}" is in progress. Pause it first: atomic runs pause ${runId}`
      : `The run "${runId}" is completed and stays as it is. Start a new run: atomic run WORKFLOW`;
  }
  if (error instanceof RunPausingError) {
    const { runId, node } = error;
    return `The step "${node}" was not restarted: the run "${runId}" is pausing, and starts no step. Withdraw the pause first: atomic runs resume ${runId}`;
  }
  if (error instanceof UnknownSessionError) {
    const { agentType, sessionId } = error;
    return `The agent "${agentType}" has no session "${sessionId}". Omit --session to start a new conversation.`;
  }
  return undefined;
}

/** No command repairs a journal; a program can drop its damaged end. */
function describeDamage(
  { runId, sequence, detail, lastGoodSequence }: JournalCorruptError,
  atomicHome: string,
): string {
  const folder = join(workflowSessionsDirectory(atomicHome), runId);
  const path = join(folder, "journal.db");
  const call = `await new SqliteSaver({ path: ${JSON.stringify(path)} }).truncate("${runId}", ${lastGoodSequence})`;
  return [
    `The journal of the run "${runId}" is damaged at entry ${sequence} (${detail}), so the run can be neither shown nor resumed.`,
    `Its folder is ${folder}`,
    "Restore journal.db there from a backup, or start a new run: atomic run WORKFLOW",
    ...(lastGoodSequence === 0
      ? []
      : [
          `Entry ${lastGoodSequence} and those before it are intact. To drop the later ones, back up journal.db and call this in a program, then resume the run:`,
          `  import { SqliteSaver } from "@bastani/atomic/graph";`,
          `  ${call};`,
        ]),
  ].join("\n");
}

function messageForLimit(error: AtomicError, args: readonly string[]): string | undefined {
  const option = error instanceof MaxTurnsReachedError ? "--max-turns" : "--max-cost";
  if (!args.some((word) => word === option || word.startsWith(`${option}=`))) return undefined;
  if (error instanceof MaxTurnsReachedError) {
    const { agentType, maxTurns } = error;
    const calls = `${maxTurns} model ${maxTurns === 1 ? "call" : "calls"}`;
    return `The agent "${agentType}" was stopped after ${calls}, the limit of --max-turns. Send another message with --session to continue, or raise --max-turns.`;
  }
  if (error instanceof BudgetSpentError) {
    const { spentUsd, maxBudgetUsd } = error.spent;
    const [spent, budget] = [spentUsd, maxBudgetUsd].map((usd) => `$${usd.toFixed(usd < 0.01 ? 4 : 2)}`);
    return `The agent "${error.agentType}" was stopped: it has spent ${spent}, and --max-cost is ${budget}. Raise --max-cost to continue.`;
  }
  if (error instanceof CostUnknownError) {
    const which = error.model === undefined ? "its model" : `the model "${error.model}"`;
    return `The agent "${error.agentType}" does not report the cost of ${which}, so --max-cost cannot be enforced. Omit --max-cost and use --max-turns, or set prices for the endpoint's models.`;
  }
  return undefined;
}
