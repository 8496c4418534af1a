import { afterEach, expect, test } from "bun:test";
import { FakeRuns, RUN } from "./fixtures/fake-runs.ts";
import { nodeStart, runEnd, runStart } from "./fixtures/run-events.ts";
import { RunWatcher, type WatchedRun } from "./run-watcher.ts";

const started: RunWatcher[] = [];
afterEach(() => {
  for (const watcher of started.splice(0)) watcher.stop();
});

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
