import type { Checkpointer } from "./checkpointer.ts";
import { decodeRecord, type JournalRecord } from "./journal-record.ts";

/** Records of a run that were written and are gone. */
export interface LostRecords {
  /** How many. */
  readonly count: number;
  /** When the last record before them was written, in milliseconds since 1970. */
  readonly after: number;
  /** The visit of a node that this record is about; absent when it is about the run. */
  readonly afterTask?: string;
}

/** What the end of a run's journal has lost; `undefined` when nobody knows of anything. @throws JournalCorruptError */
export async function findLostRecords(checkpointer: Checkpointer, runId: string): Promise<LostRecords | undefined> {
  const loss = await checkpointer.findLoss?.(runId);
  if (loss === undefined) return undefined;
  const last = (await checkpointer.read(runId)).findLast(({ kind }) => kind === "record");
  return { count: loss.count, ...momentOf(last && decodeRecord(last.body)) };
}

/** Which moment a record tells of. */
export function momentOf(record: JournalRecord | undefined): Omit<LostRecords, "count"> {
  return { after: record?.at ?? 0, ...(record !== undefined && "task" in record ? { afterTask: record.task } : {}) };
}

/** What a person has to know about records that are gone. */
export function describeLoss(runId: string, { count, after, afterTask }: LostRecords): string {
  const lost = count === 1 ? "its last record" : `its last ${count} records`;
  const time = `${new Date(after).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const moment = afterTask === undefined ? time : `"${afterTask}" at ${time}`;
  return `The end of the journal of the run "${runId}" was damaged: ${lost}, after ${moment}, ${count === 1 ? "is" : "are"} lost. What was done then is done again.`;
}
