import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EVENTS_FILE, recordEvents } from "./event-record/record-events.ts";
import { readVisitTitles } from "./visit-titles.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-titles-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a visit has the title of its latest attempt and its item, unless that repeats the node's id", async () => {
  const record = recordEvents(join(folder, EVENTS_FILE));
  const about = { type: "node-start", runId: "r", at: 1, nodeType: "tool", attempt: 1 } as const;
  record.add({ ...about, nodeId: "plan", taskId: "plan", name: "Plan" });
  record.add({ ...about, nodeId: "agent", taskId: "script[1]/agent", name: "Read the fil…" });
  record.add({ ...about, nodeId: "agent", taskId: "script[1]/agent", name: "Judge: A", attempt: 2 });
  record.add({ ...about, nodeId: "check", taskId: "each[0]/check", name: "check", item: "a.ts" });
  record.add({ type: "log", runId: "r", at: 2, nodeId: "plan", taskId: "plan", message: "done" });
  record.close();
  expect([...(await readVisitTitles(folder))]).toEqual([
    ["script[1]/agent", "Judge: A"],
    ["each[0]/check", "check (a.ts)"],
  ]);
});

test("a run whose events were not recorded has no titles", async () => {
  expect([...(await readVisitTitles(folder))]).toEqual([]);
});
