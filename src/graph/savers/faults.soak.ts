import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createStoppedRun, cutAndGoOn, flipBits } from "../fixtures/damage.ts";
import { attempt, beginRun, createRandom, FAULT_RUN_ID, referenceLife, resumeRun } from "../fixtures/fault-harness.ts";
import { createSaver, SaverPlaces } from "../fixtures/saver-places.ts";
import type { Checkpointer } from "../model/checkpointer.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

describe.each(["file", "sqlite"] as const)("a %s journal", (kind) => {
  test("with a flipped bit is intact or rejected", async () => {
    const run = await createStoppedRun(kind, await places.createFolder());
    // A run from a database costs six times as much as one from a file.
    const count = kind === "file" ? 1_500 : 400;
    const { right = 0, JOURNAL_CORRUPT: refused = 0, ...others } = await flipBits(run, { count, seed: 1 });
    expect(Math.min(right, refused)).toBeGreaterThan(0);
    // SQLite may also report a database as read-only or empty.
    const allowed = kind === "file" ? [] : ["JOURNAL_READ", "JOURNAL_WRITE", "RUN_UNKNOWN"];
    expect(Object.keys(others).filter((code) => !allowed.includes(code))).toEqual([]);
  });

  test("that was truncated anywhere loses only what follows, or is rejected", async () => {
    const run = await createStoppedRun(kind, await places.createFolder());
    // A file of SQLite consists of pages, and each record of a journal is long: neighbouring bytes end alike.
    const endings = await cutAndGoOn(run, { step: kind === "file" ? 3 : 23 });
    expect(Object.keys(endings).sort()).toEqual(
      kind === "file" ? ["RUN_UNKNOWN", "right"] : ["JOURNAL_CORRUPT", "RUN_UNKNOWN", "right"],
    );
  });

  test("completes its run although processes are killed at any moment", async () => {
    const random = createRandom(11);
    const reference = await referenceLife();
    const script = join(import.meta.dirname, "../fixtures/fault-harness.ts");
    let interrupted = 0;
    for (let round = 0; round < 12; round++) {
      const folder = await places.createFolder();
      const saver = createSaver(kind, folder);
      for (let life = 0; life < 4; life++) {
        const action = (await saver.list()).includes(FAULT_RUN_ID) ? "resume" : "begin";
        const child = places.startScript(process.execPath, [script, kind, folder, action, "0", "20"]);
        await child.next(); // It begins.
        await new Promise((resolve) => setTimeout(resolve, random(100)));
        await child.kill();
        if (await isUnderWay(saver)) interrupted++;
      }
      const isBegun = (await saver.list()).includes(FAULT_RUN_ID);
      const end = await attempt(() => (isBegun ? resumeRun(saver) : beginRun(saver)));
      if ("code" in end) expect(end.code).toBe("RUN_FINISHED");
      else expect({ ...end, executed: [] }).toEqual({ ...reference, executed: [] });
    }
    expect(interrupted).toBeGreaterThan(6);
  });
});

/** Whether the run has started and not ended. */
async function isUnderWay(saver: Checkpointer): Promise<boolean> {
  if (!(await saver.list()).includes(FAULT_RUN_ID)) return false;
  const lastRecord = (await saver.read(FAULT_RUN_ID)).findLast(({ kind }) => kind === "record");
  return lastRecord !== undefined && !lastRecord.body.startsWith('{"type":"end"');
}
