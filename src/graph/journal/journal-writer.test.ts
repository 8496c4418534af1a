import { describe, expect, test } from "bun:test";
import type { JournalRecord } from "../decide/records/journal-record.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import { JournalWriter, type JournalWriterOptions } from "./journal-writer.ts";

const START: JournalWriterOptions = { sequence: 0, snapshotLength: 0, lengthSinceSnapshot: 0 };
const STEP: JournalRecord = { type: "step", at: 1, task: "a", key: "k", value: 1 };
const BODY = '{"type":"step","at":1,"task":"a","key":"k","value":1}';

/** A journal whose writes end when the test says so. */
function slowJournal() {
  const entries: JournalEntry[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const journal = {
    load: () => [],
    close: () => undefined,
    replace: () => undefined,
    append: (entry: JournalEntry): Promise<void> => {
      entries.push(entry);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    },
  };
  return { entries, ends, journal };
}

function quickJournal() {
  const entries: JournalEntry[] = [];
  return {
    entries,
    journal: {
      load: () => [],
      close: () => undefined,
      replace: () => undefined,
      append: (entry: JournalEntry) => void entries.push(entry),
    },
  };
}

describe("a journal writer", () => {
  test("numbers entries from where the journal ends", () => {
    const { entries, journal } = quickJournal();
    const writer = new JournalWriter(journal, "r", { ...START, sequence: 7 });
    expect(writer.append(STEP)).toBeUndefined();
    expect(writer.appendSnapshot("{}")).toBeUndefined();
    expect(entries).toEqual([
      { sequence: 8, kind: "record", body: BODY },
      { sequence: 9, kind: "snapshot", body: "{}" },
    ]);
    expect(writer.sequence).toBe(9);
  });

  test("writes one entry at a time, in the order of the calls", async () => {
    const { entries, ends, journal } = slowJournal();
    const writer = new JournalWriter(journal, "r", START);
    const written = [writer.append(STEP), writer.append(STEP), writer.appendSnapshot("{}")];
    expect([entries.length, writer.sequence]).toEqual([1, 3]);
    for (const index of [0, 1, 2]) {
      ends[index]?.resolve();
      await written[index];
      await Promise.resolve();
      expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3].slice(0, Math.min(index + 2, 3)));
    }
    await writer.settle();
  });

  test("settles when nothing is being written any more, failed or not", async () => {
    const { ends, journal } = slowJournal();
    const writer = new JournalWriter(journal, "r", START);
    await writer.settle();
    const written = writer.append(STEP);
    ends[0]?.reject(new Error("disk full"));
    await writer.settle();
    expect((await rejectionOf(Promise.resolve(written))).message).toStartWith(
      'The journal of the run "r" cannot be written (disk full).',
    );
  });

  test("writes nothing after a failed write", async () => {
    const { entries, ends, journal } = slowJournal();
    const writer = new JournalWriter(journal, "r", START);
    const written = [writer.append(STEP), writer.append(STEP)].map((promise) => rejectionOf(Promise.resolve(promise)));
    ends[0]?.reject(new Error("disk full"));
    const [first, second] = await Promise.all(written);
    expect(second).toBe(first as Error); // the cast is true: both promises were rejected
    expect(() => writer.append(STEP)).toThrow('The journal of the run "r" cannot be written (disk full).');
    expect(entries).toHaveLength(1);
  });

  test("rejects a record it cannot encode, and continues", () => {
    const { entries, journal } = quickJournal();
    const writer = new JournalWriter(journal, "r", START);
    expect(() => writer.append({ ...STEP, value: { call: () => 1 } })).toThrow(
      'The value at "value.call" is a function',
    );
    void writer.append(STEP);
    expect(entries).toEqual([{ sequence: 1, kind: "record", body: BODY }]);
  });

  test("is due for a snapshot when the records outweigh the last one, and the least length", () => {
    const dueAfter = (options: Partial<JournalWriterOptions>): number => {
      const writer = new JournalWriter(quickJournal().journal, "r", { ...START, ...options });
      for (let count = 1; ; count++) {
        void writer.append(STEP);
        if (writer.isSnapshotDue) return count;
      }
    };
    const length = BODY.length;
    expect(dueAfter({ snapshotMinLength: 3 * length })).toBe(4);
    expect(dueAfter({ snapshotMinLength: 1, snapshotLength: 5 * length })).toBe(11);
    expect(dueAfter({ snapshotMinLength: 3 * length, lengthSinceSnapshot: 2 * length })).toBe(2);
    expect(dueAfter({})).toBe(Math.ceil((256 * 1024) / length));
  });

  test("restarts its count after a snapshot, and after a postponed one", () => {
    const writer = new JournalWriter(quickJournal().journal, "r", { ...START, snapshotMinLength: 1 });
    const due: boolean[] = [];
    const note = (): number => due.push(writer.isSnapshotDue);
    note();
    void writer.append(STEP);
    note();
    void writer.appendSnapshot("x".repeat(BODY.length));
    note();
    void writer.append(STEP);
    void writer.append(STEP);
    note();
    void writer.append(STEP);
    note();
    writer.postponeSnapshot();
    note();
    expect(due).toEqual([false, true, false, false, true, false]);
  });
});
