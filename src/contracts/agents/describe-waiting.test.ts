import { expect, test } from "bun:test";
import type { AgentEventBody } from "./agent-event.ts";
import { describeWaiting, WaitingFilter } from "./describe-waiting.ts";

const sessionId = "s";
const WAIT = { type: "waiting", sessionId, reason: "rate-limit", message: "Slow down" } as const;

test.each([
  { title: "why", facts: {}, words: "(rate-limit): Slow down" },
  {
    title: "the time left, in whole seconds",
    facts: { retryAt: 4_100 },
    words: "(rate-limit, again in 4 s): Slow down",
  },
  { title: "nothing of a time that is over", facts: { retryAt: 900 }, words: "(rate-limit): Slow down" },
  {
    title: "the attempt and the time left",
    facts: { attempt: 2, retryAt: 3_000 },
    words: "(rate-limit, attempt 2 failed, again in 2 s): Slow down",
  },
])("a wait says $title", ({ facts, words }) => {
  expect(describeWaiting({ ...WAIT, ...facts }, 1_000)).toBe(words);
});

test("a wait is reported again when it changes, or when the agent continued in between", () => {
  const filter = new WaitingFilter();
  const events: readonly AgentEventBody[] = [
    { type: "turn-start", sessionId },
    WAIT,
    { type: "vendor", sessionId, name: "x", data: 1 },
    WAIT,
    { ...WAIT, attempt: 2 },
    { ...WAIT, attempt: 2 },
    { type: "text-delta", sessionId, text: "Well" },
    { ...WAIT, attempt: 2 },
  ];
  expect(events.map((event) => filter.take(event, 1_000))).toEqual([
    undefined,
    "(rate-limit): Slow down",
    undefined,
    undefined,
    "(rate-limit, attempt 2 failed): Slow down",
    undefined,
    undefined,
    "(rate-limit, attempt 2 failed): Slow down",
  ]);
});

test("a wait that an agent repeats every second is reported once, and again when its end moves", () => {
  const filter = new WaitingFilter();
  const waits = [
    { now: 1_000, retryAt: 60_000 },
    { now: 2_000, retryAt: 60_004 },
    { now: 3_000, retryAt: 59_998 },
    { now: 4_000, retryAt: 90_000 },
  ];
  expect(waits.map(({ now, retryAt }) => filter.take({ ...WAIT, retryAt }, now))).toEqual([
    "(rate-limit, again in 59 s): Slow down",
    undefined,
    undefined,
    "(rate-limit, again in 86 s): Slow down",
  ]);
});

test("a wait that starts after the last one ended is reported, even with the same text", () => {
  const filter = new WaitingFilter();
  const waits = [
    { now: 1_000, retryAt: 2_000 },
    { now: 2_000, retryAt: 4_000 },
    { now: 4_500, retryAt: 8_500 },
  ];
  expect(waits.map(({ now, retryAt }) => filter.take({ ...WAIT, retryAt }, now))).toEqual([
    "(rate-limit, again in 1 s): Slow down",
    "(rate-limit, again in 2 s): Slow down",
    "(rate-limit, again in 4 s): Slow down",
  ]);
});
