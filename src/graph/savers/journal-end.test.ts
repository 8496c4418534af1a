import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, readdirSync, readlinkSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createSaver, SaverPlaces } from "../fixtures/saver-places.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import { FileSaver } from "./file-saver.ts";
import { findLostEnd, JournalEnd } from "./journal-end.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

const entriesUpTo = (count: number): readonly JournalEntry[] =>
  Array.from({ length: count }, (_, index) => ({ sequence: index + 1, kind: "record", body: "{}" }));

async function createEnd() {
  const path = join(await places.createFolder(), "ends", "r");
  return { path, end: new JournalEnd(path) };
}

describe("the end of a journal that somebody writes", () => {
  test("is lost where the journal is shorter", async () => {
    const { path, end } = await createEnd();
    end.note(50);
    expect(await findLostEnd(path, async () => 47)).toEqual({ lastSequence: 47, count: 3 });
  });

  test.each([
    { title: "it grows", looks: [{ noted: [51], count: 51 }] },
    { title: "it is being compacted", looks: [{ noted: [0], count: 1 }] },
    {
      title: "it is compacted before its entries are counted",
      looks: [
        { noted: [0, 1], count: 1 },
        { noted: [], count: 1 },
      ],
    },
    {
      title: "it is compacted each time",
      looks: [
        { noted: [0, 40], count: 40 },
        { noted: [0, 2], count: 2 },
        { noted: [3], count: 3 },
      ],
    },
  ])("is not lost where $title", async ({ looks }) => {
    const { path, end } = await createEnd();
    end.note(50);
    let lookCount = 0;
    const found = await findLostEnd(path, async () => {
      const { noted, count } = looks[lookCount++] ?? { noted: [], count: 0 };
      for (const sequence of noted) end.note(sequence);
      return count;
    });
    expect([found, lookCount]).toEqual([undefined, looks.length]);
  });

  test("is not lost where a saver's journal is compacted while it is read", async () => {
    const directory = await places.createFolder();
    const journal = await new FileSaver({ directory }).open("r", "create");
    for (const entry of entriesUpTo(50)) await journal.append(entry);
    const saver = new (class extends FileSaver {
      override async read(runId: string) {
        await journal.replace(entriesUpTo(1));
        return await super.read(runId);
      }
    })({ directory });
    expect(await saver.findLoss("r")).toBeUndefined();
    await journal.close();
  });
});

test("the end of a journal that nothing was written to stays", async () => {
  const { path, end } = await createEnd();
  end.note(3);
  end.close();
  new JournalEnd(path).remove();
  await access(path);
});

/** Closes a file without its owner's knowledge, so that closing it again fails. */
function closeBehindTheBack(path: string): void {
  const isIt = (file: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`) === path;
    } catch {
      return false;
    }
  };
  for (const file of readdirSync("/proc/self/fd").filter(isIt)) closeSync(Number(file));
}

describe.skipIf(process.platform !== "linux")("a file that cannot be closed", () => {
  test.each(["file", "sqlite"] as const)("beside a %s journal is of no account", async (kind) => {
    const folder = await places.createFolder();
    const saver = createSaver(kind, folder);
    const journal = await saver.open("r", "create");
    for (const entry of entriesUpTo(1)) await journal.append(entry);
    closeBehindTheBack(join(folder, kind === "file" ? ".ends" : "runs.db.ends", "r"));
    await journal.close();
    expect([await saver.isHeld("r"), await saver.findLoss?.("r")]).toEqual([false, undefined]);
  });

  test("of a journal lets go of the run", async () => {
    const folder = await places.createFolder();
    const saver = createSaver("file", folder);
    const journal = await saver.open("r", "create");
    for (const entry of entriesUpTo(1)) await journal.append(entry);
    closeBehindTheBack(join(folder, "r.journal"));
    expect(await rejectionOf(Promise.resolve(journal.close()))).toMatchObject({ code: "JOURNAL_WRITE" });
    expect(await saver.isHeld("r")).toBe(false);
  });
});
