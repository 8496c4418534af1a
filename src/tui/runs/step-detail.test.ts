import { expect, test } from "bun:test";
import type { RunVisit } from "./run-model.ts";
import { describeVisit } from "./step-detail.ts";

const VISIT: RunVisit = {
  ...{ taskId: "x", nodeId: "x", nodeType: "tool", name: "x", attempt: 1, status: "running" },
  worked: [{ startedAt: 1_000, endedAt: 4_000 }],
};

test.each<readonly [Partial<RunVisit> | undefined, RegExp]>([
  [undefined, /^This step has not started\.$/],
  [{ workingSince: 9 }, /^In progress since \d\d:\d\d\.$/],
  [{ status: "asking" }, /^Waits for an answer\.$/],
  [{ status: "sleeping", until: 9 }, /^Sleeps until \d\d:\d\d\.$/],
  [{ status: "retrying", until: 9, attempt: 2 }, /^Attempt 2 failed\. Waits until \d\d:\d\d for the next one\.$/],
  [{ status: "done" }, /^Done in 3s\.$/],
  [{ status: "skipped" }, /^Skipped\.$/],
  [{ status: "stopped" }, /^Stopped before its end\.$/],
])("a step without an agent says where it stands: %p", (change, text) => {
  expect(describeVisit(change && { ...VISIT, ...change })).toMatch(text);
});
