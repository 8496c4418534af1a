import { expect, test } from "bun:test";
import { rehearseInChild } from "./rehearse-in-child.ts";

const { signal } = new AbortController();

test("a script is rehearsed in a process without this one's environment, and one that never returns is ended", async () => {
  const good = { path: "script.js", text: 'await parallel([1, 2].map((n) => () => agent("go " + n)));' };
  expect(await rehearseInChild(good, { maxAgents: 5, signal })).toEqual({ agentCount: 2 });
  const limit = { maxAgents: 5, signal };
  expect(await rehearseInChild({ ...good, text: "for (;;) {}" }, limit, 5_000)).toEqual({
    agentCount: 0,
    problem: "With made-up answers it did not end within 5 s. Look for a loop that never ends.",
  });
  const caught = 'for (;;) { try { await agent("go"); } catch {} }';
  const { problem } = await rehearseInChild({ ...good, text: caught }, limit, 5_000);
  expect(problem).toMatch(/^With made-up answers it (?:calls more than 5 agents|did not end within 5 s)/);
}, 60_000);

test("a script that fills the memory is ended", async () => {
  const text = "const kept = []; for (;;) kept.push(new Uint8Array(50_000_000).fill(1));";
  const { problem } = await rehearseInChild({ path: "script.js", text }, { maxAgents: 5, signal });
  expect(problem).toBe(
    "With made-up answers it ended its process (SIGKILL), as a script does that needs more than 1 GB of memory.",
  );
}, 60_000);

test("a rehearsal that is cancelled ends with the reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  setTimeout(() => controller.abort(reason), 500);
  const endless = { path: "script.js", text: "for (;;) {}" };
  await expect(rehearseInChild(endless, { maxAgents: 5, signal: controller.signal })).rejects.toBe(reason);
}, 60_000);
