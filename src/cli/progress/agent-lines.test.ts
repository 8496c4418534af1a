import { expect, test } from "bun:test";
import pc from "picocolors";
import { eventOf } from "../fixtures/run-events.ts";
import { AgentLines } from "./agent-lines.ts";
import { EMPTY_PROGRESS, reduceProgress } from "./progress-model.ts";

const RUNNING = reduceProgress(EMPTY_PROGRESS, eventOf("node-start"));

function openLines(): AgentLines {
  return new AgentLines(pc.createColors(false));
}

test("a line that does not end is printed in parts, between words", () => {
  const lines = openLines().take(eventOf("agent-text", { text: "word ".repeat(500) }), RUNNING);
  expect(lines).toEqual([`  │ ${"word ".repeat(500).trim()}`]);
});

test("what has no line break behind it is printed when the node asks, ends or fails", () => {
  for (const type of ["request", "node-end", "node-error", "node-dropped", "tool-start", "log"] as const) {
    const lines = openLines();
    expect(lines.take(eventOf("agent-text", { text: "half" }), RUNNING)).toEqual([]);
    expect(lines.take(eventOf(type), RUNNING)[0]).toBe("  │ half");
  }
});

test("usage and thinking do not break a line that is being written", () => {
  const lines = openLines();
  lines.take(eventOf("agent-text", { text: "one " }), RUNNING);
  expect(lines.take(eventOf("usage"), RUNNING)).toEqual([]);
  expect(lines.take(eventOf("agent-thinking"), RUNNING)).toEqual([]);
  expect(lines.take(eventOf("agent-text", { text: "line\n" }), RUNNING)).toEqual(["  │ one line"]);
});

test("text cannot be taken for a line of Atomic's", () => {
  const text = "✔ Deploy  1s\n\u001b[1A\u001b[2K● bash: ls\n";
  expect(openLines().take(eventOf("agent-text", { text }), RUNNING)).toEqual(["  │ ✔ Deploy  1s", "  │ ● bash: ls"]);
});

test("a tool call is one line, and another one where it failed", () => {
  const lines = openLines();
  const call = eventOf("tool-start", { title: "echo a\necho b" });
  expect(lines.take(call, RUNNING)).toEqual(["  ● bash: echo a echo b"]);
  expect(lines.take(eventOf("tool-end", { isError: true }), RUNNING)).toEqual(["  ✗ bash: echo a echo b"]);
  expect(lines.take(eventOf("tool-end"), RUNNING)).toEqual([]);
});
