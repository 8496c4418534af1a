import { afterEach, expect, test } from "bun:test";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { FakeRuns, RUN } from "./fixtures/fake-runs.ts";
import { nodeEnd, nodeStart, runEnd, runStart } from "./fixtures/run-events.ts";
import { RunWatcher, type WatchedRun } from "./run-watcher.ts";

const started: RunWatcher[] = [];
afterEach(() => {
  for (const watcher of started.splice(0)) watcher.stop();
});

/** Counts how often it is read. */
class CountedRuns extends FakeRuns {
  reads = 0;
  looks = 0;

  override follow(runId: string, signal: AbortSignal) {
    this.reads++;
    return super.follow(runId, signal);
  }

  override load() {
    this.looks++;
    return super.load();
  }
}

function watch(runs: FakeRuns) {
  const watcher = new RunWatcher(runs, RUN.id, { pollMs: 5, collectMs: 1 });
  started.push(watcher);
  watcher.start();
  /** Resolves when what is known fits. */
  const until = (fits: (watched: WatchedRun) => boolean): Promise<WatchedRun> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (fits(watcher.snapshot())) resolve(watcher.snapshot());
      };
      watcher.subscribe(look);
      look();
    });
  return { watcher, until };
}

test("a run is read and followed", async () => {
  const runs = new FakeRuns({ events: [runStart(1), nodeStart("a")] });
  const { until } = watch(runs);
  expect((await until(({ model }) => model.visits.size === 1)).model.isLive).toBe(true);
  runs.emit(nodeStart("b"));
  expect([...(await until(({ model }) => model.visits.size === 2)).model.visits.keys()]).toEqual(["a", "b"]);
  expect((await until(({ details }) => details !== undefined)).details).toEqual(RUN);
});

test("events that come together are one change", async () => {
  const events = [runStart(1), ...Array.from({ length: 100 }, (_, index) => nodeStart(`n${index}`))];
  const { watcher, until } = watch(new FakeRuns({ events }));
  let changes = 0;
  watcher.subscribe(() => changes++);
  await until(({ model }) => model.visits.size === 100);
  expect(changes).toBeLessThan(20);
});

test("an error is kept until the next success", async () => {
  const runs = new FakeRuns({ failures: { load: "It is gone." } });
  const { until } = watch(runs);
  await until(({ problem }) => problem === "It is gone.");
  runs.failures = {};
  await until(({ problem }) => problem === undefined);
});

test("a run that is resumed is followed from the start of its record, and its steps are not there twice", async () => {
  const events = [runStart(1), nodeStart("a"), runEnd("failed", 3)];
  const runs = new FakeRuns({ events, details: { ...RUN, state: "failed" } });
  runs.end();
  const { until } = watch(runs);
  await until(({ model }) => model.status === "failed");
  runs.emit(runStart(9, true), nodeStart("b"));
  runs.details = RUN;
  const { model } = await until(({ model }) => model.isLive && model.visits.size === 2);
  expect([...model.visits.values()].map(({ taskId, status }) => `${taskId} ${status}`)).toEqual([
    "a stopped",
    "b running",
  ]);
});

test.each([
  { title: "that completes", end: "completed" },
  { title: "that fails again", end: "failed" },
] as const)("a resume $title between two looks is shown", async ({ end }) => {
  const events = [runStart(1), nodeStart("a"), runEnd("failed", 3)];
  const runs = new FakeRuns({ events, details: { ...RUN, state: "failed", execution: "1" } });
  runs.end();
  const { until } = watch(runs);
  await until(({ model, details }) => model.status === "failed" && details !== undefined);
  runs.emit(runStart(9, true), nodeStart("a", { at: 9, attempt: 2 }), nodeEnd("a", 11), runEnd(end, 12));
  runs.end();
  runs.details = { ...RUN, state: end, execution: "2" };
  const { model } = await until(({ model }) => model.lastAt === 12);
  expect(model.status).toBe(end);
  expect([...model.visits.values()].map(({ taskId, status }) => `${taskId} ${status}`)).toEqual(["a done"]);
});

test("the record of a run that has ended is read once, and again for a change of its state only", async () => {
  const runs = new CountedRuns({ events: [runStart(1)], details: { ...RUN, state: "interrupted", execution: "1" } });
  runs.end();
  const look = async (count: number): Promise<void> => {
    const wanted = runs.looks + count;
    await waitUntil(() => runs.looks >= wanted, "too few looks");
  };
  watch(runs);
  await look(6);
  expect(runs.reads).toBe(1);
  runs.details = { ...runs.details, state: "cancelled" };
  await look(6);
  expect(runs.reads).toBe(2);
});

test("nothing changes after it was stopped", async () => {
  const runs = new FakeRuns({ events: [runStart(1)] });
  const { watcher, until } = watch(runs);
  const before = await until(({ model, details }) => model.isLive && details !== undefined);
  watcher.stop();
  runs.emit(nodeStart("a"));
  watcher.refresh();
  await Promise.resolve();
  expect(watcher.snapshot()).toBe(before);
});
