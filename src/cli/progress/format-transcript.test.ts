import { expect, test } from "bun:test";
import pc from "picocolors";
import { reduceTranscript, type Transcript } from "../../view/index.ts";
import { agentEventOf } from "../fixtures/run-events.ts";
import { formatTranscript } from "./format-transcript.ts";

const ROOM = { rows: 8, columns: 20, colors: pc.createColors(false) };

/** The agent's event of a type. */
function eventOf(...[type, changes]: Parameters<typeof agentEventOf>) {
  return agentEventOf(type, changes).event;
}

function said(...texts: readonly string[]): Transcript {
  return texts.reduce<Transcript>((before, text) => reduceTranscript(before, eventOf("text-delta", { text })), []);
}

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
  { title: "control sequences are gone", text: "a\u001b[2J\u0007b\rc\u202e", lines: ["ab", "c"] },
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
