import { describe, expect, test } from "bun:test";
import { type AgentEvent, NO_USAGE, type NodeEmission } from "../../contracts/index.ts";
import { createEventEmitter } from "./agent-events.ts";

const sessionId = "s1";
const tool = { toolId: "t", toolName: "Bash" };

/** What a run is told of an agent's event. */
function emissionsOf(...events: readonly AgentEvent[]): readonly NodeEmission[] {
  const emissions: NodeEmission[] = [];
  events.forEach(createEventEmitter({ emit: (emission) => emissions.push(emission) }));
  return emissions;
}

describe("an agent's event", () => {
  const denied = { toolName: "Bash", kind: "shell" as const, title: "rm", reason: "policy" };
  const question = { id: "q", sessionId, question: "?", options: [], isMultiple: false };
  const request = { id: "p", sessionId, kind: "shell" as const, toolName: "Bash", title: "rm", paths: [] };
  test.each<{ event: AgentEvent; told: NodeEmission | undefined }>([
    { event: { type: "text-delta", sessionId, text: "x" }, told: { type: "agent-text", text: "x" } },
    { event: { type: "thinking-delta", sessionId, text: "x" }, told: { type: "agent-thinking", text: "x" } },
    {
      event: { type: "tool-start", sessionId, ...tool, kind: "shell", input: "ls" },
      told: { type: "tool-start", ...tool, title: "ls" },
    },
    {
      event: { type: "tool-end", sessionId, ...tool, isError: false, output: "x" },
      told: { type: "tool-end", ...tool, isError: false },
    },
    { event: { type: "permission-denied", sessionId, denied }, told: { type: "permission-denied", denied } },
    { event: { type: "usage", sessionId, usage: NO_USAGE }, told: { type: "usage", usage: NO_USAGE } },
    {
      event: { type: "compacted", sessionId },
      told: { type: "log", message: "The agent compacted its conversation." },
    },
    {
      event: { type: "error", sessionId, message: "oops", code: "E" },
      told: { type: "log", message: "The agent reports an error: oops" },
    },
    { event: { type: "turn-start", sessionId }, told: undefined },
    { event: { type: "turn-end", sessionId, outcome: "completed" }, told: undefined },
    { event: { type: "permission-ask", sessionId, request }, told: undefined },
    { event: { type: "question-ask", sessionId, question }, told: undefined },
    { event: { type: "subagent-start", sessionId, subagentId: "a", title: "x" }, told: undefined },
    { event: { type: "subagent-end", sessionId, subagentId: "a", isError: false }, told: undefined },
    {
      event: { type: "stalled", sessionId, silentMs: 1_500 },
      told: { type: "log", message: "The agent has been silent for 2 s; its turn is aborted." },
    },
    {
      event: { type: "waiting", sessionId, reason: "rate-limit", message: "Too many requests" },
      told: { type: "log", message: "The agent waits (rate-limit): Too many requests" },
    },
    { event: { type: "vendor", sessionId, name: "x", data: 1 }, told: undefined },
  ])("$event.type", ({ event, told }) => {
    expect(emissionsOf(event)).toEqual(told === undefined ? [] : [told]);
  });
});

describe("the title of a tool call", () => {
  test.each([
    { title: "is what tells most of its input", input: { description: 7, command: "npm test" }, expected: "npm test" },
    { title: "is one line", input: { command: " a\n\tb  c " }, expected: "a b c" },
    { title: "is empty when there is no input", input: undefined, expected: "" },
    { title: "is cut when it is long", input: { command: "x".repeat(200) }, expected: `${"x".repeat(119)}…` },
  ])("$title", ({ input, expected }) => {
    const [emission] = emissionsOf({ type: "tool-start", sessionId, ...tool, kind: "other", input });
    expect(emission).toEqual({ type: "tool-start", ...tool, title: expected });
  });
});

test("a wait that says nothing new is told once", () => {
  const wait = { type: "waiting", sessionId, reason: "rate-limit", message: "Slow down" } as const;
  expect(emissionsOf(wait, wait, { ...wait, attempt: 2 })).toEqual([
    { type: "log", message: "The agent waits (rate-limit): Slow down" },
    { type: "log", message: "The agent waits (rate-limit, attempt 2 failed): Slow down" },
  ]);
});
