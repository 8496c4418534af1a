import { decodeRecord } from "../decide/records/journal-record.ts";
import { RunFinishedError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import { JournalWriter } from "./journal-writer.ts";

/**
 * Marks a run that no process executes as cancelled, without its graph. The run can still be resumed.
 *
 * @throws UnknownRunError, RunFinishedError; RunLockedError when a process executes it: cancel it there
 */
export async function cancelRun(checkpointer: Checkpointer, runId: string): Promise<void> {
  const journal = await checkpointer.open(runId, "resume");
  try {
    const { count: lost } = (await checkpointer.findLoss?.(runId)) ?? {};
    const entries = await journal.load();
    const last = entries.at(-1);
    const lastRecord = last?.kind === "record" ? decodeRecord(last.body) : undefined;
    if (lastRecord?.type === "end" && lastRecord.status === "completed") throw new RunFinishedError(runId);
    const start = { sequence: last?.sequence ?? 0, snapshotLength: 0, lengthSinceSnapshot: 0 };
    await new JournalWriter(journal, runId, start).append({
      ...{ type: "end", at: Date.now(), status: "cancelled" },
      ...given({ lost }),
    });
  } finally {
    await journal.close();
  }
}
