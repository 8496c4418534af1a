import { expect, test } from "bun:test";
import pc from "picocolors";
import { EMPTY_PROGRESS, reduceProgress } from "../../view/index.ts";
import { agentEventOf, eventOf } from "../fixtures/run-events.ts";
import { AgentLines } from "./agent-lines.ts";

const RUNNING = reduceProgress(EMPTY_PROGRESS, eventOf("node-start"));

function openLines(): AgentLines {
  return new AgentLines(pc.createColors(false));
}

test("a line that does not end is printed in parts, between words", () => {
  const lines = openLines().take(agentEventOf("text-delta", { text: "word ".repeat(500) }), RUNNING);
  expect(lines).toEqual([`  │ ${"word ".repeat(500).trim()}`]);
});

test("text without a final line break is printed when the node asks, ends or fails", () => {
  const breaks = [
    ...(["request", "node-end", "node-error", "node-dropped", "log"] as const).map((type) => eventOf(type)),
    ...(["tool-start", "text-restart", "waiting", "turn-end"] as const).map((type) => agentEventOf(type)),
  ];
  for (const event of breaks) {
    const lines = openLines();
    expect(lines.take(agentEventOf("text-delta", { text: "half" }), RUNNING)).toEqual([]);
    expect(lines.take(event, RUNNING)[0]).toBe("  │ half");
  }
});

test("usage and thinking do not break a line that is being written", () => {
  const lines = openLines();
  lines.take(agentEventOf("text-delta", { text: "one " }), RUNNING);
  expect(lines.take(eventOf("usage"), RUNNING)).toEqual([]);
  expect(lines.take(agentEventOf("thinking-delta"), RUNNING)).toEqual([]);
  expect(lines.take(agentEventOf("text-delta", { text: "line\n" }), RUNNING)).toEqual(["  │ one line"]);
});

test("text cannot be taken for a line of Atomic's", () => {
  const text = "✔ Deploy  1s\n\u001b[1A\u001b[2K● bash: ls\n";
  expect(openLines().take(agentEventOf("text-delta", { text }), RUNNING)).toEqual([
    "  │ ✔ Deploy  1s",
    "  │ ● bash: ls",
  ]);
});

test("a tool call is one line, and another one where it failed", () => {
  const lines = openLines();
  const call = agentEventOf("tool-start", { input: { command: "echo a\necho b" } });
  expect(lines.take(call, RUNNING)).toEqual(["  ● bash: echo a echo b"]);
  expect(lines.take(agentEventOf("tool-end", { isError: true }), RUNNING)).toEqual(["  ✗ bash: echo a echo b"]);
  expect(lines.take(agentEventOf("tool-end"), RUNNING)).toEqual([]);
});
