import type { Checkpointer } from "./checkpointer.ts";
import type { CommandResult, RunCommandOptions } from "./nodes/run-command.ts";
import type { PrunedRuns, PruneRunsOptions } from "./prune-runs.ts";
import type { RunSummary } from "./run-summary.ts";

// Functions of the public interface that most programs never call: what they do is imported with the first call.

/**
 * Marks a run that nobody executes as cancelled, without needing its graph. It can still be resumed.
 *
 * @throws UnknownRunError, RunFinishedError; RunLockedError when a process executes it: cancel it there
 */
export async function cancelRun(checkpointer: Checkpointer, runId: string): Promise<void> {
  const late = await import("./cancel-run.ts");
  await late.cancelRun(checkpointer, runId);
}

/**
 * Forgets runs that are over. Runs that are being executed stay.
 *
 * ```ts
 * await pruneRuns(saver, { olderThanMs: 30 * 86_400_000, statuses: ["completed", "cancelled"] });
 * ```
 *
 * @throws JournalReadError when the runs cannot be listed
 */
export async function pruneRuns(checkpointer: Checkpointer, options: PruneRunsOptions = {}): Promise<PrunedRuns> {
  const late = await import("./prune-runs.ts");
  return await late.pruneRuns(checkpointer, options);
}

/** Reads what a run did so far, also while it goes on. @throws UnknownRunError, JournalCorruptError */
export async function readRunSummary(checkpointer: Checkpointer, runId: string): Promise<RunSummary> {
  const late = await import("./run-summary.ts");
  return await late.readRunSummary(checkpointer, runId);
}

/**
 * Runs a command line in `sh`. What it leaves running in the background is ended with it; when the signal aborts, or
 * this process dies, the command and everything it started are ended too.
 *
 * @throws the signal's reason when aborted; a system error when `sh` cannot be started
 */
export async function runCommand(command: string, options: RunCommandOptions): Promise<CommandResult> {
  // `node:child_process` alone would take 2 ms of every start of a process on Node.
  const late = await import("./nodes/run-command.ts");
  return await late.runCommand(command, options);
}
