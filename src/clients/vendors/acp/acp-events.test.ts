import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { type AgentEventBody, recordOf, stringOf } from "../../../contracts/index.ts";
import { joinDeltas } from "../../../testkit/conformance/client/client-talk.ts";
import { plainEvents } from "../../fixtures/turn-events.ts";
import { finishTranslation, noteToolCall, startTranslation, toolCallOf, translateAcpUpdate } from "./acp-events.ts";
import type { RealAgent } from "./fixtures/acp-bench.ts";

/** Updates from real turns of real agents, written by scripts/record-acp-events.ts. */
const RECORDED: readonly { readonly agent: RealAgent; readonly turn: string; readonly update: unknown }[] =
  readFileSync(new URL("./fixtures/recorded-events.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const start = () => startTranslation("s", { mcpServers: ["files"], addedInputs: ["cwd"] });

function recorded(agent: RealAgent, turn: string): readonly unknown[] {
  return RECORDED.filter((line) => line.agent === agent && line.turn === turn).map(({ update }) => update);
}

function translate(updates: readonly unknown[]): readonly AgentEventBody[] {
  let state = start();
  const events = updates.flatMap((update) => {
    const step = translateAcpUpdate(state, update);
    state = step.state;
    return step.events;
  });
  return [...events, ...finishTranslation(state).events];
}

const chunk = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

describe("a recorded turn", () => {
  test.each(["opencode", "claude"] as const)("of %s with thinking and text", (agent) => {
    expect(plainEvents(translate(recorded(agent, "text")))).toEqual([
      { type: "thinking-delta", text: "hm, " },
      { type: "thinking-delta", text: "well" },
      { type: "text-delta", text: "one " },
      { type: "text-delta", text: "two " },
      { type: "text-delta", text: "three" },
    ]);
  });

  test("of OpenCode with tools: the arguments are the model's, without the agent's additions", () => {
    expect(plainEvents(translate(recorded("opencode", "tools")))).toEqual([
      { type: "text-delta", text: "I " },
      { type: "text-delta", text: "write." },
      {
        type: "tool-start",
        toolId: "call_2_0",
        toolName: "write",
        kind: "edit",
        input: { filePath: "/home/me/work/a.txt", content: "hi\n" },
      },
      { type: "tool-end", toolId: "call_2_0", toolName: "write", isError: false, output: "Wrote file successfully." },
      {
        type: "tool-start",
        toolId: "call_3_0",
        toolName: "bash",
        kind: "shell",
        input: { command: "echo out; exit 3", description: "Run it" },
      },
      { type: "tool-end", toolId: "call_3_0", toolName: "bash", isError: false, output: "out\n" },
      { type: "text-delta", text: "Done." },
    ]);
  });

  test("of Claude with tools, which never reports a running tool: it starts when its arguments are complete", () => {
    expect(plainEvents(translate(recorded("claude", "tools")))).toEqual([
      { type: "text-delta", text: "I " },
      { type: "text-delta", text: "write." },
      {
        type: "tool-start",
        toolId: "call_1_0",
        toolName: "Write",
        kind: "edit",
        input: { file_path: "/home/me/work/a.txt", content: "hi\n" },
      },
      {
        type: "tool-end",
        toolId: "call_1_0",
        toolName: "Write",
        isError: false,
        output:
          "File created successfully at: /home/me/work/a.txt (file state is current in your context — no need to Read it back)",
      },
      {
        type: "tool-start",
        toolId: "call_3_0",
        toolName: "Bash",
        kind: "shell",
        input: { command: "echo out; exit 3", description: "Run it" },
      },
      { type: "tool-end", toolId: "call_3_0", toolName: "Bash", isError: true, output: "Exit code 3\nout" },
      { type: "text-delta", text: "Done." },
    ]);
  });

  test.each([
    ["opencode", "write", "The user rejected permission to use this specific tool call."],
    ["claude", "Write", "User refused permission to run tool"],
  ] as const)("of %s with a denied call", (agent, toolName, output) => {
    const ends = plainEvents(translate(recorded(agent, "denied")), "tool-end");
    expect(ends).toEqual([{ type: "tool-end", toolId: "call_5_0", toolName, isError: true, output }]);
  });
});

describe("an update", () => {
  test("of a tool that delegates to another agent also starts and ends a sub-agent", () => {
    const call = { sessionUpdate: "tool_call", toolCallId: "1", name: "Agent", title: "Agent" };
    const input = { description: "look around", subagent_type: "Explore", prompt: "Look." };
    const updates = [
      { ...call, status: "in_progress", rawInput: input },
      { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", rawOutput: "found" },
    ];
    expect(plainEvents(translate(updates))).toEqual([
      { type: "tool-start", toolId: "1", toolName: "Agent", kind: "agent", input },
      { type: "subagent-start", subagentId: "1", title: "look around", subagentType: "Explore", task: "Look." },
      { type: "subagent-end", subagentId: "1", isError: false, result: "found" },
      { type: "tool-end", toolId: "1", toolName: "Agent", isError: false, output: "found" },
    ]);
  });

  test("of an ended or a running tool is passed on as a vendor event", () => {
    const update = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "in_progress" };
    const ended = { ...update, status: "completed" };
    expect(translate([update, update, ended, ended]).map(({ type }) => type)).toEqual([
      "tool-start",
      "vendor",
      "tool-end",
      "vendor",
    ]);
  });

  test("of a compaction is reported once, however often the agent reports it as complete", () => {
    const update = { sessionUpdate: "compaction_update", compactionId: "1", status: "completed" };
    expect(translate([{ ...update, status: "in_progress" }, update, update]).map(({ type }) => type)).toEqual([
      "vendor",
      "compacted",
      "vendor",
    ]);
  });

  test("that may come at any time does not cut off a tool's arguments", () => {
    const call = { sessionUpdate: "tool_call", toolCallId: "1", title: "write", status: "pending" };
    const updates = [
      { ...call, rawInput: { path: "a" } },
      { sessionUpdate: "session_info_update", title: "New" },
      { sessionUpdate: "tool_call_update", toolCallId: "1", rawInput: { path: "a", content: "b" } },
      chunk("next"),
    ];
    expect(plainEvents(translate(updates), "tool-start").map(({ input }) => input)).toEqual([
      { path: "a", content: "b" },
    ]);
  });
});

describe("the end of a turn", () => {
  test("ends the tools that have started, and no others", () => {
    const call = { sessionUpdate: "tool_call", title: "write", status: "pending" };
    const updates = [
      { ...call, toolCallId: "1", rawInput: {} },
      { ...call, toolCallId: "2", rawInput: { path: "a" } },
    ];
    expect(plainEvents(translate(updates))).toEqual([
      { type: "tool-start", toolId: "2", toolName: "tool", kind: "other", input: { path: "a" } },
      {
        type: "tool-end",
        toolId: "2",
        toolName: "tool",
        isError: true,
        output: "The turn ended before the tool did.",
      },
    ]);
  });
});

test("many calls take linear time: nothing is copied, and ended calls are not searched", () => {
  const first = start();
  const { calls, pending } = first;
  let state = first;
  const sizes: number[] = [];
  for (let index = 0; index < 2_000; index++) {
    const toolCallId = `call-${index}`;
    for (const update of [
      { sessionUpdate: "tool_call", toolCallId, title: "read", status: "pending" },
      {
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: "completed",
        rawInput: { path: "a" },
        rawOutput: "long",
      },
    ]) {
      state = translateAcpUpdate(state, update).state;
      sizes.push(state.pending.size + state.started.size);
    }
  }
  expect([state.calls === calls, state.pending === pending, Math.max(...sizes), calls.size]).toEqual([
    true,
    true,
    1,
    2_000,
  ]);
  expect(toolCallOf(state, "call-0")).toMatchObject({ name: "read", input: { path: "a" }, rawOutput: undefined });
});

describe("a permission request", () => {
  const note = () => {
    const { state } = translateAcpUpdate(start(), { sessionUpdate: "tool_call", toolCallId: "1", title: "bash" });
    return noteToolCall(state, { toolCallId: "1", title: "ls", rawInput: { command: "ls" } });
  };
  const started = (input: unknown) => [{ type: "tool-start", toolId: "1", toolName: "bash", kind: "other", input }];

  test("adds only arguments that were not reported before", () => {
    const noted = note();
    expect(noted.events).toEqual([]);
    expect(toolCallOf(noted.state, "1")).toMatchObject({ title: "bash", input: { command: "ls" } });
    expect(noteToolCall(start(), undefined)).toEqual({ state: start(), events: [] });
  });

  test("is followed by the call's own update with all arguments", () => {
    const rawInput = { command: "ls", description: "Look" };
    const update = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "in_progress", rawInput };
    expect(plainEvents(translateAcpUpdate(note().state, update).events)).toEqual(started(rawInput));
  });

  test("has the complete arguments when something else follows", () => {
    const text = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "So." } };
    expect(plainEvents(translateAcpUpdate(note().state, text).events)).toEqual([
      ...started({ command: "ls" }),
      { type: "text-delta", text: "So." },
    ]);
  });
});

describe("whatever an agent sends", () => {
  const anyUpdate = fc.oneof(
    fc.constantFrom(...RECORDED.map(({ update }) => update)),
    fc.anything(),
    fc.record({
      sessionUpdate: fc.constantFrom("tool_call", "tool_call_update", "agent_message_chunk", "compaction_update"),
      toolCallId: fc.oneof(fc.constantFrom("1", "2", "__proto__", ""), fc.anything()),
      status: fc.oneof(fc.constantFrom("pending", "in_progress", "completed", "failed"), fc.anything()),
      rawInput: fc.anything(),
      rawOutput: fc.jsonValue(),
      content: fc.anything(),
      locations: fc.anything(),
      title: fc.anything(),
    }),
  );

  test("the translator does not throw, and each tool has one start and then one end", () => {
    fc.assert(
      fc.property(fc.array(anyUpdate, { maxLength: 40 }), (updates) => {
        const events = translate(updates);
        const of = (type: "tool-start" | "tool-end") =>
          events.flatMap((event) => (event.type === type ? [event.toolId] : []));
        const starts = of("tool-start");
        expect(starts.toSorted()).toEqual(of("tool-end").toSorted());
        expect(new Set(starts).size).toBe(starts.length);
      }),
      { numRuns: 200 },
    );
  });

  test("text is neither lost nor duplicated, wherever the stream is cut and whatever comes between", () => {
    const texts = (updates: readonly unknown[]) =>
      updates
        .map(recordOf)
        .map((update) =>
          update.sessionUpdate === "agent_message_chunk" ? stringOf(recordOf(update.content).text) : "",
        )
        .join("");
    fc.assert(
      fc.property(fc.array(anyUpdate, { maxLength: 40 }), fc.array(fc.string()), (updates, words) => {
        const stream = [...updates, ...words.map(chunk)];
        expect(joinDeltas(translate(stream), "text-delta")).toBe(texts(stream));
      }),
      { numRuns: 200 },
    );
  });
});
