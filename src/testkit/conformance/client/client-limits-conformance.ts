import { describe, expect, test } from "bun:test";
import {
  BudgetSpentError,
  CapabilityMissingError,
  MaxTurnsReachedError,
  SessionConfigInvalidError,
} from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import { type ClientBench, can, requireCall } from "./client-bench.ts";
import { callTools, requestsWith, say, script, scriptRequests } from "./client-script.ts";
import { openTalk } from "./client-talk.ts";
import { ALLOW_ALL, fileIn, testIfAble } from "./client-world.ts";

const ANIMAL = { type: "object", properties: { animal: { type: "string" } }, required: ["animal"] };

/** Limits of a session's actions and spending. */
export function describeLimits(bench: ClientBench): void {
  describe("limits of a session", () => {
    describeMaxTurns(bench);
    describeBudget(bench);
    describePlanMode(bench);
    describeSessionTools(bench);
    describeSessionIds(bench);
  });
}

function describeMaxTurns(bench: ClientBench): void {
  const testTurns = testIfAble(bench, "maxTurns");

  testTurns("maxTurns stops a turn that calls the model too often; the session stays usable", async () => {
    scriptRequests(bench, () => callTools(bench.calls.bash("true")));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL, maxTurns: 2 });
    const { error } = await talk.fail("Never stop, turn-601.");
    expect(error).toEqual(new MaxTurnsReachedError(bench.client.agentType, 2));
    expect([2, 3]).toContain(requestsWith(bench, "turn-601").length);
    await talk.expectUsable();
  });

  testTurns(
    "the count of maxTurns restarts with each turn, and a turn that needs exactly as many completes",
    async () => {
      const talk = await openTalk(bench, { permissions: ALLOW_ALL, maxTurns: 2 });
      const contents: string[] = [];
      for (const message of ["First, turn-602.", "Second, turn-603."]) {
        script(bench, callTools(bench.calls.bash("true")), say("Done."));
        contents.push((await talk.complete(message)).reply.content);
      }
      expect(contents).toEqual(["Done.", "Done."]);
    },
  );

  testTurns("maxTurns does not reject a structured answer that took exactly as many calls", async () => {
    const call = bench.calls.structuredOutput({ animal: "newt-604" });
    script(bench, call === undefined ? say('{"animal":"newt-604"}') : callTools(call), say("Done."));
    const talk = await openTalk(bench, { maxTurns: 1 });
    const { reply } = await talk.complete("Which animal?", { outputSchema: ANIMAL });
    expect(reply.structured).toEqual({ animal: "newt-604" });
  });
}

function describeBudget(bench: ClientBench): void {
  const usage = { inputTokens: 10_000, outputTokens: 1_000 };

  testIfAble(bench, "cost")("maxBudgetUsd stops the session, and no other turn starts", async () => {
    const calls = { type: "message" as const, toolCalls: [bench.calls.bash("true")], usage };
    script(bench, calls, calls, calls, { type: "message", text: "Done.", usage });
    const talk = await openTalk(bench, { permissions: ALLOW_ALL, maxBudgetUsd: 0.000_01 });
    const first = await talk.hear("Spend, turn-611.");
    if (bench.traits?.sumsUsage !== true) expect(first.error).toBeInstanceOf(BudgetSpentError);
    const { error } = await talk.fail("Spend more, turn-612.");
    expect([error instanceof BudgetSpentError, requestsWith(bench, "turn-612").length]).toEqual([true, 0]);
  });

  testIfAble(bench, "cost")("a budget that is not spent stops nothing", async () => {
    script(bench, { type: "message", text: "Done.", usage });
    const talk = await openTalk(bench, { permissions: ALLOW_ALL, maxBudgetUsd: 1_000 });
    expect((await talk.complete("Spend, turn-613.")).reply.content).toBe("Done.");
  });

  test.skipIf(can(bench, "cost"))("maxBudgetUsd is rejected by an agent that reports no price", async () => {
    const error = await rejectionOf(bench.client.createSession({ maxBudgetUsd: 1 }));
    expect(error).toBeInstanceOf(CapabilityMissingError);
  });
}

function describePlanMode(bench: ClientBench): void {
  testIfAble(bench, "planMode")("plan mode denies edits and commands, whatever the policy allows", async () => {
    const [edited, made] = [fileIn(bench, "plan-edited.txt"), fileIn(bench, "plan-made.txt")];
    script(bench, callTools(bench.calls.write(edited.path, "x")), say("Done."));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL, permissionMode: "plan" });
    const { reply } = await talk.complete("Change it, turn-621.");
    script(bench, callTools(bench.calls.bash(`touch ${made.path}`)), say("Done."));
    const { reply: second } = await talk.complete("Run it, turn-622.");
    expect([edited.exists(), made.exists()]).toEqual([false, false]);
    const denied = [...reply.deniedPermissions, ...second.deniedPermissions];
    expect(denied.map(({ kind }) => kind)).toEqual(["edit", "shell"]);
  });

  testIfAble(bench, "planMode")("plan mode lets the agent read", async () => {
    script(bench, callTools(bench.calls.read(fileIn(bench, "README.md").path)), say("Read."));
    const talk = await openTalk(bench, { permissionMode: "plan" });
    const { reply } = await talk.complete("Look, turn-623.");
    expect([reply.content, reply.deniedPermissions]).toEqual(["Read.", []]);
  });
}

function describeSessionTools(bench: ClientBench): void {
  testIfAble(bench, "customTools")("a tool of one session is offered in that session only", async () => {
    const calls: unknown[] = [];
    const tool = {
      name: "note_once",
      description: "Notes something.",
      inputSchema: { type: "object", properties: { note: { type: "string" } }, required: ["note"] },
      handler: (input: unknown) => {
        calls.push(input);
        return "noted-5310";
      },
    };
    const call = requireCall(bench.calls.customTool("note_once", { note: "heron" }), "a custom tool is called");
    script(bench, callTools(call), say("Done."));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL, tools: [tool] });
    await talk.complete("Note it, turn-631.");
    expect([calls, requestsWith(bench, "noted-5310").length > 0]).toEqual([[{ note: "heron" }], true]);
    script(bench, callTools(call), say("Done."));
    await (await openTalk(bench, { permissions: ALLOW_ALL })).hear("Note it, turn-632.");
    expect(calls.length).toBe(1);
  });
}

function describeSessionIds(bench: ClientBench): void {
  testIfAble(bench, "sessionIds")("a new conversation has the given identifier, which can be used once", async () => {
    script(bench, say("Yes."));
    const sessionId = crypto.randomUUID();
    const talk = await openTalk(bench, { sessionId });
    await talk.complete("Ready, turn-641?");
    expect(talk.id).toBe(sessionId);
    await talk.session.destroy();
    const refused = await rejectionOf(bench.client.createSession({ sessionId }));
    expect(refused).toBeInstanceOf(SessionConfigInvalidError);
    const other = await rejectionOf(bench.client.resumeSession(sessionId, { sessionId: crypto.randomUUID() }));
    expect(other).toBeInstanceOf(SessionConfigInvalidError);
    if (bench.client.capabilities.fork) {
      const copy = await rejectionOf(bench.client.forkSession(sessionId, { sessionId }));
      expect(copy).toBeInstanceOf(SessionConfigInvalidError);
    }
    expect((await bench.client.resumeSession(sessionId, { sessionId })).id).toBe(sessionId);
  });
  testIfAble(bench, "sessionIds")("only one of two new conversations with the same identifier starts", async () => {
    const sessionId = crypto.randomUUID();
    const opened = await Promise.allSettled([1, 2].map(() => bench.client.createSession({ sessionId })));
    const refused = opened.flatMap(({ status, ...rest }) => ("reason" in rest ? [rest.reason] : []));
    expect([opened.map(({ status }) => status).toSorted(), refused]).toEqual([
      ["fulfilled", "rejected"],
      [expect.any(SessionConfigInvalidError)],
    ]);
  });
}
