import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createStoppedRun, cutAndGoOn, flipBits } from "../fixtures/damage.ts";
import { createRandom, FAULT_RUN_ID, referenceLife, resumeRun } from "../fixtures/fault-harness.ts";
import { createSaver, SaverPlaces } from "../fixtures/saver-places.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

describe.each(["file", "sqlite"] as const)("a %s journal", (kind) => {
  test.each([1, 2, 3])("with one of 1,000 flipped bits is as it was, or is refused (seed %d)", async (seed) => {
    const run = await createStoppedRun(kind, await places.createFolder());
    const { right = 0, JOURNAL_CORRUPT: refused = 0, ...others } = await flipBits(run, { count: 1_000, seed });
    expect(Math.min(right, refused)).toBeGreaterThan(0);
    // A database may also say that it is a read-only one, or that it has nothing in it.
    const allowed = kind === "file" ? [] : ["JOURNAL_READ", "JOURNAL_WRITE", "RUN_UNKNOWN"];
    expect(Object.keys(others).filter((code) => !allowed.includes(code))).toEqual([]);
  });

  test("that was cut off at any byte loses what is behind the cut and nothing else, or is refused", async () => {
    const run = await createStoppedRun(kind, await places.createFolder());
    const endings = await cutAndGoOn(run, { step: 1 });
    expect(Object.keys(endings).sort()).toEqual(
      kind === "file" ? ["RUN_UNKNOWN", "right"] : ["JOURNAL_CORRUPT", "RUN_UNKNOWN", "right"],
    );
  });

  test("of processes that are killed at any moment leads the run to its end", async () => {
    const random = createRandom(11);
    const reference = await referenceLife();
    const script = join(import.meta.dirname, "../fixtures/fault-harness.ts");
    for (let round = 0; round < 30; round++) {
      const folder = await places.createFolder();
      const saver = createSaver(kind, folder);
      for (let life = 0; life < 8; life++) {
        const action = (await saver.list()).includes(FAULT_RUN_ID) ? "resume" : "begin";
        const child = places.startScript(process.execPath, [script, kind, folder, action, "0"]);
        await new Promise((resolve) => setTimeout(resolve, 20 + random(100)));
        await child.kill();
      }
      if (!(await saver.list()).includes(FAULT_RUN_ID)) continue;
      const end = await resumeRun(saver).catch((error: unknown) => ({ code: String(error) }));
      if ("code" in end) expect(end.code).toContain("is completed; there is nothing left to do");
      else
        expect({ status: end.status, fields: end.fields }).toEqual({
          status: reference.status,
          fields: reference.fields,
        });
    }
  });
});
