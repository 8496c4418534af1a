import { expect, test } from "bun:test";
import { wrapExactly, wrapText } from "./wrap-text.ts";

test.each([
  { text: "one two three", columns: 8, expected: ["one two", "three"] },
  { text: "a\n\n  b", columns: 8, expected: ["a", "", "  b"] },
  { text: "abcdefghij", columns: 4, expected: ["abcd", "efgh", "ij"] },
  { text: "日本語のテスト", columns: 6, expected: ["日本語", "のテス", "ト"] },
  { text: "", columns: 8, expected: [""] },
])("wraps $text between words at $columns columns", ({ text, columns, expected }) => {
  expect(wrapText(text, columns)).toEqual(expected);
});

test.each([
  { line: "ls   -l; rm", columns: 5, expected: ["ls   ", "-l; r", "m"] },
  { line: "日本語", columns: 5, expected: ["日本", "語"] },
  { line: "", columns: 5, expected: [""] },
])("wraps $line exactly at $columns columns", ({ line, columns, expected }) => {
  expect(wrapExactly(line, columns)).toEqual(expected);
});
