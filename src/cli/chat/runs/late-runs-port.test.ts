import { expect, test } from "bun:test";
import type { RunEvent } from "../../../contracts/index.ts";
import type { RunsPort } from "../../../tui/index.ts";
import { lateRunsPort } from "./late-runs-port.ts";

test("the runs are loaded once, when they are first needed, and every call reaches them", async () => {
  const calls: unknown[] = [];
  const event: RunEvent = { type: "run-start", runId: "r1", at: 1, seq: 1 } as unknown as RunEvent; // only passed on
  const answer =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<never> => {
      calls.push([name, ...args]);
      return name as never; // only passed on
    };
  const runs: RunsPort = {
    list: answer("list"),
    load: answer("load"),
    async *follow(runId) {
      calls.push(["follow", runId]);
      yield event;
    },
    loadInbox: answer("loadInbox"),
    answer: answer("answer"),
    answerPermission: answer("answerPermission"),
    cancel: answer("cancel"),
    pause: answer("pause"),
    resume: answer("resume"),
    cancelNode: answer("cancelNode"),
    skipNode: answer("skipNode"),
    retryNode: answer("retryNode"),
  };
  const late = lateRunsPort(async () => {
    calls.push("opened");
    return runs;
  });
  expect(calls).toEqual([]);
  expect([await late.list({ limit: 2 }), await late.load("r1"), await late.loadInbox()] as unknown[]).toEqual([
    ...["list", "load", "loadInbox"],
  ]);
  expect(await Array.fromAsync(late.follow("r1", new AbortController().signal))).toEqual([event]);
  await late.answer("r1", "q1", "yes");
  await late.answerPermission("r1", "p1", "run");
  for (const name of ["cancel", "pause", "resume"] as const) await late[name]("r1");
  for (const name of ["cancelNode", "skipNode", "retryNode"] as const) await late[name]("r1", "t1");
  expect(calls).toEqual([
    ...["opened", ["list", { limit: 2 }], ["load", "r1"], ["loadInbox"], ["follow", "r1"]],
    ...[
      ["answer", "r1", "q1", "yes"],
      ["answerPermission", "r1", "p1", "run"],
    ],
    ...[
      ["cancel", "r1"],
      ["pause", "r1"],
      ["resume", "r1"],
    ],
    ...[
      ["cancelNode", "r1", "t1"],
      ["skipNode", "r1", "t1"],
      ["retryNode", "r1", "t1"],
    ],
  ]);
});
