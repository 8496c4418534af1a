import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { AgentEventBody } from "../../../contracts/index.ts";
import { plainEvents } from "../../fixtures/turn-events.ts";
import { startTranslation, translateCopilotEvent } from "./copilot-events.ts";
import { advanceProgress, startProgress, type TurnProgress } from "./copilot-turn.ts";
import { type CopilotEvent, parseCopilotEvent } from "./copilot-wire.ts";

/** What Copilot's runtime 1.0.14 sent in real turns: see scripts/record-copilot-events.ts. */
const RECORDED: readonly { readonly turn: string; readonly event: unknown }[] = readFileSync(
  new URL("./fixtures/recorded-events.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const TURNS = [...new Set(RECORDED.map(({ turn }) => turn))];
const USAGE = {
  type: "usage",
  usage: { inputTokens: 1000, outputTokens: 20, cacheReadTokens: 5, cacheWriteTokens: 0 },
};

function recorded(turn: string): readonly CopilotEvent[] {
  return RECORDED.filter((line) => line.turn === turn).map(({ event }) => parseCopilotEvent(event));
}

function translate(events: readonly CopilotEvent[]): readonly AgentEventBody[] {
  let state = startTranslation("s");
  return events.flatMap((event) => {
    const translation = translateCopilotEvent(state, event);
    state = translation.state;
    return translation.events;
  });
}

function translateRecorded(turn: string): readonly AgentEventBody[] {
  return translate(recorded(turn));
}

function advance(events: readonly CopilotEvent[]): TurnProgress {
  return events.reduce(advanceProgress, startProgress());
}

function joinText(events: readonly AgentEventBody[], type: "text-delta" | "thinking-delta" = "text-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

describe("recorded turns", () => {
  test("thinking and text are separate, each piece once", () => {
    expect<unknown>(plainEvents(translateRecorded("thinking"))).toEqual([
      { type: "thinking-delta", text: "pondering " },
      { type: "thinking-delta", text: "hard " },
      { type: "thinking-delta", text: "now" },
      { type: "text-delta", text: "the " },
      { type: "text-delta", text: "answer" },
      USAGE,
    ]);
  });

  test("each tool starts and ends once, a denied one with an error, and each model call counts once", () => {
    const events = plainEvents(translateRecorded("tools"));
    const [create, bash] = events.flatMap(({ type, toolId }) => (type === "tool-start" ? [toolId] : []));
    expect<unknown>(events).toEqual([
      USAGE,
      {
        type: "tool-start",
        toolId: create,
        toolName: "create",
        kind: "edit",
        input: { path: "/work/a.txt", file_text: "a" },
      },
      {
        type: "tool-start",
        toolId: bash,
        toolName: "bash",
        kind: "shell",
        input: { command: "echo denied", description: "Run it" },
      },
      {
        type: "tool-end",
        toolId: create,
        toolName: "create",
        isError: false,
        output: "Created file /work/a.txt with 1 characters",
      },
      {
        type: "tool-end",
        toolId: bash,
        toolName: "bash",
        isError: true,
        output: "The user rejected this tool call. User feedback: no",
      },
      { type: "text-delta", text: "Done." },
      USAGE,
    ]);
  });

  test.each([
    "assistant.idle",
    "assistant.message_start",
    "assistant.streaming_delta",
    "pending_messages.modified",
    "system.message",
  ])("%s, which has no counterpart, is passed on as a vendor event", (type) => {
    const data = { told: true };
    expect(translate([parseCopilotEvent({ type, data })])).toEqual([
      { type: "vendor", sessionId: "s", name: type, data },
    ]);
  });

  test("a sub-agent begins and ends; its tokens count, its text and tools are vendor events", () => {
    const translated = translateRecorded("subagent");
    const events = plainEvents(translated);
    expect(events.map(({ type }) => type)).toEqual([
      "usage",
      "tool-start",
      "subagent-start",
      "usage",
      "usage",
      "subagent-end",
      "tool-end",
      "text-delta",
      "usage",
    ]);
    const subagentId = events[2]?.subagentId;
    const facts = { title: "look around", subagentType: "general-purpose", task: "Look." };
    expect(events[2]).toEqual({ type: "subagent-start", subagentId, ...facts });
    expect(events[5]).toEqual({ type: "subagent-end", subagentId, isError: false, result: "Seen." });
    expect(joinText(translated)).toBe("Done.");
    const vendorEvents = translated.flatMap((event) => (event.type === "vendor" ? [event.name] : []));
    expect(vendorEvents.filter((name) => /^tool\.execution_(?:start|complete)$/.test(name))).toHaveLength(2);
  });

  test("a model call that the runtime retries is a wait", () => {
    expect<unknown>(plainEvents(translateRecorded("retry"))).toEqual([
      { type: "waiting", reason: "overload", message: "busy" },
      { type: "text-delta", text: "At " },
      { type: "text-delta", text: "last." },
      USAGE,
    ]);
  });

  test("a rejected model call is not a wait", () => {
    expect(plainEvents(translateRecorded("error"))).toEqual([]);
    expect(advance(recorded("error"))).toEqual({
      phase: "over",
      lastText: "",
      error: { errorType: "query", message: "400 no such model", statusCode: 400 },
    });
  });

  test.each(TURNS)("%s: the turn is over with the last event, and not before", (turn) => {
    const events = recorded(turn);
    expect(advance(events).phase).toBe("over");
    const isAborted = turn === "abort";
    expect(advance(events.slice(0, isAborted ? -2 : -1)).phase).toBe(isAborted ? "running" : "quiet");
  });

  test("the idle event of the turn before does not end a turn that was only sent", () => {
    const idle = { type: "session.idle", data: {} };
    expect(advance([idle, { type: "assistant.idle", data: { aborted: true } }]).phase).toBe("sent");
    expect(advance([{ type: "session.error", data: { message: "no login" } }, idle]).phase).toBe("over");
  });
});

describe("single events", () => {
  test("the whole message continues from where its deltas ended", () => {
    const events: CopilotEvent[] = [
      { type: "assistant.message_delta", data: { messageId: "m", deltaContent: "one " } },
      { type: "assistant.message", data: { messageId: "m", content: "one two" } },
      { type: "assistant.message", data: { messageId: "m", content: "one two" } },
      { type: "assistant.message_delta", data: { messageId: "m", deltaContent: "two" } },
      { type: "assistant.message", data: { messageId: "n", content: "three" } },
    ];
    expect<unknown>(plainEvents(translate(events))).toEqual([
      { type: "text-delta", text: "one " },
      { type: "text-delta", text: "two" },
      // Another message, without a tool between them.
      { type: "text-delta", text: "\n\nthree" },
    ]);
  });

  test("an answer that broke off starts again with the next output, and a complete one does not", () => {
    const delta = (messageId: string): CopilotEvent => ({
      type: "assistant.message_delta",
      data: { messageId, deltaContent: "Half" },
    });
    const whole: CopilotEvent = { type: "assistant.message", data: { messageId: "m", content: "Half" } };
    const failure: CopilotEvent = { type: "model.call_failure", data: { errorMessage: "reset" } };
    const thought: CopilotEvent = {
      type: "assistant.reasoning_delta",
      data: { reasoningId: "r", deltaContent: "Hm" },
    };
    const typesOf = (events: readonly CopilotEvent[]) =>
      translate(events).map((event) => (event.type === "text-delta" ? event.text : event.type));
    expect([
      typesOf([delta("m"), failure, thought, delta("n")]),
      typesOf([failure, delta("n")]),
      typesOf([delta("m"), whole, failure, delta("n")]),
    ]).toEqual([
      ["Half", "waiting", "text-restart", "thinking-delta", "\n\nHalf"],
      ["waiting", "Half"],
      ["Half", "waiting", "\n\nHalf"],
    ]);
  });

  test("a compaction counts its tokens, and is reported once it has succeeded", () => {
    const compactionTokensUsed = { inputTokens: 50, outputTokens: 5, cacheReadTokens: 10, cacheWriteTokens: 4 };
    const usage = { inputTokens: 36, outputTokens: 5, cacheReadTokens: 10, cacheWriteTokens: 4 };
    const compaction = (success: boolean): CopilotEvent => ({
      type: "session.compaction_complete",
      data: { success, compactionTokensUsed },
    });
    expect<unknown>(plainEvents(translate([compaction(true)]))).toEqual([
      { type: "usage", usage },
      { type: "compacted" },
    ]);
    expect<unknown>(plainEvents(translate([compaction(false)]))).toEqual([{ type: "usage", usage }]);
  });

  test("a tool of an MCP server is of the kind mcp", () => {
    const data = { toolCallId: "c", toolName: "app-view", mcpServerName: "app" };
    expect<unknown>(plainEvents(translate([{ type: "tool.execution_start", data }]))).toEqual([
      { type: "tool-start", toolId: "c", toolName: "app-view", kind: "mcp", input: {} },
    ]);
  });

  test.each([
    { type: "permission.completed", data: { requestId: "p", result: { kind: "approve-once" } } },
    { type: "user_input.completed", data: { requestId: "q" } },
    { type: "model.call_failure", data: { statusCode: 400, errorMessage: "Malformed." } },
    { type: "session.compaction_complete", data: { success: false } },
  ])("$type is passed on if it has no counterpart in Atomic", ({ type, data }) => {
    expect(translate([{ type, data }])).toEqual([{ type: "vendor", sessionId: "s", name: type, data }]);
  });

  test("unknown events are passed on, and the runtime's log without the conversation that it repeats", () => {
    const events = [
      { type: "quantum.entangled", data: { spin: "up" } },
      { type: "model.messages_snapshot", data: { messages: ["long"], count: 1 } },
    ];
    expect(translate(events)).toEqual([
      { type: "vendor", sessionId: "s", name: "quantum.entangled", data: { spin: "up" } },
      { type: "vendor", sessionId: "s", name: "model.messages_snapshot", data: { count: 1 } },
    ]);
  });
});

describe("any stream", () => {
  const anyData = fc.oneof(fc.jsonValue(), fc.anything());
  const anyEvent = fc.oneof(
    fc.constantFrom(...RECORDED.map(({ event }) => event)),
    fc.record({ type: fc.constantFrom(...RECORDED.map(({ event }) => parseCopilotEvent(event).type)), data: anyData }),
    anyData,
  );

  test("shuffled, truncated or invented, is translated without an exception, and each tool ends at most once", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (raw) => {
        const events = raw.map(parseCopilotEvent);
        const translated = translate(events);
        advance(events);
        const ends = translated.flatMap((event) => (event.type === "tool-end" ? [event.toolId] : []));
        expect(ends.length).toBe(new Set(ends).size);
      }),
      { numRuns: 200 },
    );
  });

  test("that is complete neither loses nor doubles text, whatever is repeated besides deltas", () => {
    fc.assert(
      fc.property(fc.constantFrom(...TURNS), fc.array(fc.nat(), { maxLength: 20 }), (turn, places) => {
        const events = [...recorded(turn)];
        const expected = [joinText(translate(events)), joinText(translate(events), "thinking-delta")];
        for (const place of places) {
          const index = place % events.length;
          const repeated = events[index];
          if (repeated !== undefined && !repeated.type.endsWith("_delta")) events.splice(index + 1, 0, repeated);
        }
        expect([joinText(translate(events)), joinText(translate(events), "thinking-delta")]).toEqual(expected);
      }),
    );
  });
});

test("the cost of an event does not grow with the turn: nothing is copied, and ended calls are not searched", () => {
  const first = startTranslation("s");
  const { texts, tools, runningTools } = first;
  let state = first;
  let mostRunning = 0;
  for (let index = 0; index < 2_000; index++) {
    const toolCallId = `call_${index}`;
    const agent = index % 2 === 0 ? {} : { agentId: "sub" };
    for (const event of [
      { type: "assistant.message", data: { messageId: `m${index}`, content: "a" } },
      { type: "tool.execution_start", data: { toolCallId, toolName: "view", arguments: {} }, ...agent },
      { type: "tool.execution_complete", data: { toolCallId, success: true, result: { content: "b" } }, ...agent },
    ]) {
      state = translateCopilotEvent(state, parseCopilotEvent(event)).state;
      mostRunning = Math.max(mostRunning, runningTools.size);
    }
  }
  expect([state.texts === texts, state.tools === tools, state.runningTools === runningTools]).toEqual([
    true,
    true,
    true,
  ]);
  expect([texts.size, tools.size, runningTools.size, mostRunning]).toEqual([2_000, 2_000, 0, 1]);
});
