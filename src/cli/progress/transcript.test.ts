import { expect, test } from "bun:test";
import pc from "picocolors";
import { eventOf } from "../fixtures/run-events.ts";
import { formatTranscript, reduceTranscript, type Transcript } from "./transcript.ts";

const ROOM = { rows: 8, columns: 20, colors: pc.createColors(false) };

function said(...texts: readonly string[]): Transcript {
  return texts.reduce<Transcript>((before, text) => reduceTranscript(before, eventOf("agent-text", { text })), []);
}

test("text that comes in pieces is one text, until a tool is called", () => {
  const called = reduceTranscript(said("Let me ", "see."), eventOf("tool-start"));
  expect(reduceTranscript(called, eventOf("agent-text", { text: "Done." }))).toEqual([
    { type: "text", text: "Let me see." },
    { type: "tool", toolId: "t1", call: "bash: npm test", status: "running" },
    { type: "text", text: "Done." },
  ]);
});

test.each([
  { title: "lines end between words", text: "The quick brown fox jumps", lines: ["The quick brown fox", "jumps"] },
  {
    title: "a word that is too long is broken",
    text: `see ${"x".repeat(30)}`,
    lines: [`see ${"x".repeat(16)}`, "x".repeat(14)],
  },
  { title: "wide characters count twice", text: "日".repeat(12), lines: ["日".repeat(10), "日日"] },
  { title: "lines without text are left out", text: "a\n\n \nb\n", lines: ["a", "b"] },
  { title: "the indentation of code is kept", text: "if\n\tx", lines: ["if", "  x"] },
  { title: "control sequences are gone", text: "a\u001b[2J\u0007b\rc\u202e", lines: ["abc"] },
])("$title", ({ text, lines }) => {
  expect(formatTranscript(said(text), ROOM)).toEqual(lines);
});

test("a control sequence that comes in two pieces is gone as well", () => {
  expect(formatTranscript(said("a\u001b[3", "1mred"), ROOM)).toEqual(["ared"]);
});

test("only the last lines that have room are shown", () => {
  const transcript = reduceTranscript(said("1\n2\n3\n4"), eventOf("tool-start"));
  expect(formatTranscript(transcript, { ...ROOM, rows: 3 })).toEqual(["3", "4", "● bash: npm test"]);
  expect(formatTranscript(transcript, { ...ROOM, rows: 0 })).toEqual([]);
});

test("a call is marked by how it went", () => {
  const running = reduceTranscript([], eventOf("tool-start"));
  const marks = [eventOf("tool-end"), eventOf("tool-end", { isError: true }), eventOf("tool-end", { toolId: "other" })]
    .map((event) => reduceTranscript(running, event))
    .map((transcript) => formatTranscript(transcript, ROOM));
  expect(marks).toEqual([["✓ bash: npm test"], ["✗ bash: npm test"], ["● bash: npm test"]]);
});

test("what stands already does not move when text grows at its end", () => {
  const [first] = formatTranscript(said("The quick brown fox jumps"), ROOM);
  expect(formatTranscript(said("The quick brown fox jumps over the dog"), ROOM)[0]).toBe(first ?? "");
});

test("a transcript stays of bounded length, however much an agent says and does", () => {
  let transcript: Transcript = said(...Array.from({ length: 1_000 }, () => "word ".repeat(20)));
  expect(transcript).toHaveLength(1);
  const [entry] = transcript;
  expect(entry?.type === "text" && entry.text.length).toBeLessThanOrEqual(8_000);
  for (let count = 0; count < 200; count++)
    transcript = reduceTranscript(transcript, eventOf("tool-start", { toolId: `t${count}` }));
  expect(transcript).toHaveLength(40);
});
