import { decodeRecord, type JournalRecord, type LostRecords } from "../decide/records/journal-record.ts";
import type { Checkpointer, JournalEntry } from "../model/checkpointer.ts";

/** The records lost at the end of a run's journal; `undefined` when no loss is known. @throws JournalCorruptError */
export async function findLostRecords(checkpointer: Checkpointer, runId: string): Promise<LostRecords | undefined> {
  const loss = await checkpointer.findLoss?.(runId);
  if (loss === undefined) return undefined;
  const last = (await checkpointer.read(runId)).findLast(({ kind }) => kind === "record");
  return { count: loss.count, ...momentOf(last && decodeRecord(last.body)) };
}

/** Losses in the journal that no resume has reported yet. @param loaded the journal from its latest snapshot on */
export async function readUnreportedLosses(
  checkpointer: Checkpointer,
  runId: string,
  loaded: readonly JournalEntry[],
): Promise<readonly LostRecords[]> {
  // Most journals have no losses, and need not be read and decoded again.
  if (!loaded.some(({ body }) => /"(?:lost|losses)":/.test(body))) return [];
  let losses: LostRecords[] = [];
  let last: JournalRecord | undefined;
  for (const { kind, body } of await checkpointer.read(runId)) {
    if (kind === "snapshot") continue;
    const record = decodeRecord(body);
    if (record.type === "run") losses = [...(record.losses ?? [])];
    else if (record.type === "resumed") losses = [];
    else if ("lost" in record && record.lost !== undefined) losses.push({ count: record.lost, ...momentOf(last) });
    last = record;
  }
  return losses;
}

/** The time and task of a record. */
export function momentOf(record: JournalRecord | undefined): Omit<LostRecords, "count"> {
  return { after: record?.at ?? 0, ...(record !== undefined && "task" in record ? { afterTask: record.task } : {}) };
}

/** A message about lost records. */
export function describeLoss(runId: string, { count, after, afterTask }: LostRecords): string {
  const lost = count === 1 ? "its last record" : `its last ${count} records`;
  const time = `${new Date(after).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const moment = afterTask === undefined ? time : `"${afterTask}" at ${time}`;
  return `The end of the journal of the run "${runId}" was damaged: ${lost}, after ${moment}, ${count === 1 ? "is" : "are"} lost. What was done then is done again.`;
}
