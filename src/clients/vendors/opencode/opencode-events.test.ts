import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { AgentEventBody } from "../../../contracts/index.ts";
import { joinDeltas } from "../../../testkit/conformance/client/client-talk.ts";
import { plainEvents } from "../../fixtures/turn-events.ts";
import { startTranslation, translateOpenCodeEvent } from "./opencode-events.ts";
import { advanceTurn, expectMessage, expectNoMessage, type OpenCodeTurn, startTurn } from "./opencode-turn.ts";
import { type OpenCodeEvent, parseOpenCodeEvent, sessionIdOf } from "./server/opencode-wire.ts";

/** What OpenCode 1.18 sent in real turns, written by `scripts/record-opencode-events.ts`. */
const RECORDED: readonly { readonly turn: string }[] = readFileSync(
  new URL("./fixtures/recorded-events.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

function recorded(turn: string): readonly OpenCodeEvent[] {
  return RECORDED.filter((line) => line.turn === turn).flatMap((line) => parseOpenCodeEvent(line) ?? []);
}

/** The first event of a recording names its session. */
function ownSession(events: readonly OpenCodeEvent[]): string {
  return events.map(sessionIdOf).find((id) => id !== undefined) ?? "";
}

function translate(
  events: readonly OpenCodeEvent[],
  sessionId: string,
  { isFree = false } = {},
): readonly AgentEventBody[] {
  let state = startTranslation(sessionId, { serverPrefix: "atomic-0", isFree });
  return events.flatMap((event) => {
    const translation = translateOpenCodeEvent(state, event);
    state = translation.state;
    return translation.events;
  });
}

function translateRecorded(turn: string): readonly AgentEventBody[] {
  const events = recorded(turn);
  return translate(events, ownSession(events));
}

function usage(inputTokens: number, outputTokens: number, costUsd: number): object {
  return { type: "usage", usage: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd } };
}

describe("recorded turns", () => {
  test("thinking and text are separate, though both arrive as deltas of a field named text", () => {
    expect<unknown>(plainEvents(translateRecorded("thinking"))).toEqual([
      { type: "thinking-delta", text: "pondering " },
      { type: "thinking-delta", text: "hard " },
      { type: "thinking-delta", text: "now" },
      { type: "text-delta", text: "the " },
      { type: "text-delta", text: "answer" },
      usage(8054, 18, 0.00809),
    ]);
  });

  test("each tool starts and ends once, and each model call counts once", () => {
    const events = plainEvents(translateRecorded("tools"));
    expect(
      events.map(({ type, toolName, kind, isError, output }) => [type, toolName, kind ?? isError, output]),
    ).toEqual([
      ["tool-start", "write", "edit", undefined],
      ["tool-end", "write", false, "Wrote file successfully."],
      ["usage", undefined, undefined, undefined],
      ["tool-start", "bash", "shell", undefined],
      ["tool-end", "bash", false, "hello b"],
      ["usage", undefined, undefined, undefined],
      ["tool-start", "read", "read", undefined],
      ["tool-end", "read", false, expect.stringContaining("hello b")],
      ["usage", undefined, undefined, undefined],
      ["text-delta", undefined, undefined, undefined],
      ["usage", undefined, undefined, undefined],
    ]);
  });

  test("a sub-agent starts, costs and ends, and its text is not the session's", () => {
    const events = translateRecorded("subagent");
    expect(joinDeltas(events, "text-delta")).toBe("main done");
    expect(plainEvents(events, "subagent-start", "subagent-end")).toEqual([
      {
        type: "subagent-start",
        subagentId: "ses_4",
        title: "sub job (@general subagent)",
        subagentType: "general",
        task: "Look around.",
      },
      { type: "subagent-end", subagentId: "ses_4", isError: false, result: "sub done" },
    ]);
    expect(plainEvents(events, "usage").length).toBe(4);
    expect(plainEvents(events, "tool-start").map((event) => event.toolName)).toEqual(["task"]);
    expect(JSON.stringify(plainEvents(events, "vendor"))).toContain("sub done");
  });

  test("the tool that carries a structured answer is passed on as a vendor event, not as a tool of the agent", () => {
    const events = translateRecorded("structured");
    expect<unknown>(plainEvents(events)).toEqual([usage(8259, 19, 0.008297)]);
    expect(JSON.stringify(events)).toContain("StructuredOutput");
  });
});

describe("whatever OpenCode sends", () => {
  const turns = ["thinking", "tools", "subagent", "refused", "aborted", "structured"];

  test("a doubled recording produces the same text, tools and tokens", () => {
    for (const turn of turns) {
      const events = recorded(turn).filter((event) => event.type !== "message.part.delta");
      const doubled = events.flatMap((event) => [event, event]);
      const once = plainEvents(translate(events, ownSession(events)));
      expect(plainEvents(translate(doubled, ownSession(events)))).toEqual(once);
    }
  });

  test("two texts without a tool between them are separate paragraphs", () => {
    const event = (type: string, properties: object) => ({ type, properties: { sessionID: "s", ...properties } });
    const message = (id: string) => event("message.updated", { info: { id, sessionID: "s", role: "assistant" } });
    const part = (id: string, messageID: string, rest: object) =>
      event("message.part.updated", { part: { id, messageID, sessionID: "s", ...rest } });
    const delta = (partID: string, messageID: string, text: string) =>
      event("message.part.delta", { partID, messageID, field: "text", delta: text });
    const text = { type: "text", text: "" };
    const tool = { type: "tool", callID: "t1", tool: "read", state: { status: "running", input: {} } };
    const events = [
      ...[message("a"), part("1", "a", text), delta("1", "a", "One, "), delta("1", "a", "two.")],
      // The second message comes after its part.
      ...[part("2", "b", text), delta("2", "b", "Three."), message("b")],
      ...[part("3", "b", tool), message("c"), part("4", "c", { type: "text", text: "Four." })],
    ];
    expect(
      translate(events, "s").flatMap((translated) =>
        translated.type === "text-delta" ? [translated.text] : translated.type === "tool-start" ? ["tool"] : [],
      ),
    ).toEqual(["One, ", "two.", "\n\nThree.", "tool", "Four."]);
  });

  test("an answer that OpenCode repeats starts again with the next output, unless it had an end", () => {
    const event = (type: string, properties: object) => ({ type, properties: { sessionID: "s", ...properties } });
    const part = (id: string, rest: object) =>
      event("message.part.updated", { part: { id, messageID: "a", sessionID: "s", ...rest } });
    const retry = event("session.status", { status: { type: "retry", message: "reset", attempt: 1 } });
    const message = event("message.updated", { info: { id: "a", sessionID: "s", role: "assistant" } });
    const text = (id: string) => part(id, { type: "text", text: "Half" });
    const thought = part("t", { type: "reasoning", text: "Hm" });
    const typesOf = (events: readonly OpenCodeEvent[]) =>
      translate(events, "s").map((translated) =>
        translated.type === "text-delta" ? translated.text : translated.type,
      );
    const end = part("e", { type: "step-finish" });
    expect([
      typesOf([message, text("1"), retry, thought, text("2")]),
      typesOf([message, retry, text("1")]),
      typesOf([message, text("1"), end, retry, text("2")]),
    ]).toEqual([
      ["Half", "waiting", "text-restart", "thinking-delta", "\n\nHalf"],
      ["waiting", "Half"],
      ["Half", "usage", "waiting", "\n\nHalf"],
    ]);
  });

  test("the text is complete without deltas, and with the whole text before its deltas", () => {
    const events = recorded("thinking");
    const isDelta = (event: OpenCodeEvent) => event.type === "message.part.delta";
    const whole = events.filter((event) => !isDelta(event));
    for (const order of [whole, [...whole, ...events.filter(isDelta)]]) {
      const translated = translate(order, ownSession(events));
      expect(joinDeltas(translated, "text-delta")).toBe("the answer");
      expect(joinDeltas(translated, "thinking-delta")).toBe("pondering hard now");
    }
  });

  test("no order of events throws, loses text, or ends a tool that did not start", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...turns).chain((turn) => {
          const events = recorded(turn);
          return fc.record({
            sessionId: fc.constant(ownSession(events)),
            order: fc.shuffledSubarray([...events], { minLength: events.length }),
            expected: fc.constant(joinDeltas(translate(events, ownSession(events)), "text-delta")),
          });
        }),
        ({ sessionId, order, expected }) => {
          const translated = translate(order, sessionId);
          const letters = (text: string) => [...text].sort().join("");
          expect(letters(joinDeltas(translated, "text-delta"))).toBe(letters(expected));
          const open = new Set<string>();
          for (const event of translated) {
            if (event.type === "tool-start") open.add(event.toolId);
            if (event.type === "tool-end") expect(open.delete(event.toolId)).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a truncated stream produces the beginning of the whole text", () => {
    for (const turn of turns) {
      const events = recorded(turn);
      const whole = joinDeltas(translate(events, ownSession(events)), "text-delta");
      for (const length of events.keys()) {
        const text = joinDeltas(translate(events.slice(0, length), ownSession(events)), "text-delta");
        expect(whole.startsWith(text)).toBe(true);
      }
    }
  });

  test("nonsense in known events does not throw", () => {
    const types = [
      "message.updated",
      "message.part.updated",
      "message.part.delta",
      "session.status",
      "session.created",
    ];
    const asked = ["question.asked", "permission.asked", "session.error", "session.idle", "made.up"];
    fc.assert(
      fc.property(
        fc.constantFrom(...types, ...asked),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (type, properties) => {
          translate([{ type, properties: { sessionID: "s", ...properties } }], "s");
          translate([{ type, properties }], "s");
        },
      ),
    );
  });

  test.each<{ raw: unknown; expected: unknown }>([
    { raw: undefined, expected: undefined },
    { raw: "text", expected: undefined },
    { raw: { payload: [] }, expected: undefined },
    { raw: { payload: { type: "sync", syncEvent: {} } }, expected: undefined },
    { raw: { payload: { type: "server.connected" } }, expected: { type: "server.connected", properties: {} } },
  ])("an invalid event is ignored: case %#", ({ raw, expected }) => {
    expect<unknown>(parseOpenCodeEvent(raw)).toEqual(expected);
  });

  test("a tool of the session's own MCP servers is reported by its own name and kind", () => {
    const part = { id: "p", type: "tool", messageID: "m", callID: "c", tool: "atomic-0_add" };
    const state = { status: "completed", input: { left: 1 }, output: "2" };
    const event = { type: "message.part.updated", properties: { sessionID: "s", part: { ...part, state } } };
    expect(plainEvents(translate([event], "s"))).toEqual([
      { type: "tool-start", toolId: "c", toolName: "add", kind: "mcp", input: { left: 1 } },
      { type: "tool-end", toolId: "c", toolName: "add", isError: false, output: "2" },
    ]);
  });

  test.each([
    { message: "Too Many Requests", next: 1_234, reason: "rate-limit", retryAt: { retryAt: 1_234 } },
    { message: "slow down", next: 1_234, reason: "rate-limit", retryAt: { retryAt: 1_234 } },
    { message: "Request was throttled.", next: 1_234, reason: "rate-limit", retryAt: { retryAt: 1_234 } },
    { message: "Overloaded", next: 0, reason: "overload", retryAt: {} },
    { message: "Unable to connect. Is the computer able to access the url?", reason: "network", retryAt: {} },
    { message: "it broke", reason: "provider-error", retryAt: {} },
  ])("waiting for the provider is reported: $message", ({ message, next, reason, retryAt }) => {
    const status = { type: "retry", attempt: 1, message, next };
    const event = { type: "session.status", properties: { sessionID: "s", status } };
    expect<unknown>(plainEvents(translate([event], "s"))).toEqual([
      { type: "waiting", reason, message, attempt: 1, ...retryAt },
    ]);
  });

  test("waiting for a provider that cannot be reached names the model, which OpenCode may have chosen itself", () => {
    const info = { id: "m1", role: "assistant", providerID: "opencode", modelID: "big-pickle" };
    const status = { type: "retry", attempt: 2, message: "Cannot connect to API", next: 0 };
    const events = [
      { type: "message.updated", properties: { sessionID: "s", info } },
      { type: "session.status", properties: { sessionID: "s", status } },
    ];
    expect<unknown>(plainEvents(translate(events, "s"))).toEqual([
      { type: "waiting", reason: "network", message: "Cannot connect to API (model opencode/big-pickle)", attempt: 2 },
    ]);
  });

  test("an unknown event is passed on unchanged", () => {
    const properties = { sessionID: "s", anything: [1, 2] };
    expect(translate([{ type: "made.up", properties }], "s")).toEqual([
      { type: "vendor", sessionId: "s", name: "made.up", data: properties },
    ]);
  });
});

describe("the progress of a turn", () => {
  function advance(turn: OpenCodeTurn, events: readonly OpenCodeEvent[]): OpenCodeTurn {
    return events.reduce(advanceTurn, turn);
  }

  test.each(["thinking", "tools", "subagent", "refused", "aborted", "structured"])(
    "%s: it ends with the recording, not before",
    (name) => {
      const events = recorded(name);
      const turn = startTurn(ownSession(events), new Set());
      const lastAnswer = events.findLastIndex((event) => event.type === "message.part.updated");
      if (!["refused", "aborted"].includes(name))
        expect(advance(turn, events.slice(0, lastAnswer)).phase).toBe("running");
      expect(advance(turn, events).phase).toBe("ended");
    },
  );

  test("late events of an earlier turn neither end nor fail the next one", () => {
    const earlier = recorded("refused");
    const sessionId = ownSession(earlier);
    const first = advance(startTurn(sessionId, new Set()), earlier);
    const next = startTurn(sessionId, new Set(first.messages));
    expect(advance(next, earlier)).toEqual({ ...next, earlyError: expect.anything() });
  });

  test("the turn waits for an added message and its answer, even if they are late", () => {
    const message = (id: string, info: object) => ({
      type: "message.updated",
      properties: { sessionID: "s", info: { id, ...info } },
    });
    const answer = (id: string, parentID: string) =>
      message(id, { role: "assistant", parentID, time: { completed: 1 } });
    const idle = { type: "session.idle", properties: { sessionID: "s" } };
    const busy = { type: "session.status", properties: { sessionID: "s", status: { type: "busy" } } };
    const running = advance(startTurn("s", new Set()), [message("u1", { role: "user" }), busy, answer("a1", "u1")]);
    expect(advance(running, [idle]).phase).toBe("ended");
    const added = expectMessage(running);
    expect(advance(added, [idle]).phase).toBe("settling");
    expect(advance(expectNoMessage(added), [idle]).phase).toBe("ended");
    const late = advance(added, [idle, message("u2", { role: "user" }), idle]);
    expect([late.phase, late.messages]).toEqual(["accepted", ["u1", "u2"]]);
    expect(advance(late, [busy, answer("a2", "u2"), idle]).phase).toBe("ended");
    const inTime = advance(added, [message("u2", { role: "user" }), busy, answer("a2", "u2")]);
    expect([inTime.phase, advance(inTime, [idle]).phase]).toEqual(["running", "ended"]);
  });

  test("an idle session means nothing before the work has begun", () => {
    const sent = startTurn("s", new Set());
    const user = { type: "message.updated", properties: { sessionID: "s", info: { id: "msg_1", role: "user" } } };
    const idle = { type: "session.idle", properties: { sessionID: "s" } };
    const busy = { type: "session.status", properties: { sessionID: "s", status: { type: "busy" } } };
    expect(advance(sent, [idle, user, idle]).phase).toBe("accepted");
    expect(advance(sent, [idle, user, idle, busy, idle]).phase).toBe("settling");
  });
});

test.each([
  { title: "unknown", isFree: false, cost: 0, costUsd: undefined },
  { title: "nothing, where the model is known to cost nothing", isFree: true, cost: 0, costUsd: 0 },
  { title: "what it reports", isFree: false, cost: 0.25, costUsd: 0.25 },
])("the cost of a call for which OpenCode reports $cost is $title", ({ isFree, cost, costUsd }) => {
  const part = { messageID: "m", id: "s", type: "step-finish", cost, tokens: { input: 10, output: 2 } };
  const info = { id: "m", role: "assistant" };
  const events = [
    { type: "message.updated", properties: { info } },
    { type: "message.part.updated", properties: { part } },
  ];
  const tokens = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(translate(events, "s", { isFree })).toStrictEqual([
    { type: "usage", sessionId: "s", usage: costUsd === undefined ? tokens : { ...tokens, costUsd } },
  ]);
});

test("the cost of an event does not grow with the turn: nothing is copied, and earlier parts are not searched", () => {
  const first = startTranslation("s", { serverPrefix: "atomic-0" });
  const { messages, parts, earlyParts, tools, countedSteps } = first;
  let state = first;
  const waiting: number[] = [];
  for (let index = 0; index < 2_000; index++) {
    const messageID = `m${index}`;
    const partOf = (part: object) => ({ type: "message.part.updated", properties: { part: { messageID, ...part } } });
    const ended = { status: "completed", input: {}, output: "b" };
    for (const event of [
      partOf({ id: `t${index}`, type: "text", text: "a", time: { end: 1 } }),
      { type: "message.updated", properties: { info: { id: messageID, role: "assistant" } } },
      partOf({ id: `c${index}`, type: "tool", callID: `call_${index}`, tool: "read", state: ended }),
      partOf({ id: `s${index}`, type: "step-finish" }),
    ]) {
      state = translateOpenCodeEvent(state, event).state;
      waiting.push(earlyParts.size);
    }
  }
  expect([state.messages === messages, state.parts === parts, state.earlyParts === earlyParts]).toEqual([
    true,
    true,
    true,
  ]);
  expect([state.tools === tools, state.countedSteps === countedSteps]).toEqual([true, true]);
  expect([messages.size, parts.size, tools.size, countedSteps.size]).toEqual([2_000, 2_000, 2_000, 2_000]);
  expect([Math.max(...waiting.slice(0, 1_000)), earlyParts.size, state.answerId]).toEqual([1, 0, "m1999"]);
});
