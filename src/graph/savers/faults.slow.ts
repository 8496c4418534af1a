import { afterAll, describe, expect, test } from "bun:test";
import { chmod, cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createStoppedRun, cutAndGoOn, flipBits } from "../fixtures/damage.ts";
import { attempt, beginRun, FAULT_RUN_ID, type Life, referenceLife, resumeRun } from "../fixtures/fault-harness.ts";
import { createSaver, SaverPlaces } from "../fixtures/saver-places.ts";
import { SmallDisk, whyNoSmallDisk } from "../fixtures/small-disk.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";

const places = new SaverPlaces();
const disks: SmallDisk[] = [];
afterAll(async () => {
  for (const disk of disks) disk.unmount();
  await places.cleanUp();
});

const trial = await mkdtemp(join(tmpdir(), "atomic-mount-"));
const whyNoDisk = whyNoSmallDisk(join(trial, "disk"));
await rm(trial, { recursive: true });

async function mountDisk(sizeBytes: number): Promise<SmallDisk> {
  const disk = new SmallDisk(join(await places.createFolder(), "disk"), sizeBytes);
  disks.push(disk);
  return disk;
}

const NODES = ["a", "b", "c", "d", "e", "gate", "f"];
const KINDS = [
  { kind: "file" as const, fullText: "ENOSPC: no space left on device, write" },
  { kind: "sqlite" as const, fullText: "database or disk is full" },
];

describe.each(KINDS)("a $kind journal", ({ kind, fullText }) => {
  test("with one flipped bit is intact or rejected", async () => {
    const run = await createStoppedRun(kind, await places.createFolder());
    const endings = await flipBits(run, { count: 60, seed: 7 });
    expect(Object.keys(endings).sort()).toEqual(["JOURNAL_CORRUPT", "right"]);
  });

  test("that was truncated loses only what follows, or is rejected", async () => {
    const run = await createStoppedRun(kind, await places.createFolder());
    const endings = await cutAndGoOn(run, { step: 257 });
    const refused = kind === "file" ? [] : ["JOURNAL_CORRUPT"];
    expect(Object.keys(endings).sort()).toEqual([...refused, "RUN_UNKNOWN", "right"]);
  });

  test.skipIf(whyNoDisk !== undefined)("on a full disk stops the run, which continues when there is room", async () => {
    const disk = await mountDisk(320 * 1024);
    const padding = 60_000;
    const saver = createSaver(kind, disk.folder);
    const error = await rejectionOf(beginRun(saver, { padding }));
    expect(error.message).toBe(
      `The journal of the run "${FAULT_RUN_ID}" cannot be written (${fullText}). Make room or repair the access, then resume the run.`,
    );
    const kept = await saver.read(FAULT_RUN_ID);
    expect(await saver.isHeld(FAULT_RUN_ID)).toBe(false);
    disk.resize(8 * 1024 * 1024);
    const resumed = await resumeRun(createSaver(kind, disk.folder), { padding });
    const finished = kept.filter(({ body }) => body.startsWith('{"type":"done"')).length;
    expect(finished).toBeGreaterThan(0);
    expectRest(resumed, await referenceLife({ padding }), finished);
  });

  test("beyond the file size limit stops the run, which continues when the limit is raised", async () => {
    const folder = await places.createFolder();
    const padding = 100_000;
    const script = join(import.meta.dirname, "../fixtures/fault-harness.ts");
    // Without the trap the system ends the process instead of failing the write.
    const limited = 'trap "" XFSZ; ulimit -f 500; exec "$@"';
    const args = ["-c", limited, "sh", process.execPath, script, kind, folder, "begin", String(padding), "0"];
    const child = places.startScript("sh", args);
    expect(await child.next()).toBe("begins");
    const ended = await child.next();
    expect(ended).toEqual({
      code: "JOURNAL_WRITE",
      message: expect.stringContaining("Make room or repair the access"),
    });
    const kept = await createSaver(kind, folder).read(FAULT_RUN_ID);
    const finished = kept.filter(({ body }) => body.startsWith('{"type":"done"')).length;
    expect(finished).toBeGreaterThan(0);
    const resumed = await resumeRun(createSaver(kind, folder), { padding });
    expectRest(resumed, await referenceLife({ padding }), finished);
  });

  test.skipIf(userInfo().uid === 0 && whyNoDisk !== undefined)(
    "in a read-only folder is read, and not written",
    async () => {
      const folder = await makeReadOnly(kind);
      const saver = createSaver(kind, folder);
      const failure = { code: "JOURNAL_WRITE", message: expect.stringContaining("Make room or repair the access") };
      expect(await attempt(() => resumeRun(saver))).toEqual(failure);
      expect(await attempt(() => saver.open("new", "create"))).toEqual(failure);
      expect(await attempt(() => saver.delete(FAULT_RUN_ID))).toEqual(failure);
      expect(await attempt(() => saver.truncate(FAULT_RUN_ID, 1))).toEqual(failure);
      expect(await saver.isHeld(FAULT_RUN_ID)).toBe(false);
      const read = await attempt(() => saver.read(FAULT_RUN_ID));
      const list = await attempt(() => saver.list());
      expect(list).toEqual([FAULT_RUN_ID]);
      expect("code" in read ? read : read.at(-1)?.body).toEqual(expect.stringContaining('"status":"failed"'));
      expect((await readRunSummary(saver, FAULT_RUN_ID)).status).toBe("failed");
      const other = createSaver(kind, join(folder, "elsewhere"));
      expect([await other.list(), await attempt(() => other.read("r"))]).toEqual([
        [],
        { code: "RUN_UNKNOWN", message: expect.any(String) },
      ]);
      if (userInfo().uid !== 0) await chmod(folder, 0o700);
    },
  );

  /** A folder with a run that stopped at its gate, to which nothing can be written. */
  async function makeReadOnly(kind: "file" | "sqlite"): Promise<string> {
    if (userInfo().uid !== 0) {
      const folder = await places.createFolder();
      await beginRun(createSaver(kind, folder), { isGateShut: true });
      await chmod(folder, 0o500);
      return folder;
    }
    const disk = await mountDisk(1024 * 1024);
    await beginRun(createSaver(kind, disk.folder), { isGateShut: true });
    disk.makeReadOnly();
    return disk.folder;
  }

  test.skipIf(whyNoDisk !== undefined)("that a killed process left on a read-only disk is read whole", async () => {
    const disk = await mountDisk(2 * 1024 * 1024);
    const living = join(disk.folder, "living");
    const journal = await createSaver(kind, living).open("r", "create");
    const entries = Array.from({ length: 3 }, (_, index) => ({
      ...{ sequence: index + 1, kind: "record" as const },
      body: `{"number":${index}}`,
    }));
    for (const entry of entries) await journal.append(entry);
    const killed = join(disk.folder, "killed");
    // Left out: SQLite recreates the index of its log where it can.
    await cp(living, killed, { recursive: true, filter: (path) => !/locks$|-shm$/.test(path) });
    await journal.close();
    disk.makeReadOnly();
    expect(await createSaver(kind, killed).read("r")).toEqual(entries);
    expect(await createSaver(kind, killed).findLoss?.("r")).toBeUndefined();
  });
});

test.skipIf(whyNoDisk !== undefined)("a file journal on a full disk can be deleted to make room", async () => {
  const disk = await mountDisk(512 * 1024);
  const saver = createSaver("file", disk.folder);
  await beginRun(saver, { padding: 5_000 });
  // Fills what is left to the last byte.
  await rejectionOf(writeFile(join(disk.folder, "filler"), Buffer.alloc(1024 * 1024)));
  await saver.delete(FAULT_RUN_ID);
  expect(await readdir(disk.folder)).toEqual(["filler"]);
});

/** Expects that a run has ended as it should, and that only nodes ran that had not finished before. */
function expectRest(life: Life, { status, fields }: Life, finishedCount: number): void {
  expect({ status: life.status, fields: life.fields }).toEqual({ status, fields });
  expect(life.executed).toHaveLength(NODES.length - finishedCount);
}
