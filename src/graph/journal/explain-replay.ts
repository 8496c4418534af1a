import { messageOf } from "../../contracts/index.ts";
import { recordedErrorOf } from "../decide/records/failure.ts";
import type { JournalRecord } from "../decide/records/journal-record.ts";
import type { RunState } from "../decide/records/run-state.ts";
import { StateChangedError } from "../errors/state-changed-error.ts";
import { UnfitUpdateError } from "../errors/unfit-update-error.ts";
import { assertFits, FailedDefaultError, type StateRecord } from "../state/state-update.ts";

/** The error for a record that is intact, but that the workflow's own code rejects today; undefined for any other error. */
export function explainReplay(run: RunState, record: JournalRecord, error: unknown): StateChangedError | undefined {
  const unfit = error instanceof UnfitUpdateError ? error : findUnfit(run, record);
  return unfit === undefined
    ? (explainDefault(run.runId, error) ?? explainFailedJoin(run))
    : codeThrew(run.runId, `the reducer of "${unfit.field}" throws on what the run has stored`, unfit.cause);
}

/** Rejects a run in which a join fails today that did not fail before: the run did not end as failed. @throws StateChangedError */
export function assertJoined(run: RunState, record: JournalRecord): void {
  if (record.type !== "end" || (record.status !== "suspended" && record.status !== "completed")) return;
  const failedJoin = explainFailedJoin(run);
  if (failedJoin !== undefined) throw failedJoin;
}

function explainFailedJoin({ runId, fatal }: RunState): StateChangedError | undefined {
  // Only the failure of a join is kept alive by replay.
  if (fatal?.live === undefined) return undefined;
  return codeThrew(runId, `what joins the branches of "${fatal.nodeId}" throws on what the run has stored`, fatal.live);
}

/** The same for the initial values of a state. */
export function explainDefault(runId: string, error: unknown): StateChangedError | undefined {
  if (!(error instanceof FailedDefaultError)) return undefined;
  return codeThrew(runId, `the default of "${error.field}" throws`, error.cause);
}

/** A rejected record has changed nothing, so its update meets the same state as before. */
function findUnfit({ tasks, main }: RunState, record: JournalRecord): UnfitUpdateError | undefined {
  if (!("update" in record) || record.update === undefined) return undefined;
  const thread = "task" in record ? tasks.get(record.task)?.thread : main;
  if (thread === undefined) return undefined;
  const set = record.type === "edit" ? record.set : {};
  try {
    // The cast is true: fields that an edit sets are fields of the state.
    assertFits(thread.code.rules, { ...thread.state, ...set } as StateRecord, record.update);
    return undefined;
  } catch (error) {
    return error instanceof UnfitUpdateError ? error : undefined;
  }
}

function codeThrew(runId: string, what: string, thrown: unknown): StateChangedError {
  const { frame } = recordedErrorOf(thrown);
  const place = frame === undefined ? "" : ` (${frame})`;
  const differences = [`${what}: ${messageOf(thrown)}${place}`];
  return new StateChangedError(runId, differences, { remedy: "Restore it, or start a new run.", cause: thrown });
}
