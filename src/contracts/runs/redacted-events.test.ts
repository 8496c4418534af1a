import { expect, test } from "bun:test";
import type { AgentEvent, AgentEventBody } from "../agents/agent-event.ts";
import { createRedactor, noRedaction } from "../secrets/redactor.ts";
import { RedactedAgentEvents, RedactedRunEvents } from "./redacted-events.ts";
import type { RunEvent } from "./run-event.ts";

const SECRET = "zq8-Wm4Kt2Vx9LbN";
const redactor = createRedactor({ secrets: [{ name: "KEY", value: SECRET }] });
const BASE = { runId: "r", at: 7 } as const;
const NODE = { ...BASE, nodeId: `work-${SECRET}`, taskId: `work-${SECRET}#2` } as const;
const said = (event: AgentEventBody): AgentEvent => ({ ...event, at: 7 });
const text = (piece: string, sessionId = "s"): AgentEvent => said({ type: "text-delta", sessionId, text: piece });
const end: AgentEvent = said({ type: "turn-end", sessionId: "s", outcome: "completed" });

test("a secret that is split between pieces of text is redacted, and text without one is passed on at once", () => {
  const events = new RedactedAgentEvents(redactor);
  const pieces = ["The key is zq8-", "Wm4Kt2", "Vx9LbN, ", "I think."].map((piece) => events.take(text(piece)));
  expect(pieces).toEqual([[text("The key is ")], [], [text("[redacted:KEY], ")], [text("I think.")]]);
});

test("where nothing is redacted, nothing is held back", () => {
  const events = new RedactedAgentEvents(noRedaction);
  const pieces = [text("sk-"), text(`Authorization: ${SECRET}`)];
  expect(pieces.flatMap((piece) => events.take(piece))).toEqual(pieces);
  expect(events.flush()).toEqual([]);
});

test("what is held back comes before any other event of its session, and at the end", () => {
  const events = new RedactedAgentEvents(redactor);
  const usage = said({ type: "usage", sessionId: "s", usage: { inputTokens: 1, outputTokens: 1 } as never });
  const given = [
    text("a zq8-"),
    text("b zq8-", "t"),
    usage,
    said({ type: "thinking-delta", sessionId: "s", text: "zq" }),
    end,
  ];
  expect(given.map((event) => events.take(event))).toEqual([
    [text("a ")],
    [text("b ", "t")],
    [usage],
    [text("zq8-")],
    [said({ type: "thinking-delta", sessionId: "s", text: "zq" }), end],
  ]);
  expect(events.flush()).toEqual([text("zq8-", "t")]);
});

test("events of a run are redacted, except their ids; a node's end comes after its text", () => {
  const events = new RedactedRunEvents(redactor);
  const agent = (event: AgentEvent): RunEvent => ({ ...NODE, type: "agent", event });
  const log = (message: string): RunEvent => ({ ...NODE, type: "log", message });
  const ended = { ...NODE, type: "node-end", durationMs: 1, usage: {} as never } as const;
  expect(events.take(log(`It is ${SECRET}`))).toEqual([log("It is [redacted:KEY]")]);
  expect(events.take(agent(text(`${SECRET.slice(0, 9)}`)))).toEqual([]);
  expect(events.take(ended)).toEqual([agent(text(SECRET.slice(0, 9))), ended]);
  expect(events.take(agent(text("sk-")))).toEqual([]);
  const over: RunEvent = { ...BASE, type: "run-end", status: "cancelled", usage: {} as never };
  expect(events.take(over)).toEqual([agent(text("sk-")), over]);
  const same: RunEvent = { ...BASE, type: "warning", message: "Nothing is hidden" };
  expect(events.take(same)[0]).toBe(same);
});

test("what a run redacts when it enters the run is not searched again", () => {
  const searched: unknown[] = [];
  const noting = {
    ...redactor,
    value: <T>(value: T): T => {
      searched.push(value);
      return value;
    },
  };
  const events = new RedactedRunEvents(noting);
  const big = { text: "x" };
  const error = { code: "X", message: "It broke" };
  const given: readonly RunEvent[] = [
    { ...NODE, type: "node-end", durationMs: 1, usage: {} as never, update: big, state: big },
    { ...NODE, type: "node-error", attempt: 1, error },
    { ...BASE, type: "run-end", status: "failed", usage: {} as never, error },
  ];
  expect(given.flatMap((event) => events.take(event))).toEqual([...given]);
  expect(searched).toEqual([
    { type: "node-end", at: 7, durationMs: 1, usage: {} },
    { type: "node-error", at: 7, attempt: 1 },
    { type: "run-end", at: 7, status: "failed", usage: {} },
  ]);
});
