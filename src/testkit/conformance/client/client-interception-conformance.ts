import { describe, expect } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { InterceptedToolCall, PermissionPolicy, ToolVerdict } from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import type { ClientBench } from "./client-bench.ts";
import { callTools, requestsWith, say, script, toolResultsOf } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { ALLOW_ALL, fileIn, testIfAble } from "./client-world.ts";

/** Hooks that intercept tool calls before they run. */
export function describeInterception(bench: ClientBench): void {
  describe("beforeTool", () => {
    describeVerdicts(bench);
    describeOrder(bench);
    describePatience(bench);
  });
}

/** Replaces a text anywhere in a call's input. */
function rename(call: InterceptedToolCall, { from, to }: { readonly from: string; readonly to: string }): ToolVerdict {
  return { type: "continue", input: JSON.parse(JSON.stringify(call.input).replaceAll(from, to)) };
}

function describeVerdicts(bench: ClientBench): void {
  const testHook = testIfAble(bench, "interceptTools");

  testHook("sees each call as the model made it", async () => {
    const seen: InterceptedToolCall[] = [];
    const call = bench.calls.bash("touch seen-by-hook.txt");
    script(bench, callTools(call), say("Done."));
    const talk = await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async (intercepted) => {
        seen.push(intercepted);
        return { type: "continue" };
      },
    });
    const { events } = await talk.complete("Touch.");
    const [start] = eventsOf(events, "tool-start");
    expect(seen).toEqual([
      {
        sessionId: talk.id,
        toolId: start?.toolId ?? "none",
        toolName: start?.toolName ?? "none",
        kind: "shell",
        input: call.input,
      },
    ]);
    expect(fileIn(bench, "seen-by-hook.txt").exists()).toBe(true);
  });

  testHook("that blocks prevents the call, and the model receives the reason", async () => {
    script(bench, callTools(bench.calls.bash("touch blocked-by-hook.txt")), say("Understood."));
    const talk = await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async () => ({ type: "block", reason: "the hook denies it-171" }),
    });
    const { events, reply } = await talk.complete("Touch, turn-171.");
    expect([fileIn(bench, "blocked-by-hook.txt").exists(), reply.content]).toEqual([false, "Understood."]);
    expect(eventsOf(events, "tool-end").every(({ isError }) => isError)).toBe(true);
    expect(requestsWith(bench, "turn-171").flatMap(toolResultsOf).join("\n")).toContain("the hook denies it-171");
    expect(reply.deniedPermissions.map(({ kind, reason }) => [kind, reason])).toEqual([
      ["shell", "the hook denies it-171"],
    ]);
  });

  testHook("that changes the input changes the call", async () => {
    script(bench, callTools(bench.calls.bash("touch before-hook.txt")), say("Done."));
    const talk = await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async (call) => rename(call, { from: "before-hook", to: "after-hook" }),
    });
    await talk.complete("Touch.");
    expect(["before-hook.txt", "after-hook.txt"].map((name) => fileIn(bench, name).exists())).toEqual([false, true]);
  });
}

function describeOrder(bench: ClientBench): void {
  const testHook = testIfAble(bench, "interceptTools");

  testHook("that fails blocks the call", async () => {
    script(bench, callTools(bench.calls.bash("touch hook-fails.txt")), say("Understood."));
    const talk = await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async () => {
        throw new Error("the hook broke");
      },
    });
    const { reply } = await talk.complete("Touch.");
    expect([fileIn(bench, "hook-fails.txt").exists(), reply.content]).toEqual([false, "Understood."]);
  });

  testHook("runs before the policy, which decides about the changed call", async () => {
    const permissions: PermissionPolicy = {
      rules: [
        { effect: "allow", tools: ["shell"], commands: ["touch harmless-*"] },
        { effect: "deny", tools: ["shell"], commands: ["touch harmful-*"] },
      ],
    };
    script(bench, callTools(bench.calls.bash("touch harmless-172.txt")), say("Understood."));
    const talk = await openTalk(bench, {
      permissions,
      beforeTool: async (call) => rename(call, { from: "harmless", to: "harmful" }),
    });
    const { reply } = await talk.complete("Touch.");
    expect(["harmless-172.txt", "harmful-172.txt"].map((name) => fileIn(bench, name).exists())).toEqual([false, false]);
    expect(reply.deniedPermissions.map(({ kind }) => kind)).toEqual(["shell"]);
  });

  testHook("of one session does not see another session's calls", async () => {
    let callCount = 0;
    await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async () => {
        callCount += 1;
        return { type: "block", reason: "not mine" };
      },
    });
    script(bench, callTools(bench.calls.bash("touch other-session.txt")), say("Done."));
    await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Touch.");
    expect([callCount, fileIn(bench, "other-session.txt").exists()]).toEqual([0, true]);
  });
}

/** A hook may ask a person, who may take any time. */
function describePatience(bench: ClientBench): void {
  const testHook = testIfAble(bench, "interceptTools");

  testHook("may take longer than the stall time", async () => {
    script(bench, callTools(bench.calls.bash("touch slow-hook.txt")), say("Done."));
    const talk = await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async (_call, { signal }) => {
        await sleep(4_000, undefined, { signal });
        return { type: "continue" };
      },
    });
    const { reply } = await talk.complete("Touch.", { stallTimeoutMs: 3_000 });
    expect([reply.content, fileIn(bench, "slow-hook.txt").exists()]).toEqual(["Done.", true]);
  });

  testHook("that ignores its signal does not delay an abort", async () => {
    script(bench, callTools(bench.calls.bash("touch deaf-hook.txt")), say("Never."));
    const controller = new AbortController();
    const release = Promise.withResolvers<void>();
    const talk = await openTalk(bench, {
      permissions: ALLOW_ALL,
      beforeTool: async () => {
        controller.abort(new Error("enough"));
        await release.promise;
        return { type: "continue" };
      },
    });
    const error = await rejectionOf(talk.session.send("Touch.", { signal: controller.signal }));
    release.resolve();
    expect(error).toEqual(new Error("enough"));
    await talk.expectUsable();
    expect(fileIn(bench, "deaf-hook.txt").exists()).toBe(false);
  });
}
