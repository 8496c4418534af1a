import { expect, test } from "bun:test";
import { cutLine, fitLine, type Line, span, textOf, windowAround } from "./line.ts";

const line = (...texts: readonly string[]): Line => texts.map((text) => span(text));

test.each([
  { left: ["ab"], right: ["c"], columns: 6, text: "ab   c" },
  { left: ["abcdef"], right: ["xy"], columns: 6, text: "ab… xy" },
  { left: ["ab", "cdef"], right: ["xy"], columns: 6, text: "ab… xy" },
  { left: ["ab"], right: ["longer"], columns: 4, text: "ab  " },
  { left: ["表表表"], right: [], columns: 5, text: "表表…" },
  { left: [""], right: [], columns: 3, text: "   " },
])("$left and $right in $columns columns are $text", ({ left, right, columns, text }) => {
  expect(textOf(fitLine(line(...left), line(...right), columns))).toBe(text);
});

test("control sequences, bidirectional marks and line breaks of a text are inert", () => {
  expect(span("a\u001b[31mb\u202ec\nd\te\u200b").text).toBe("abc d e");
});

test("a line that fits stays the same", () => {
  const whole = line("ab", "c");
  expect(cutLine(whole, 3)).toBe(whole);
});

test.each([
  [0, { count: 3, size: 5 }, 0],
  [4, { count: 10, size: 4 }, 2],
  [9, { count: 10, size: 4 }, 6],
  [0, { count: 10, size: 4 }, 0],
])("the rows around %d of %o begin at %d", (selected, rows, start) => {
  expect(windowAround(selected, rows)).toBe(start);
});
