import {
  AtomicError,
  BudgetSpentError,
  CostUnknownError,
  MaxTurnsReachedError,
  UnknownSessionError,
} from "../../contracts/index.ts";
import { RunNotEditableError, RunNotExecutedError } from "../../graph/index.ts";

/** An error in words for the command line, where the original names a remedy in code. */
export class CommandLineError extends AtomicError {
  /** The run's id, for `--json`. */
  declare readonly runId?: string;

  constructor(message: string, original: AtomicError & { readonly runId?: string | undefined }) {
    super(original.code, message, { cause: original });
    if (original.runId !== undefined) this.runId = original.runId;
  }
}

/**
 * Rewrites errors whose remedy is a command, or one of the options in `args`. Other errors stay unchanged: limits that a
 * workflow or a program has set are changed there.
 */
export function explainForCommandLine(error: unknown, args: readonly string[]): unknown {
  if (!(error instanceof AtomicError)) return error;
  const message = messageFor(error) ?? messageForLimit(error, args);
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
  if (error instanceof UnknownSessionError) {
    const { agentType, sessionId } = error;
    return `The agent "${agentType}" has no session "${sessionId}". Omit --session to start a new conversation.`;
  }
  return undefined;
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
