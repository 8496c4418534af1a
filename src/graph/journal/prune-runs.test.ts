import { expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { JournalCorruptError } from "../errors/errors.ts";
import { failing, node, TestState } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { pruneRuns } from "./prune-runs.ts";

const DAY_MS = 86_400_000;

/** Runs that ended on the days 1 to 5, a failed one on day 2, and one that waits since day 1. */
async function runsOfFiveDays() {
  const checkpointer = new MemorySaver();
  const ok = graph(TestState).start(node("a")).end().compile({ checkpointer });
  for (const day of [1, 2, 3, 4, 5]) await ok.run({}, { runId: `day ${day}`, now: () => day * DAY_MS });
  const options = { checkpointer, now: () => 2 * DAY_MS };
  await graph(TestState)
    .start(failing("x"))
    .end()
    .compile()
    .run({}, { ...options, runId: "failed" });
  await graph(TestState)
    .wait({ id: "gate" })
    .end()
    .compile()
    .run({}, { ...options, runId: "waiting", now: () => DAY_MS });
  return checkpointer;
}

const now = (): number => 6 * DAY_MS;

test.each([
  { title: "all that completed, by default", options: {}, deleted: ["day 5", "day 4", "day 3", "day 2", "day 1"] },
  { title: "those that are old enough", options: { olderThanMs: 4 * DAY_MS }, deleted: ["day 2", "day 1"] },
  { title: "all but the latest", options: { keepLatest: 3 }, deleted: ["day 2", "day 1"] },
  { title: "what is both", options: { keepLatest: 1, olderThanMs: 3 * DAY_MS }, deleted: ["day 3", "day 2", "day 1"] },
  {
    title: "those that failed or wait, when asked to",
    options: { statuses: ["failed", "suspended"] as const },
    deleted: ["failed", "waiting"],
  },
])("forgets $title", async ({ options, deleted }) => {
  const saver = await runsOfFiveDays();
  const before = await saver.list();
  expect(await pruneRuns(saver, { ...options, now })).toEqual({ deleted, failed: [] });
  expect((await saver.list()).toSorted()).toEqual(
    before.filter((runId) => !deleted.some((gone) => gone === runId)).toSorted(),
  );
});

test("keeps runs in progress and unreadable runs, and reports the latter", async () => {
  const saver = await runsOfFiveDays();
  const held = await saver.open("day 1", "resume");
  const error = new JournalCorruptError("day 2", 1, "its checksum does not match");
  const read = saver.read.bind(saver);
  saver.read = (runId) => (runId === "day 2" ? Promise.reject(error) : read(runId));
  const { deleted, failed } = await pruneRuns(saver, { now });
  expect(deleted).toEqual(["day 5", "day 4", "day 3"]);
  expect(failed).toEqual([{ runId: "day 2", error }]);
  expect(await saver.isHeld("day 1")).toBe(true);
  await held.close();
});
