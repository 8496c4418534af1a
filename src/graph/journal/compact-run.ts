import {
  type BeginningRecord,
  decodeRecord,
  encodeRecord,
  type JournalRecord,
  type LostRecords,
} from "../decide/records/journal-record.ts";
import type { RunState } from "../decide/records/run-state.ts";
import { JournalCorruptError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import type { Checkpointer, JournalEntry } from "../model/checkpointer.ts";
import { encodeSnapshot } from "./snapshot.ts";

type EndRecord = Extract<JournalRecord, { type: "end" }>;

/** The first record of a journal. @param loaded the entries loaded so far @throws JournalCorruptError */
export async function findBeginning(
  checkpointer: Checkpointer,
  runId: string,
  loaded: readonly JournalEntry[],
): Promise<BeginningRecord> {
  const [first] = loaded[0]?.sequence === 1 ? loaded : await checkpointer.read(runId);
  const record = first?.kind === "record" ? decodeRecord(first.body) : undefined;
  if (record?.type !== "run") throw new JournalCorruptError(runId, 1, "its beginning is missing");
  return record;
}

/** The first record of a journal whose run continues from a snapshot (E5). */
export function beginWith(snapshot: string, beginning: BeginningRecord): BeginningRecord {
  const { type, at, format, runId, workflow, fingerprint, nodes, forkedFrom } = beginning;
  const origin = given({ forkedFrom });
  return { type, at, format, runId, workflow, fingerprint, nodes, input: {}, ...origin, snapshot };
}

/** The entries that a run needs to continue from its current state. */
export function compactEntries(
  run: RunState,
  beginning: BeginningRecord,
  { lastEnd, losses }: { readonly lastEnd: EndRecord | undefined; readonly losses: readonly LostRecords[] },
): readonly JournalEntry[] {
  const records = [
    { ...beginWith(encodeSnapshot(run), beginning), ...(losses.length === 0 ? {} : { losses }) },
    // How the run ended is not in its state. The end's effect on usage and attempts is, and losses are in the first record.
    ...(lastEnd === undefined ? [] : [withoutEffects(lastEnd)]),
  ];
  return records.map((record, index) => ({ sequence: index + 1, kind: "record", body: encodeRecord(record) }));
}

function withoutEffects(record: EndRecord): JournalRecord {
  const { usage: _usage, agent: _agent, usageByAgent: _parts, unbegun: _unbegun, lost: _lost, ...end } = record;
  return end;
}
