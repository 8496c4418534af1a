import { expect, test } from "bun:test";
import { FakeRuns, RUN } from "./fixtures/fake-runs.ts";
import { KEEP_API } from "./fixtures/inbox-items.ts";
import { RunNews } from "./run-news.ts";

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
