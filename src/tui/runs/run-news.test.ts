import { expect, test } from "bun:test";
import { FakeRuns, RUN } from "./fixtures/fake-runs.ts";
import { KEEP_API } from "./fixtures/inbox-items.ts";
import { RunNews } from "./run-news.ts";

/** News of runs, whose looks a test makes. */
function follow(runs: FakeRuns) {
  const said: string[] = [];
  let next: (() => void) | undefined;
  const later = (run: () => void) => {
    next = run;
    return () => undefined;
  };
  const news = new RunNews({ port: runs, now: () => 186_000, say: (text) => said.push(text), later });
  /** Looks once, and returns what was said. */
  const look = async (): Promise<readonly string[]> => {
    const run = next;
    next = undefined;
    run?.();
    await new Promise(setImmediate);
    return said.splice(0);
  };
  return { news, look, isWaiting: () => next !== undefined };
}

test("the end of a run that somebody continues is said again, also one like the last, once its process has taken it", async () => {
  const runs = new FakeRuns();
  const { news, look, isWaiting } = follow(runs);
  const fail = (execution: string): void => {
    runs.runs = [{ ...RUN, state: "failed", execution }];
  };
  fail("1");
  runs.details = { ...RUN, state: "failed", error: { code: "X", message: "No network." } };
  news.follow(RUN.id);
  expect(await look()).toEqual(["ralph 0vr8 failed after 3m 05s\nNo network."]);
  expect(isWaiting()).toBe(false);
  news.follow(RUN.id);
  expect(await look()).toEqual([]);
  fail("2");
  expect(await look()).toEqual(["ralph 0vr8 failed after 3m 05s\nNo network."]);
  expect(isWaiting()).toBe(false);
});

test("a run that no process continues is not looked at for good", async () => {
  const runs = new FakeRuns({ runs: [{ ...RUN, state: "failed", execution: "1" }] });
  const { news, look, isWaiting } = follow(runs);
  news.follow(RUN.id);
  await look();
  news.follow(RUN.id);
  for (let count = 0; count < 20; count++) {
    expect(isWaiting()).toBe(true);
    expect(await look()).toEqual([]);
  }
  expect(isWaiting()).toBe(false);
});

test("a followed run that waits is said once, and its end with its output; then nothing is read", async () => {
  const runs = new FakeRuns({
    runs: [RUN],
    inbox: [
      { ...KEEP_API, runId: RUN.id },
      { ...KEEP_API, runId: "other" },
    ],
  });
  const said: string[] = [];
  let next: (() => void) | undefined;
  const later = (run: () => void) => {
    next = run;
    return () => undefined;
  };
  const news = new RunNews({
    port: runs,
    now: () => 186_000,
    say: (text) => said.push(text),
    keys: { inbox: "alt+i", runs: "f2" },
    later,
  });
  const poll = async (): Promise<void> => {
    const run = next;
    next = undefined;
    run?.();
    await new Promise(setImmediate);
  };
  expect(next).toBeUndefined();
  news.follow(RUN.id);
  await poll();
  await poll();
  expect(said).toEqual(["ralph 0vr8 asks: reviewer: Keep the old API? · alt+i"]);
  runs.runs = [{ ...RUN, state: "completed" }];
  runs.details = { ...RUN, state: "completed", output: "All\u001b[2J done." };
  await poll();
  expect(said.slice(1)).toEqual(["ralph 0vr8 completed after 3m 05s · f2\nAll done."]);
  expect(next).toBeUndefined();
});
