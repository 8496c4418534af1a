import { describe, expect, test } from "bun:test";
import { addUsage, NO_USAGE, type PermissionPolicy } from "../../../contracts/index.ts";
import type { ModelReply } from "../../model-server/model-reply.ts";
import type { ModelRequest } from "../../model-server/model-request.ts";
import { type ClientBench, requireCall } from "./client-bench.ts";
import { callTools, lastUserText, say, scriptRequests, toolResultsOf } from "./client-script.ts";
import { eventsOf, joinDeltas, openTalk } from "./client-talk.ts";
import { fileIn, testIfAble } from "./client-world.ts";

/** Sub-agents that the agent starts. */
export function describeSubagents(bench: ClientBench): void {
  describe("sub-agents", () => describeDelegating(bench));
}

const TASK = "Look around, sub-agent-101.";
const USAGE = { inputTokens: 10, outputTokens: 1 };
const ALLOW_AGENTS: PermissionPolicy = { rules: [{ effect: "allow", tools: ["agent"] }] };

/** The main agent delegates and then answers; `work` decides what the sub-agent does. */
function scriptDelegation(bench: ClientBench, work: (request: ModelRequest) => ModelReply): void {
  const call = requireCall(bench.calls.subagent(TASK), "a sub-agent is started");
  scriptRequests(bench, (request) => {
    const reply = isOfSubagent(request) ? work(request) : delegate(request);
    return reply.type === "message" ? { ...reply, usage: USAGE } : reply;
  });
  const delegate = (request: ModelRequest): ModelReply =>
    toolResultsOf(request).length > 0 ? say("all done") : callTools(call);
}

/** Only a sub-agent receives its task as a user's message. */
function isOfSubagent(request: ModelRequest): boolean {
  return lastUserText(request).includes(TASK);
}

function describeDelegating(bench: ClientBench): void {
  const testSubagent = testIfAble(bench, "subagents");

  testSubagent("start and end, and their text is not part of the answer", async () => {
    scriptDelegation(bench, () => say("sub-agent speaking"));
    const { events, reply } = await (await openTalk(bench, { permissions: ALLOW_AGENTS })).complete("Delegate.");
    const [start] = eventsOf(events, "subagent-start");
    expect([eventsOf(events, "subagent-start").length, start?.title !== ""]).toEqual([1, true]);
    expect(start?.task).toContain(TASK);
    expect(eventsOf(events, "subagent-end").map(({ result }) => result)).toEqual([
      expect.stringContaining("sub-agent speaking"),
    ]);
    expect(eventsOf(events, "subagent-end").map(({ subagentId, isError }) => [subagentId, isError])).toEqual([
      [start?.subagentId ?? "none", false],
    ]);
    expect([joinDeltas(events, "text-delta"), reply.content]).toEqual(["all done", "all done"]);
  });

  const testUsage = bench.traits?.hidesUsage === true ? test.skip : testSubagent;

  testUsage("count their tokens once", async () => {
    scriptDelegation(bench, () => say("sub-agent speaking"));
    const { reply } = await (await openTalk(bench, { permissions: ALLOW_AGENTS })).complete("Delegate.");
    const perCall = { ...NO_USAGE, ...USAGE };
    const { costUsd: _, ...usage } = reply.usage;
    expect(usage).toEqual([perCall, perCall, perCall].reduce(addUsage, NO_USAGE));
  });

  testSubagent("have the same policy for their tools", async () => {
    scriptDelegation(bench, (request) =>
      toolResultsOf(request).length > 0 ? say("sub done") : callTools(bench.calls.bash("touch by-sub-agent.txt")),
    );
    const { reply } = await (await openTalk(bench, { permissions: ALLOW_AGENTS })).complete("Delegate.");
    expect(fileIn(bench, "by-sub-agent.txt").exists()).toBe(false);
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["shell"]);
  });

  testSubagent("that fail do not fail the turn", async () => {
    scriptDelegation(bench, () => ({ type: "error", status: 400, message: "The sub-agent's call is malformed." }));
    const { reply } = await (await openTalk(bench, { permissions: ALLOW_AGENTS })).complete("Delegate.");
    expect(reply.content).toBe("all done");
  });
}
