import { expect, test } from "bun:test";
import { NO_COMMENTS, writeComment } from "../chat/diff-comments.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { CART, text } from "./fixtures/entries.ts";
import { codeBlocksOf } from "./markdown-to-lines.ts";
import { searchRows } from "./search-rows.ts";
import { AT_END, moveBy, moveTo, reveal, rowOf, topOf } from "./transcript-cursor.ts";
import { RowMaker } from "./transcript-rows.ts";
import { describeSearch, OPENED, search, startSearch, stepMatch } from "./transcript-state.ts";

const SPACE = { rowCount: 100, height: 10 };
const LAYOUT = { columns: 60, glyphs: UNICODE_GLYPHS, workingDirectory: "/work/shop" };
const PLAIN = { compactionSummary: undefined, comments: NO_COMMENTS, isStale: () => false, now: 0 };

test("the cursor starts at the end, and stays there when rows are added", () => {
  expect([rowOf(AT_END, SPACE), topOf(AT_END, SPACE)]).toEqual([99, 90]);
  expect(rowOf(AT_END, { ...SPACE, rowCount: 200 })).toBe(199);
});

test("the view moves only when the cursor leaves it", () => {
  const up = moveBy(AT_END, -5, SPACE);
  expect(up).toEqual({ row: 94, top: 90 });
  expect(moveBy(up, -10, SPACE)).toEqual({ row: 84, top: 84 });
  expect(moveBy(moveBy(up, -10, SPACE), 3, SPACE)).toEqual({ row: 87, top: 84 });
  expect(moveBy(up, 50, SPACE)).toEqual({ row: undefined, top: 90 });
  expect(moveTo(up, -5, SPACE)).toEqual({ row: 0, top: 0 });
});

test("a row that is not on the screen is shown in its middle", () => {
  expect(reveal(AT_END, 40, SPACE)).toEqual({ row: 40, top: 35 });
  expect(reveal(AT_END, 95, SPACE)).toEqual({ row: 95, top: 90 });
});

test("few rows start at the top of the screen", () => {
  expect(topOf(AT_END, { rowCount: 3, height: 10 })).toBe(0);
  expect(rowOf(AT_END, { rowCount: 0, height: 10 })).toBe(0);
});

test("a search is without regard to case, and its signs have no meaning", () => {
  const rows = new RowMaker(LAYOUT).make([text("Total (a.b)\nİstanbul TOTAL total")], PLAIN);
  expect(searchRows(rows, "total")).toEqual([
    { row: 0, start: 0, end: 5 },
    { row: 1, start: 9, end: 14 },
    { row: 1, start: 15, end: 20 },
  ]);
  expect(searchRows(rows, "(a.b)")).toEqual([{ row: 0, start: 6, end: 11 }]);
  expect(searchRows(rows, "a?b")).toEqual([]);
  expect(searchRows(rows, "")).toEqual([]);
});

test("a search starts at the cursor and steps around the end", () => {
  const matches = [5, 50, 98].map((row) => ({ row, start: 0, end: 1 }));
  const at = { matches, space: SPACE };
  const started = startSearch({ ...OPENED, cursor: { row: 40, top: 35 } }, SPACE);
  const found = search(started, "x", at);
  expect([found.cursor, describeSearch(found, 3)]).toEqual([{ row: 50, top: 45 }, "2/3"]);
  const next = stepMatch(stepMatch(found, 1, at), 1, at);
  expect([next.cursor, describeSearch(next, 3)]).toEqual([{ row: 5, top: 0 }, "1/3"]);
  expect(describeSearch(stepMatch(next, -1, at), 3)).toBe("3/3");
  expect(describeSearch({ ...found, query: "nothing" }, 0)).toBe("no match");
  expect(describeSearch(OPENED, 0)).toBe("");
});

test("the rows have everything unfolded, the summary first, and comments below their lines", () => {
  const maker = new RowMaker(LAYOUT);
  const line = maker.make(CART, PLAIN).find(({ line: { text: shown } }) => shown.includes("41 +"))?.line.change;
  if (line === undefined) throw new Error("The edit has an added line.");
  const comments = writeComment(NO_COMMENTS, line, "Why not round?");
  const rows = (isOld: boolean) =>
    maker
      .make(CART.slice(4, 6), { compactionSummary: "We began.", comments, isStale: () => isOld, now: 0 })
      .map((row) => `${row.line.tone}: ${row.line.text.trimEnd()}`);
  expect(rows(false)).toEqual([
    "heading: Summary of the compaction",
    "text: ",
    "text: We began.",
    "text: ",
    `muted: ${"─".repeat(60)}`,
    "text: ",
    `text: ▾ Edit src/cart.ts${" ".repeat(29)}+1 −1    0.3s`,
    "removed:     41 -   return sum + item.price;",
    "added:     41 +   return sum + item.price * item.quantity;",
    "accent:     └ Why not round?",
    "text: ",
    "text: total() ignored the quantity. With the change all 14 tests",
    "text: pass.",
  ]);
  expect(rows(true)[9]).toBe("warning:     └ changed since: Why not round?");
});

test("code blocks are found whatever their fence", () => {
  const markdown = "a\n```ts\none\n```\n~~~~\ntwo\n~~~\nthree\n~~~~\nb\n```\nopen";
  expect(codeBlocksOf(markdown)).toEqual(["one", "two\n~~~\nthree", "open"]);
  const rows = new RowMaker(LAYOUT).make([text("a\n```ts\none\n```\nb")], PLAIN);
  expect(rows.map(({ line: { tone, codeBlock } }) => [tone, codeBlock])).toEqual([
    ["text", undefined],
    ["code", 0],
    ["text", undefined],
  ]);
});
