import { describe, expect } from "bun:test";
import type { PermissionPolicy, ToolContext } from "../../../contracts/index.ts";
import { type ClientBench, requireCall } from "./client-bench.ts";
import { callTools, encodedBodyOf, requestsWith, say, script, toolResultsOf } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { ALLOW_ALL, testIfAble } from "./client-world.ts";

/** More than any model should receive at once, in characters. */
const HUGE_LENGTH = 1_000_000;

const ADD_SCHEMA = {
  type: "object",
  properties: { left: { type: "number" }, right: { type: "number" } },
  required: ["left", "right"],
  additionalProperties: false,
};

/** The tools that Atomic offers to an agent. */
export function describeCustomTools(bench: ClientBench): void {
  describe("custom tools", () => {
    describeCalls(bench);
    describeReplacing(bench);
    describeLimits(bench);
  });
}

/** A tool, and the model's call of it. Each test has its own name, because tools cannot be unregistered. */
interface OfferedTool {
  readonly name: string;
  readonly input: unknown;
  readonly handler: (input: unknown, context: ToolContext) => unknown;
}

function offer(bench: ClientBench, { name, input, handler }: OfferedTool): void {
  bench.client.registerTool({ name, description: `The tool ${name}.`, inputSchema: ADD_SCHEMA, handler });
  const call = requireCall(bench.calls.customTool(name, input), "a custom tool is called");
  script(bench, callTools(call), say("Done."));
}

function describeCalls(bench: ClientBench): void {
  const testCustom = testIfAble(bench, "customTools");

  testCustom("a custom tool is called with the model's arguments, and its result reaches the model", async () => {
    const calls: unknown[] = [];
    offer(bench, {
      name: "add_numbers",
      input: { left: 1, right: 2 },
      handler: (input, { sessionID, directory, agent }) => {
        calls.push({ input, sessionID, directory, agent });
        return { sum: "sum-5309" };
      },
    });
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    const { events } = await talk.complete("Add.");
    expect(calls).toEqual([
      {
        input: { left: 1, right: 2 },
        sessionID: talk.id,
        directory: bench.workFolder,
        agent: bench.client.agentType,
      },
    ]);
    expect(eventsOf(events, "tool-end").map(({ isError }) => isError)).toEqual([false]);
    expect(requestsWith(bench, "sum-5309").length).toBeGreaterThan(0);
  });

  testCustom("invalid arguments do not reach the tool; the model receives the problem", async () => {
    let callCount = 0;
    offer(bench, {
      name: "add_strictly",
      input: { left: "one", right: 2 },
      handler: () => {
        callCount += 1;
      },
    });
    const { events } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Add wrongly-9918.");
    expect([callCount, eventsOf(events, "tool-end").map(({ isError }) => isError)]).toEqual([0, [true]]);
    expect(requestsWith(bench, "wrongly-9918").flatMap(toolResultsOf).join("\n")).toContain("left");
  });

  testCustom("a tool's error reaches the model, and the turn continues", async () => {
    offer(bench, {
      name: "add_failing",
      input: { left: 1, right: 2 },
      handler: () => {
        throw new Error("the-abacus-broke-8812");
      },
    });
    const { reply } = await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Add.");
    expect([reply.content, requestsWith(bench, "the-abacus-broke-8812").length > 0]).toEqual(["Done.", true]);
  });
}

function describeReplacing(bench: ClientBench): void {
  const testCustom = testIfAble(bench, "customTools");

  testCustom("a tool that is registered again replaces the earlier one in sessions opened afterwards", async () => {
    const calls: string[] = [];
    const offerAs = (version: string): void =>
      offer(bench, {
        name: "add_replaced",
        input: { left: 1, right: 2 },
        handler: () => {
          calls.push(version);
          return `sum of the ${version} abacus-8813`;
        },
      });
    offerAs("first");
    await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Add.");
    offerAs("second");
    await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Add.");
    expect(calls).toEqual(["first", "second"]);
    expect(requestsWith(bench, "sum of the second abacus-8813").length).toBeGreaterThan(0);
  });
}

function describeLimits(bench: ClientBench): void {
  const testCustom = testIfAble(bench, "customTools");

  testCustom("an abort of the turn aborts a running tool", async () => {
    const controller = new AbortController();
    const aborted = Promise.withResolvers<void>();
    offer(bench, {
      name: "add_forever",
      input: { left: 1, right: 2 },
      handler: (_input, { abort }) => {
        abort.addEventListener("abort", () => aborted.resolve(), { once: true });
        controller.abort(new Error("enough"));
        return new Promise(() => {});
      },
    });
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    expect((await talk.fail("Add.", { signal: controller.signal })).error).toEqual(new Error("enough"));
    await aborted.promise;
    await talk.expectUsable();
  });

  testCustom("a tool's huge output is cut before it reaches the model", async () => {
    offer(bench, { name: "add_loudly", input: { left: 1, right: 2 }, handler: () => "y".repeat(HUGE_LENGTH) });
    await (await openTalk(bench, { permissions: ALLOW_ALL })).complete("Add loudly-9917.");
    const sizes = requestsWith(bench, "loudly-9917").map((request) => encodedBodyOf(request).length);
    expect(Math.max(...sizes)).toBeLessThan(HUGE_LENGTH);
  });

  testCustom("the policy decides about custom tools, too", async () => {
    let callCount = 0;
    offer(bench, {
      name: "add_secretly",
      input: { left: 1, right: 2 },
      handler: () => {
        callCount += 1;
      },
    });
    const { events, reply } = await (await openTalk(bench)).complete("Add.");
    expect([callCount, reply.deniedPermissions.map(({ kind }) => kind)]).toEqual([0, ["mcp"]]);
    expect(eventsOf(events, "tool-start").map(({ kind }) => kind)).toEqual(["mcp"]);
  });

  testCustom("a rule for MCP tools applies to custom tools of every agent", async () => {
    let callCount = 0;
    offer(bench, {
      name: "add_openly",
      input: { left: 1, right: 2 },
      handler: () => {
        callCount += 1;
      },
    });
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["mcp"] }], otherwise: "deny" };
    const { reply } = await (await openTalk(bench, { permissions })).complete("Add.");
    expect([callCount, reply.deniedPermissions]).toEqual([1, []]);
  });
}
