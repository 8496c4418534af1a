import { describe, expect, test } from "bun:test";
import {
  type Checkpointer,
  type JournalEntry,
  RunExistsError,
  type RunJournal,
  RunLockedError,
  UnknownRunError,
} from "../../../graph/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import { describeProcesses, type StartSaverProcess } from "./checkpointer-process-conformance.ts";
import { describeMailbox } from "./mailbox-conformance.ts";

/** Creates an empty saver. */
type CreateSaver = () => Checkpointer | Promise<Checkpointer>;

const RECORD = (sequence: number, body = `{"sequence":${sequence}}`): JournalEntry => ({
  sequence,
  kind: "record",
  body,
});
const SNAPSHOT = (sequence: number): JournalEntry => ({ sequence, kind: "snapshot", body: "{}" });

/** Settings of {@link checkpointerConformance}. */
export interface CheckpointerConformanceOptions {
  /** Absent for a saver that only one process can use. */
  readonly startProcess?: StartSaverProcess;
}

/**
 * What every {@link Checkpointer} must do. Call it at the top of a test file:
 *
 * ```ts
 * checkpointerConformance("MemorySaver", () => new MemorySaver());
 * ```
 */
export function checkpointerConformance(
  name: string,
  createSaver: CreateSaver,
  { startProcess }: CheckpointerConformanceOptions = {},
): void {
  describe(`${name} as a Checkpointer`, () => {
    describeEntries(createSaver);
    describeTexts(createSaver);
    describeExistence(createSaver);
    describeHolding(createSaver);
    describeDeleting(createSaver);
    describeTruncating(createSaver);
    describeReplacing(createSaver);
    describeMailbox(createSaver);
    if (startProcess !== undefined) describeProcesses(createSaver, startProcess);
  });
}

/** Writes a run and closes it. */
async function writeRun(saver: Checkpointer, runId: string, entries: readonly JournalEntry[]): Promise<void> {
  const journal = await saver.open(runId, "create");
  await appendAll(journal, entries);
  await journal.close();
}

async function appendAll(journal: RunJournal, entries: readonly JournalEntry[]): Promise<void> {
  for (const entry of entries) await journal.append(entry);
}

function describeEntries(createSaver: CreateSaver): void {
  test("returns what was written, even when it is opened again", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", [RECORD(1), RECORD(2)]);
    const journal = await saver.open("r", "resume");
    expect(await journal.load()).toEqual([RECORD(1), RECORD(2)]);
    await journal.append(RECORD(3));
    await journal.close();
    expect(await saver.read("r")).toEqual([RECORD(1), RECORD(2), RECORD(3)]);
  });

  test("loads the latest snapshot and the entries after it, but reads all entries", async () => {
    const saver = await createSaver();
    const entries = [RECORD(1), SNAPSHOT(2), RECORD(3), SNAPSHOT(4), RECORD(5)];
    await writeRun(saver, "r", entries);
    const journal = await saver.open("r", "resume");
    expect(await journal.load()).toEqual([SNAPSHOT(4), RECORD(5)]);
    await journal.close();
    expect(await saver.read("r")).toEqual(entries);
  });

  test("can be read while it is written", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    for (const sequence of [1, 2, 3]) {
      await journal.append(RECORD(sequence));
      expect(await saver.read("r")).toHaveLength(sequence);
    }
    await journal.close();
  });

  test("separates runs that are written alternately", async () => {
    const saver = await createSaver();
    const [left, right] = [await saver.open("left", "create"), await saver.open("right", "create")];
    await left.append(RECORD(1, "left 1"));
    await right.append(RECORD(1, "right 1"));
    await left.append(RECORD(2, "left 2"));
    await left.close();
    await right.append(RECORD(2, "right 2"));
    await right.close();
    expect(await saver.read("left")).toEqual([RECORD(1, "left 1"), RECORD(2, "left 2")]);
    expect(await saver.read("right")).toEqual([RECORD(1, "right 1"), RECORD(2, "right 2")]);
  });

  test("entries that were read do not change afterwards", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    await journal.append(RECORD(1));
    const entries = await saver.read("r");
    const loaded = await journal.load();
    await journal.append(RECORD(2));
    expect([entries, loaded]).toEqual([[RECORD(1)], [RECORD(1)]]);
    await journal.close();
  });
}

function describeTexts(createSaver: CreateSaver): void {
  test.each([
    { title: "an empty text", body: "" },
    { title: "letters of all kinds", body: "ä€𝄞\u0000\u0007\u2028'\"%;--" },
    { title: "a text of several lines", body: '{\n  "a": 1\r\n}\n' },
    { title: "a long text", body: "x".repeat(1_000_000) },
  ])("keeps $title exactly", async ({ body }) => {
    const saver = await createSaver();
    await writeRun(saver, "r", [RECORD(1, body)]);
    expect((await saver.read("r"))[0]?.body === body).toBe(true);
  });

  test.each([
    "",
    "../up",
    "a/b",
    "a\\b",
    ".",
    "..",
    "/etc/passwd",
    "C:\\a",
    "nul",
    "Case",
    "case",
    "with space",
    "50%",
    "ü",
    "u\u0308",
    "a\nb",
    "'; DROP TABLE runs; --",
    "x".repeat(200),
    "Ü".repeat(200),
  ])("takes any id: %p", async (runId) => {
    const saver = await createSaver();
    await writeRun(saver, runId, [RECORD(1)]);
    const journal = await saver.open(runId, "resume");
    expect(await saver.isHeld(runId)).toBe(true);
    await journal.append(RECORD(2));
    await journal.close();
    expect(await saver.list()).toEqual([runId]);
    expect(await saver.read(runId)).toEqual([RECORD(1), RECORD(2)]);
    await saver.truncate(runId, 1);
    expect(await saver.read(runId)).toEqual([RECORD(1)]);
    await saver.delete(runId);
    expect(await saver.list()).toEqual([]);
  });

  test("separates runs with similar ids", async () => {
    const saver = await createSaver();
    const runIds = ["case", "Case", "a/b", "a%2fb", "a@b", "a", "x".repeat(200), "x".repeat(201), "ü", "u\u0308"];
    for (const runId of runIds) await writeRun(saver, runId, [RECORD(1, runId)]);
    const held = await saver.open("a", "resume");
    for (const runId of runIds) {
      expect((await saver.read(runId)).map(({ body }) => body)).toEqual([runId]);
      expect([runId, await saver.isHeld(runId)]).toEqual([runId, runId === "a"]);
    }
    await held.close();
    expect((await saver.list()).toSorted()).toEqual(runIds.toSorted());
  });
}

function describeExistence(createSaver: CreateSaver): void {
  test("rejects creating a run that exists", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", [RECORD(1)]);
    expect(await rejectionOf(saver.open("r", "create"))).toEqual(new RunExistsError("r"));
    expect(await saver.read("r")).toEqual([RECORD(1)]);
  });

  test("rejects resuming, reading or deleting a run that does not exist", async () => {
    const saver = await createSaver();
    await writeRun(saver, "other", [RECORD(1)]);
    const unknown = new UnknownRunError("r");
    expect(await rejectionOf(saver.open("r", "resume"))).toEqual(unknown);
    expect(await rejectionOf(saver.read("r"))).toEqual(unknown);
    expect(await rejectionOf(saver.delete("r"))).toEqual(unknown);
    expect(await rejectionOf(saver.truncate("r", 1))).toEqual(unknown);
    expect(await saver.list()).toEqual(["other"]);
  });

  test("a run without an entry does not exist, and can be created again", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", []);
    const unknown = new UnknownRunError("r");
    expect(await saver.list()).toEqual([]);
    expect(await rejectionOf(saver.open("r", "resume"))).toEqual(unknown);
    expect(await rejectionOf(saver.read("r"))).toEqual(unknown);
    await writeRun(saver, "r", [RECORD(1)]);
    expect(await saver.read("r")).toEqual([RECORD(1)]);
  });

  test("lists runs, oldest first", async () => {
    const saver = await createSaver();
    expect(await saver.list()).toEqual([]);
    for (const runId of ["b", "c", "a"]) {
      await writeRun(saver, runId, [RECORD(1)]);
      // Two runs of one millisecond have no order.
      const now = Date.now();
      while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await saver.list()).toEqual(["b", "c", "a"]);
  });
}

function describeHolding(createSaver: CreateSaver): void {
  test("leases a run to one writer until it closes", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    expect(await rejectionOf(saver.open("r", "create"))).toBeInstanceOf(RunLockedError);
    await journal.append(RECORD(1));
    expect(await rejectionOf(saver.open("r", "resume"))).toBeInstanceOf(RunLockedError);
    expect(await rejectionOf(saver.open("r", "create"))).toBeInstanceOf(RunLockedError);
    await journal.append(RECORD(2));
    await journal.close();
    const again = await saver.open("r", "resume");
    expect(await again.load()).toEqual([RECORD(1), RECORD(2)]);
    await again.close();
  });

  test("reports whether a run is held, without holding it", async () => {
    const saver = await createSaver();
    expect(await saver.isHeld("r")).toBe(false);
    const journal = await saver.open("r", "create");
    await journal.append(RECORD(1));
    expect(await Promise.all([1, 2, 3].map(() => saver.isHeld("r")))).toEqual([true, true, true]);
    await journal.close();
    expect(await saver.isHeld("r")).toBe(false);
    const [isHeld, again] = await Promise.all([saver.isHeld("r"), saver.open("r", "resume")]);
    expect(typeof isHeld).toBe("boolean");
    await again.close();
  });

  test("opens a run for one of several simultaneous callers", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", [RECORD(1)]);
    const opened = await Promise.allSettled([1, 2, 3, 4].map(() => saver.open("r", "resume")));
    expect(opened.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    for (const result of opened) {
      if (result.status === "rejected") expect(result.reason).toBeInstanceOf(RunLockedError);
      else await result.value.close();
    }
  });

  test("releases once: a second close() does not end another writer's lease", async () => {
    const saver = await createSaver();
    const first = await saver.open("r", "create");
    await first.append(RECORD(1));
    await first.close();
    const second = await saver.open("r", "resume");
    await first.close();
    expect(await rejectionOf(saver.open("r", "resume"))).toBeInstanceOf(RunLockedError);
    await second.close();
  });

  test("releases a run that could not be opened", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", [RECORD(1)]);
    await rejectionOf(saver.open("r", "create"));
    await rejectionOf(saver.open("new", "resume"));
    const journals = [await saver.open("r", "resume"), await saver.open("new", "create")];
    for (const journal of journals) await journal.close();
  });
}

function describeDeleting(createSaver: CreateSaver): void {
  test("forgets a run that is deleted, and nothing else", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", [RECORD(1), SNAPSHOT(2)]);
    await writeRun(saver, "other", [RECORD(1)]);
    await saver.delete("r");
    expect(await saver.list()).toEqual(["other"]);
    expect(await rejectionOf(saver.read("r"))).toEqual(new UnknownRunError("r"));
    await writeRun(saver, "r", [RECORD(1, "anew")]);
    expect(await saver.read("r")).toEqual([RECORD(1, "anew")]);
  });

  test("rejects deleting a run that is held", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    await journal.append(RECORD(1));
    expect(await rejectionOf(saver.delete("r"))).toBeInstanceOf(RunLockedError);
    await journal.close();
    expect(await saver.read("r")).toEqual([RECORD(1)]);
  });
}

function describeTruncating(createSaver: CreateSaver): void {
  const entries = [RECORD(1), SNAPSHOT(2), RECORD(3), SNAPSHOT(4), RECORD(5)];

  test.each([
    { lastSequence: 1, loaded: [RECORD(1)] },
    { lastSequence: 2, loaded: [SNAPSHOT(2)] },
    { lastSequence: 3, loaded: [SNAPSHOT(2), RECORD(3)] },
    { lastSequence: 4, loaded: [SNAPSHOT(4)] },
    { lastSequence: 5, loaded: [SNAPSHOT(4), RECORD(5)] },
    { lastSequence: 99, loaded: [SNAPSHOT(4), RECORD(5)] },
  ])("drops the entries after $lastSequence and continues from there", async ({ lastSequence, loaded }) => {
    const saver = await createSaver();
    await writeRun(saver, "r", entries);
    await writeRun(saver, "other", entries);
    await saver.truncate("r", lastSequence);
    const kept = entries.slice(0, lastSequence);
    expect(await saver.read("r")).toEqual(kept);
    const journal = await saver.open("r", "resume");
    expect(await journal.load()).toEqual(loaded);
    await journal.append(RECORD(kept.length + 1, "anew"));
    await journal.close();
    expect(await saver.read("r")).toEqual([...kept, RECORD(kept.length + 1, "anew")]);
    expect(await saver.read("other")).toEqual(entries);
  });

  test("forgets a run without remaining entries", async () => {
    const saver = await createSaver();
    await writeRun(saver, "r", entries);
    await saver.truncate("r", 0);
    expect(await saver.list()).toEqual([]);
    expect(await rejectionOf(saver.read("r"))).toEqual(new UnknownRunError("r"));
  });

  test("rejects dropping entries of a run that is held", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    await appendAll(journal, [RECORD(1), RECORD(2)]);
    expect(await rejectionOf(saver.truncate("r", 1))).toBeInstanceOf(RunLockedError);
    await journal.close();
    expect(await saver.read("r")).toEqual([RECORD(1), RECORD(2)]);
  });
}

function describeReplacing(createSaver: CreateSaver): void {
  test("replaces all entries, and continues after the new ones", async () => {
    const saver = await createSaver();
    await writeRun(saver, "other", [RECORD(1)]);
    await writeRun(saver, "r", [RECORD(1), SNAPSHOT(2), RECORD(3)]);
    const journal = await saver.open("r", "resume");
    await journal.replace([RECORD(1, "compact\n\u0000"), RECORD(2, "")]);
    expect(await saver.read("r")).toEqual([RECORD(1, "compact\n\u0000"), RECORD(2, "")]);
    expect(await journal.load()).toEqual([RECORD(1, "compact\n\u0000"), RECORD(2, "")]);
    await journal.append(RECORD(3, "behind"));
    await journal.close();
    const again = await saver.open("r", "resume");
    expect(await again.load()).toEqual([RECORD(1, "compact\n\u0000"), RECORD(2, ""), RECORD(3, "behind")]);
    await again.replace([RECORD(1), SNAPSHOT(2), RECORD(3)]);
    expect(await again.load()).toEqual([SNAPSHOT(2), RECORD(3)]);
    await again.close();
    expect(await saver.read("other")).toEqual([RECORD(1)]);
    expect(await saver.list()).toEqual(["other", "r"]);
  });

  test("replaces entries that it has written itself", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    await appendAll(journal, [RECORD(1), RECORD(2)]);
    await journal.replace([RECORD(1, "all of it")]);
    await journal.append(RECORD(2, "next"));
    await journal.close();
    expect(await saver.read("r")).toEqual([RECORD(1, "all of it"), RECORD(2, "next")]);
  });
}
