import { afterAll, afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { appendFile, cp, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkpointerConformance } from "../../testkit/conformance/saver/checkpointer-conformance.ts";
import { graph } from "../builder.ts";
import {
  JournalCorruptError,
  JournalReadError,
  RunExistsError,
  RunLockedError,
  UnknownRunError,
} from "../errors/errors.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";
import { node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import { FileSaver } from "./file-saver.ts";
import { HEAD_LENGTH } from "./journal-format.ts";

const places = new SaverPlaces();
afterEach(() => void setSystemTime());
afterAll(() => places.cleanUp());

checkpointerConformance("FileSaver", () => places.create("file"), {
  startProcess: (saver, action, runId) => places.startProcess(saver, action, runId),
});
checkpointerConformance("FileSaver with on-close", async () => {
  return new FileSaver({ directory: await places.createFolder(), durability: "on-close" });
});

const record = (sequence: number, body = `{"sequence":${sequence}}`): JournalEntry => ({
  sequence,
  kind: "record",
  body,
});
const snapshot = (sequence: number): JournalEntry => ({ sequence, kind: "snapshot", body: "{}" });

/** A folder with the journal of the run "r". */
async function createJournal(entries: readonly JournalEntry[]) {
  const directory = await places.createFolder();
  const saver = new FileSaver({ directory, durability: "on-close" });
  const journal = await saver.open("r", "create");
  for (const entry of entries) await journal.append(entry);
  await journal.close();
  const path = join(directory, "r.journal");
  return { directory, saver, path, text: await readFile(path, "utf8") };
}

/** Opens the run and lets go of it. */
async function loadRun(saver: FileSaver): Promise<readonly JournalEntry[]> {
  const journal = await saver.open("r", "resume");
  try {
    return await journal.load();
  } finally {
    await journal.close();
  }
}

describe("a journal file", () => {
  test("has a line for each entry, and is for its owner only", async () => {
    const directory = join(await places.createFolder(), "deep/er");
    const journal = await new FileSaver(directory).open("a/b", "create");
    await journal.append(record(1, '{"type":"run"}'));
    await journal.append(snapshot(2));
    expect((await readdir(directory)).toSorted()).toEqual([".ends", ".locks", "a%2fb.journal"]);
    await journal.close();
    expect(await readdir(directory)).toEqual(["a%2fb.journal"]);
    const path = join(directory, "a%2fb.journal");
    expect((await readFile(path, "utf8")).split("\n")).toEqual([
      expect.stringMatching(/^atomic-journal 1 \d{13} [0-9a-f]{8} "a\/b"$/),
      expect.stringMatching(/^0000000001 r 0000000014 [0-9a-f]{8} 000000000000 [0-9a-f]{8} \{"type":"run"\}$/),
      expect.stringMatching(/^0000000002 s 0000000002 [0-9a-f]{8} [0-9a-f]{12} [0-9a-f]{8} \{\}$/),
      "",
    ]);
    expect([(await stat(directory)).mode & 0o777, (await stat(path)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test("is there only when the run has an entry", async () => {
    const directory = await places.createFolder();
    const journal = await new FileSaver(directory).open("r", "create");
    expect(await readdir(directory)).toEqual([".locks"]);
    expect(await journal.load()).toEqual([]);
    await journal.close();
    expect(await readdir(directory)).toEqual([]);
  });

  test("takes entries that are appended without waiting", async () => {
    const saver = new FileSaver(await places.createFolder());
    const journal = await saver.open("r", "create");
    const entries = Array.from({ length: 50 }, (_, index) => record(index + 1));
    await Promise.all(entries.map((entry) => journal.append(entry)));
    expect(await saver.read("r")).toEqual(entries);
    await journal.close();
  });

  test("whose last line is incomplete continues after the line before", async () => {
    const { saver, path } = await createJournal([record(1), record(2)]);
    await appendFile(path, "0000000003 r 00000");
    expect(await saver.read("r")).toEqual([record(1), record(2)]);
    const journal = await saver.open("r", "resume");
    expect(await journal.load()).toEqual([record(1), record(2)]);
    await journal.append(record(3));
    await journal.close();
    expect(await saver.read("r")).toEqual([record(1), record(2), record(3)]);
  });

  test("that ends with the NULs of a power failure continues after the last complete line", async () => {
    const { saver, path } = await createJournal([record(1), record(2)]);
    await appendFile(path, Buffer.alloc(10_000));
    expect(await loadRun(saver)).toEqual([record(1), record(2)]);
    expect(await saver.read("r")).toEqual([record(1), record(2)]);
  });

  test("with less than one entry is the journal of no run", async () => {
    const { saver, path, text } = await createJournal([record(1)]);
    for (const length of [0, 10, text.indexOf("\n") + 1, text.length - 1]) {
      await writeFile(path, text.slice(0, length));
      expect(await saver.list()).toEqual([]);
      expect(await rejectionOf(saver.read("r"))).toEqual(new UnknownRunError("r"));
      expect(await rejectionOf(saver.open("r", "resume"))).toEqual(new UnknownRunError("r"));
    }
    await (await saver.open("r", "create")).close();
  });
});

describe("a damaged journal file", () => {
  const entries = [record(1), record(2), snapshot(3), record(4), record(5)];
  const bodyAt = (text: string, sequence: number): number =>
    text.indexOf(`${sequence}`.padStart(10, "0")) + HEAD_LENGTH;

  test.each([1, 2, 3, 4, 5])(
    "is rejected from entry %d on, and continues before it when truncated",
    async (sequence) => {
      const { saver, path, text } = await createJournal(entries);
      const place = bodyAt(text, sequence);
      await writeFile(path, `${text.slice(0, place)}?${text.slice(place + 1)}`);
      const error = new JournalCorruptError("r", sequence, "its checksum does not match");
      expect(await rejectionOf(saver.read("r"))).toEqual(error);
      expect(error.lastGoodSequence).toBe(sequence - 1);
      expect(await saver.list()).toEqual(["r"]);
      expect(await rejectionOf(saver.open("r", "create"))).toEqual(new RunExistsError("r"));
      expect(await rejectionOf(saver.truncate("r", sequence))).toEqual(error);
      await saver.truncate("r", error.lastGoodSequence);
      if (sequence === 1) return expect(await saver.list()).toEqual([]);
      expect(await saver.read("r")).toEqual(entries.slice(0, sequence - 1));
      expect((await loadRun(saver)).at(-1)).toEqual(entries[sequence - 2] ?? record(0));
    },
  );

  test("says how to continue", async () => {
    expect(new JournalCorruptError("r", 5, "its checksum does not match").message).toBe(
      'The journal of the run "r" is damaged at entry 5 (its checksum does not match). The entries up to 4 are intact. Call truncate("r", 4) of the checkpointer, which drops what follows, then resume the run.',
    );
    expect(new JournalCorruptError("r", 1, "its first line is damaged").message).toBe(
      'The journal of the run "r" is damaged at entry 1 (its first line is damaged). No entry before it is intact. Restore the journal from a backup, or start a new run.',
    );
  });

  test("loads when only entries before its latest snapshot are damaged", async () => {
    const { saver, path, text } = await createJournal(entries);
    const place = bodyAt(text, 2);
    await writeFile(path, `${text.slice(0, place)}?${text.slice(place + 1)}`);
    expect(await loadRun(saver)).toEqual(entries.slice(2));
  });

  test("is not held by the attempt to open it", async () => {
    const { saver, path } = await createJournal(entries);
    await appendFile(path, `${"x".repeat(100)}\n`);
    const error = new JournalCorruptError("r", 6, "its head is damaged");
    expect(await rejectionOf(saver.open("r", "resume"))).toEqual(error);
    expect(await rejectionOf(saver.open("r", "resume"))).toEqual(error);
    expect(await saver.isHeld("r")).toBe(false);
  });

  test("does not hide other runs, nor itself, in the list", async () => {
    const { saver, path, directory, text } = await createJournal(entries);
    await writeFile(path, `A${text.slice(1)}`);
    const other = await saver.open("other", "create");
    await other.append(record(1));
    await other.close();
    await writeFile(join(directory, "notes.txt"), "mine");
    expect(await saver.list()).toEqual(["r", "other"]);
    expect(await rejectionOf(saver.read("r"))).toEqual(new JournalCorruptError("r", 1, "its first line is damaged"));
    await saver.delete("r");
    expect(await saver.list()).toEqual(["other"]);
  });

  test("of another run is rejected", async () => {
    const { saver, path, directory } = await createJournal(entries);
    await cp(path, join(directory, "copy.journal"));
    expect(await rejectionOf(saver.read("copy"))).toEqual(
      new JournalCorruptError("copy", 1, 'the file is the journal of the run "r"'),
    );
    expect((await saver.list()).toSorted()).toEqual(["copy", "r"]);
  });

  test("with the lines of another run is rejected when the run is resumed", async () => {
    const directory = await places.createFolder();
    const compiled = graph(TestState)
      .start(node("a"))
      .end()
      .compile({ checkpointer: new FileSaver(directory) });
    for (const runId of ["mine", "other"]) await compiled.run({}, { runId });
    const [mine = "", other = ""] = await Promise.all(
      ["mine", "other"].map((runId) => readFile(join(directory, `${runId}.journal`), "utf8")),
    );
    const header = mine.slice(0, mine.indexOf("\n"));
    await writeFile(join(directory, "mine.journal"), header + other.slice(other.indexOf("\n")));
    const error = await rejectionOf(compiled.resume("mine"));
    expect(error).toEqual(new JournalCorruptError("mine", 1, 'it begins the run "other"'));
  });

  test("that cannot be opened is no damaged one", async () => {
    const { saver, path } = await createJournal(entries);
    await rename(path, `${path}.away`);
    await mkdir(path);
    const error = await rejectionOf(saver.read("r"));
    expect(error).toBeInstanceOf(JournalReadError);
    expect(error.message).toStartWith('The journal of the run "r" cannot be read (EISDIR');
  });
});

test("a writer whose run another one took writes nothing any more", async () => {
  const { saver, directory } = await createJournal([record(1)]);
  const journal = await saver.open("r", "resume");
  const locks = join(directory, ".locks");
  const [claim = ""] = await readdir(locks);
  await Bun.file(join(locks, claim)).delete();
  setSystemTime(Date.now() + 3_600_000);
  expect(() => journal.append(record(2))).toThrow(new RunLockedError("r"));
  expect(() => journal.append(record(2))).toThrow(new RunLockedError("r"));
  await journal.close();
  expect(await saver.read("r")).toEqual([record(1)]);
});

test.skipIf(Bun.which("node") === null)(
  "a run held by a Node process is held here too, and continues here afterwards",
  async () => {
    const directory = await places.createFolder();
    const { outputs } = await Bun.build({
      entrypoints: [join(import.meta.dirname, "../fixtures/saver-process.ts")],
      outdir: await places.createFolder(),
      target: "node",
    });
    const script = outputs[0]?.path ?? "";
    const saver = new FileSaver(directory);
    const holder = places.startScript("node", [script, "file", directory, "hold", "r"]);
    expect(await holder.next()).toEqual({ type: "held" });
    expect(await rejectionOf(saver.open("r", "resume"))).toEqual(new RunLockedError("r", "hold process"));
    await holder.kill();
    expect(await loadRun(saver)).toEqual([record(1, "held")]);
    const next = places.startScript("node", [script, "file", directory, "resume", "r"]);
    expect(await next.next()).toEqual({ type: "ready" });
    next.go();
    expect(await next.next()).toEqual({ type: "got" });
    expect([await saver.isHeld("r"), await saver.read("r")]).toEqual([true, [record(1, "held"), record(2, "resume")]]);
    await next.kill();
    expect(await saver.isHeld("r")).toBe(false);
  },
);

describe("a long journal", () => {
  const COUNT = 100_000;
  const LATE = COUNT - 10;

  test("is loaded from its latest snapshot, whatever precedes it (E5)", async () => {
    const entries = Array.from({ length: COUNT }, (_, index) =>
      index + 1 === LATE ? snapshot(LATE) : record(index + 1, `{"n":${index},"text":"${"x".repeat(80)}"}`),
    );
    const { saver, path, text } = await createJournal(entries);
    // Not even looked at: with anything else in its place the journal loads all the same.
    const bytes = await readFile(path);
    bytes.fill("x", text.indexOf("\n") + 1, text.indexOf(`\n00000${LATE} s`));
    await writeFile(path, bytes);
    expect(await loadRun(saver)).toEqual(entries.slice(LATE - 1));
    expect(await rejectionOf(saver.read("r"))).toEqual(new JournalCorruptError("r", 1, "its head is damaged"));
  });
});
