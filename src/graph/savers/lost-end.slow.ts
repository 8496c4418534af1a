import { afterAll, describe, expect, test } from "bun:test";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { graph } from "../builder.ts";
import { attempt, createRandom } from "../fixtures/fault-harness.ts";
import { createSaver, SaverPlaces } from "../fixtures/saver-places.ts";
import { node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { cancelRun } from "../journal/cancel-run.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import type { Checkpointer, JournalEntry } from "../model/checkpointer.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

/** A run whose process was killed in its node "last", and how its journal was then. */
interface KilledRun {
  readonly kind: "sqlite" | "file";
  readonly folder: string;
  /** The file that holds the end of the journal. */
  readonly logName: string;
  readonly entries: readonly JournalEntry[];
}

const LOG_NAMES = { sqlite: "runs.db-wal", file: "r.journal" } as const;

function compile(whileLast: () => void | Promise<void> = () => undefined) {
  const work = (id: string) => node(id, () => ({ stateUpdate: { log: [id.padEnd(900, ".")] } }));
  const last = node("last", async () => {
    await whileLast();
    return {};
  });
  return graph(TestState).start(work("a")).then(work("b")).then(work("c")).then(last).end().compile();
}

/** Keeps what the disk holds while a node works: all that a killed process leaves, but for its claim. */
async function createKilledRun(kind: KilledRun["kind"]): Promise<KilledRun> {
  const parent = await places.createFolder();
  const folder = join(parent, "killed");
  const living = join(parent, "living");
  const saver = createSaver(kind, living);
  let entries: readonly JournalEntry[] = [];
  const compiled = compile(async () => {
    entries = await saver.read("r");
    await cp(living, folder, { recursive: true, filter: (path) => !basename(path).endsWith(".locks") });
  });
  await compiled.run({}, { runId: "r", checkpointer: saver });
  return { kind, folder, logName: LOG_NAMES[kind], entries };
}

/** A copy of the run's folder in which the end of its journal is another. */
async function damage(run: KilledRun, change: (log: Buffer) => Buffer): Promise<string> {
  const folder = join(run.folder, "..", "damaged");
  await rm(folder, { recursive: true, force: true });
  await cp(run.folder, folder, { recursive: true });
  await writeFile(join(folder, run.logName), change(await readFile(join(folder, run.logName))));
  return folder;
}

/** The log without the last entry; a frame of SQLite's log is 24 bytes and a page. */
function withoutLast({ kind, entries }: KilledRun, log: Buffer): Buffer {
  if (kind === "file") return log.subarray(0, log.lastIndexOf("\n", log.length - 2) + 1);
  const at = log.lastIndexOf(entries.at(-1)?.body.slice(0, 40) ?? "");
  const damaged = Buffer.from(log);
  damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
  return damaged;
}

describe.each(["sqlite", "file"] as const)("the end of a %s journal whose process was killed", (kind) => {
  test("is whole when nothing is damaged", async () => {
    const run = await createKilledRun(kind);
    const saver = createSaver(kind, run.folder);
    expect(await saver.findLoss?.("r")).toBeUndefined();
    expect((await readRunSummary(saver, "r")).losses).toBeUndefined();
    const { status, warnings } = await compile().resume("r", {}, { checkpointer: saver });
    expect({ status, warnings }).toEqual({ status: "completed", warnings: [] });
    expect(await saver.findLoss?.("r")).toBeUndefined();
  });

  test("is never lost without a word, wherever a bit of it flips or it is cut off", async () => {
    const run = await createKilledRun(kind);
    const random = createRandom(5);
    const endings: Record<string, number> = {};
    for (let count = 0; count < 60; count++) {
      const folder = await damage(run, (log) => {
        // The log of SQLite is longer than what is in it.
        const length = kind === "file" ? log.length : log.lastIndexOf("last") + 4_096;
        const at = random(length);
        if (count % 3 === 0) return log.subarray(0, at);
        log.writeUInt8(log.readUInt8(at) ^ (1 << random(8)), at);
        return log;
      });
      const saver = createSaver(kind, folder);
      const loss = await attempt(async () => (await saver.findLoss?.("r")) ?? "whole");
      const read = await attempt(() => saver.read("r"));
      const kept = Array.isArray(read) ? read : [];
      expect(kept).toEqual(run.entries.slice(0, kept.length));
      if (loss === "whole") expect(kept.length).toBe(run.entries.length);
      else if ("count" in loss)
        expect(loss).toEqual({ lastSequence: kept.length, count: run.entries.length - kept.length });
      const ending = loss === "whole" ? "whole" : "count" in loss ? "lost" : loss.code;
      endings[ending] = (endings[ending] ?? 0) + 1;
    }
    expect(Object.keys(endings).sort()).toEqual(kind === "file" ? ["JOURNAL_CORRUPT", "lost"] : ["lost", "whole"]);
  }, 20_000);

  test("that was damaged is reported when the run is resumed, and later", async () => {
    const run = await createKilledRun(kind);
    const saver = createSaver(kind, await damage(run, (log) => withoutLast(run, log)));
    expect(await saver.findLoss?.("r")).toEqual({ lastSequence: 3, count: 1 });
    const { losses: [loss] = [] } = await readRunSummary(saver, "r");
    expect(loss).toEqual({ count: 1, after: expect.any(Number), afterTask: "b" });
    const time = new Date(loss?.after ?? 0).toISOString().slice(0, 19).replace("T", " ");
    const events: string[] = [];
    const { status, warnings, state } = await compile().resume(
      "r",
      {},
      {
        checkpointer: saver,
        onEvent: (event) => events.push(event.type),
      },
    );
    expect({ status, log: state.log.map((line) => line.slice(0, 1)) }).toEqual({
      status: "completed",
      log: ["a", "b", "c"],
    });
    expect(warnings).toEqual([
      `The end of the journal of the run "r" was damaged: its last record, after "b" at ${time} UTC, is lost. What was done then is done again.`,
    ]);
    expect(events.slice(0, 2)).toEqual(["run-start", "warning"]);
    expect((await readRunSummary(saver, "r")).losses).toEqual([{ count: 1, after: loss?.after ?? 0, afterTask: "b" }]);
    expect(await saver.findLoss?.("r")).toBeUndefined();
  });

  test("that was damaged is reported after the run was cancelled, too", async () => {
    const run = await createKilledRun(kind);
    const saver = createSaver(kind, await damage(run, (log) => withoutLast(run, log)));
    await cancelRun(saver, "r");
    expect(await readRunSummary(saver, "r")).toMatchObject({
      status: "cancelled",
      losses: [{ count: 1, afterTask: "b" }],
    });
  });

  const changes = {
    edit: (checkpointer: Checkpointer) => compile().edit("r", { set: { log: ["by hand"] } }, { checkpointer }),
    compact: (checkpointer: Checkpointer) => compile().compact("r", { checkpointer }),
    cancel: (checkpointer: Checkpointer) => cancelRun(checkpointer, "r"),
  };
  test.each([
    { title: "an edit", steps: [changes.edit] },
    { title: "it is compacted", steps: [changes.compact] },
    { title: "it is compacted twice", steps: [changes.compact, changes.compact] },
    { title: "an edit and it is compacted", steps: [changes.edit, changes.compact] },
    { title: "the run is cancelled", steps: [changes.cancel] },
    { title: "the run is cancelled and compacted", steps: [changes.cancel, changes.compact] },
  ])("that was damaged is reported once, by the resume after $title", async ({ steps }) => {
    const run = await createKilledRun(kind);
    const saver = createSaver(kind, await damage(run, (log) => withoutLast(run, log)));
    const { losses } = await readRunSummary(saver, "r");
    expect(losses).toEqual([{ count: 1, after: expect.any(Number), afterTask: "b" }]);
    for (const step of steps) {
      await step(saver);
      expect((await readRunSummary(saver, "r")).losses).toEqual(losses);
    }
    const options = { checkpointer: saver };
    const { warnings } = await compile().resume("r", {}, options);
    expect(warnings.map((text) => text.includes(`its last record, after "b" at`))).toEqual([true]);
    expect((await readRunSummary(saver, "r")).losses).toEqual(losses);
  });

  test.each([
    { title: "a resume", change: (checkpointer: Checkpointer) => compile().resume("r", { a: "?" }, { checkpointer }) },
    {
      title: "an edit",
      change: (checkpointer: Checkpointer) => compile().edit("r", { set: { nothing: 1 } as object }, { checkpointer }),
    },
  ])("that was damaged is reported after $title that was rejected", async ({ change }) => {
    const run = await createKilledRun(kind);
    const saver = createSaver(kind, await damage(run, (log) => withoutLast(run, log)));
    expect((await rejectionOf(change(saver))).message).not.toBe("");
    expect(await saver.findLoss?.("r")).toEqual({ lastSequence: 3, count: 1 });
    expect((await compile().resume("r", {}, { checkpointer: saver })).warnings).toHaveLength(1);
    expect(await saver.findLoss?.("r")).toBeUndefined();
  });

  test("that was damaged is reported by a saver that inherits from this one", async () => {
    const run = await createKilledRun(kind);
    const inner = createSaver(kind, await damage(run, (log) => withoutLast(run, log)));
    const { mailbox } = inner;
    const outer: Checkpointer = Object.assign(Object.create(inner), {
      mailbox,
      open: (runId: string, mode: "create" | "resume") => inner.open(runId, mode),
      read: (runId: string) => inner.read(runId),
    });
    expect((await compile().resume("r", {}, { checkpointer: outer })).warnings).toHaveLength(1);
  });

  test("that was truncated on purpose is not a loss", async () => {
    const run = await createKilledRun(kind);
    const saver = createSaver(kind, run.folder);
    await saver.truncate("r", 2);
    expect(await saver.findLoss?.("r")).toBeUndefined();
  });
});
