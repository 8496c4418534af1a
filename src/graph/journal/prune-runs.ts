import type { RunStatus } from "../../contracts/index.ts";
import { RunLockedError, UnknownRunError } from "../errors/errors.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import { listOf, type OptionTable } from "../options/find-option-problems.ts";
import { aFunction, milliseconds, oneOf, wholeNumber } from "../options/option-checks.ts";
import { readRunSummary } from "./run-summary.ts";

/** Selects the runs that {@link pruneRuns} deletes. */
export interface PruneRunsOptions {
  /** Only runs without activity for this long, in milliseconds. @default 0 */
  readonly olderThanMs?: number;
  /** Only runs with these statuses; suspended and failed ones can still be resumed. @default ["completed"] */
  readonly statuses?: readonly Exclude<RunStatus, "running">[];
  /** How many of the selected runs to keep, the latest first. @default 0 */
  readonly keepLatest?: number;
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

const PRUNE_OPTIONS: OptionTable<PruneRunsOptions> = {
  olderThanMs: milliseconds,
  statuses: listOf(oneOf(["completed", "suspended", "failed", "cancelled"]), "a list of statuses"),
  keepLatest: wholeNumber,
  now: aFunction,
};

/** The result of {@link pruneRuns}. */
export interface PrunedRuns {
  readonly deleted: readonly string[];
  /** Runs that could not be read or deleted, and why; they are kept. */
  readonly failed: readonly { readonly runId: string; readonly error: unknown }[];
}

/**
 * Deletes runs that have ended. Runs that are being executed are kept.
 *
 * ```ts
 * await pruneRuns(saver, { olderThanMs: 30 * 86_400_000, statuses: ["completed", "cancelled"] });
 * ```
 *
 * @throws InvalidOptionsError; JournalReadError when the runs cannot be listed
 */
export async function pruneRuns(checkpointer: Checkpointer, options: PruneRunsOptions = {}): Promise<PrunedRuns> {
  assertOptions("pruneRuns", options, { table: PRUNE_OPTIONS });
  const { olderThanMs = 0, statuses = ["completed"], keepLatest = 0, now = Date.now } = options;
  const latest = now() - olderThanMs;
  const failed: { readonly runId: string; readonly error: unknown }[] = [];
  const over: { readonly runId: string; readonly updatedAt: number }[] = [];
  for (const runId of await checkpointer.list()) {
    try {
      const { status, updatedAt } = await readRunSummary(checkpointer, runId);
      if (statuses.some((wanted) => wanted === status)) over.push({ runId, updatedAt });
    } catch (error) {
      // Another process may have deleted it meanwhile.
      if (!(error instanceof UnknownRunError)) failed.push({ runId, error });
    }
  }
  const chosen = over
    .sort((left, right) => right.updatedAt - left.updatedAt)
    .slice(keepLatest)
    .filter(({ updatedAt }) => updatedAt <= latest);
  const deleted: string[] = [];
  for (const { runId } of chosen) {
    try {
      await checkpointer.delete(runId);
      deleted.push(runId);
    } catch (error) {
      // A run that was resumed meanwhile has not ended.
      const isGone = error instanceof UnknownRunError || error instanceof RunLockedError;
      if (!isGone) failed.push({ runId, error });
    }
  }
  return { deleted, failed };
}
