import { expect, test } from "bun:test";
import type { ChangedLine } from "../../view/index.ts";
import {
  checkLine,
  commentOn,
  type DiffComments,
  formatComments,
  type LineState,
  NO_COMMENTS,
  occurrenceCounter,
  withNeighbours,
  writeComment,
} from "./diff-comments.ts";

const LINE: ChangedLine = { path: "src/cart.ts", number: 41, text: "  return sum;", isRemoved: false };
const REMOVED: ChangedLine = { path: "src/cart.ts", number: 40, text: "  let sum;", isRemoved: true };

function written(...comments: readonly (readonly [ChangedLine, string])[]): DiffComments {
  return comments.reduce((state, [line, text]) => writeComment(state, line, text), NO_COMMENTS);
}

test("a line has one comment: another text replaces it, an empty one removes it", () => {
  const state = written([LINE, "Why?"], [REMOVED, "Keep it."], [{ ...LINE }, " Why not? "]);
  expect(state).toEqual({
    comments: [
      { id: "c1", line: LINE, text: "Why not?" },
      { id: "c2", line: REMOVED, text: "Keep it." },
    ],
    sending: [],
    sent: [],
    writtenCount: 2,
  });
  expect(commentOn(state, { ...LINE, number: 42 })).toBeUndefined();
  expect(writeComment(state, LINE, " ").comments).toEqual([{ id: "c2", line: REMOVED, text: "Keep it." }]);
});

test.each<{ title: string; line: ChangedLine; content: string | undefined; state: LineState }>([
  {
    title: "a line in its place is unchanged",
    line: { ...LINE, number: 2 },
    content: "a\n  return sum;\n",
    state: { type: "unchanged", number: 2 },
  },
  {
    title: "a line elsewhere has moved",
    line: { ...LINE, number: 3 },
    content: "a\r\nb\r\nc\r\n  return sum;",
    state: { type: "moved", number: 4 },
  },
  {
    title: "of several equal lines elsewhere none is known to be the line",
    line: { ...LINE, number: 3 },
    content: "  return sum;\nb\nc\n  return sum;",
    state: { type: "changed" },
  },
  {
    title: "an equal line of another function is another line",
    line: { ...LINE, number: 2, neighbours: { above: "function a() {", below: "}" } },
    content: "x\nfunction b() {\n  return sum;\n}",
    state: { type: "changed" },
  },
  {
    title: "an equal line of another function in its place is another line",
    line: { ...LINE, number: 2, neighbours: { above: "function a() {", below: "}" } },
    content: "function b() {\n  return sum;\n}",
    state: { type: "changed" },
  },
  {
    title: "of several equal lines the one with the same neighbours is the line",
    line: { ...LINE, number: 3, neighbours: { above: "function a() {", below: "}" } },
    content: "function b() {\n  return sum;\n}\nfunction a() {\n  return sum;\n}",
    state: { type: "moved", number: 5 },
  },
  { title: "a line with another text has changed", line: LINE, content: "  return 0;", state: { type: "changed" } },
  { title: "a file that is gone has changed", line: LINE, content: undefined, state: { type: "changed" } },
  { title: "a removed line cannot change", line: REMOVED, content: "x", state: { type: "unchanged", number: 40 } },
  {
    title: "a line without a number is found by its text",
    line: { path: "a", text: "x", isRemoved: false },
    content: "y\nx",
    state: { type: "unchanged", number: 2 },
  },
  {
    title: "a line without a number that is there twice has none",
    line: { path: "a", text: "x", isRemoved: false },
    content: "x\nx",
    state: { type: "unchanged", number: undefined },
  },
])("$title", ({ line, content, state }) => {
  expect(checkLine(line, content)).toEqual(state);
});

test("the comments are one message with file, line and the quoted code", () => {
  const state = written([LINE, "Why?"], [REMOVED, "Keep it."]);
  expect(formatComments(state)).toBe(
    [
      "2 comments on your changes:",
      "src/cart.ts:41\n> return sum;\nWhy?",
      "src/cart.ts:40 (removed line)\n> let sum;\nKeep it.",
    ].join("\n\n"),
  );
});

test("a comment whose line has changed since says so, one whose line has moved has its new number", () => {
  expect(formatComments(written([LINE, "Why?"]), new Map([["src/cart.ts", "  return 0;"]]))).toBe(
    "A comment on your change:\n\nsrc/cart.ts:41 (this line has changed since)\n> return sum;\nWhy?",
  );
  expect(formatComments(written([LINE, "Why?"]), new Map([["src/cart.ts", "  return sum;"]]))).toBe(
    "A comment on your change:\n\nsrc/cart.ts:1\n> return sum;\nWhy?",
  );
});

test("equal lines without numbers have a comment each", () => {
  const line: ChangedLine = { path: "a.ts", text: "}", isRemoved: false };
  const [one, two, other] = [line, line, { ...line, isRemoved: true }].map(occurrenceCounter()) as [
    ChangedLine,
    ChangedLine,
    ChangedLine,
  ]; // as many as went in
  const state = written([one, "First."], [two, "Second."]);
  expect(state.comments.map(({ line: { occurrence }, text }) => [occurrence, text])).toEqual([
    [0, "First."],
    [1, "Second."],
  ]);
  expect(commentOn(state, other)).toBeUndefined();
});

test("the neighbours of a line are those of the new file, in the same part of the diff", () => {
  const lineOf = (text: string, isRemoved = false): ChangedLine => ({ path: "a.ts", text, isRemoved });
  const [above, removed, line, below] = [lineOf("a"), lineOf("r", true), lineOf("b"), lineOf("c")];
  // The line is long: it has two rows.
  const lines = [above, removed, line, line, below, undefined, { ...below, path: "b.ts" }];
  expect(withNeighbours(line, lines)).toEqual({ ...line, neighbours: { above: "a", below: "c" } });
  expect(withNeighbours(below, lines)).toEqual({ ...below, neighbours: { above: "b" } });
  expect(withNeighbours(removed, lines)).toBe(removed);
  expect(withNeighbours(line, [line])).toBe(line);
});
