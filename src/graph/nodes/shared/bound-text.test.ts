import { expect, test } from "bun:test";
import { boundText } from "./bound-text.ts";

test.each([
  { text: "", maxLength: 0, expected: "" },
  { text: "abcdef", maxLength: 6, expected: "abcdef" },
  { text: "abcdefghij", maxLength: 4, expected: "ab\n… (6 characters left out) …\nij" },
  { text: "abcdefghij", maxLength: 5, expected: "abc\n… (5 characters left out) …\nij" },
  { text: "abc", maxLength: 0, expected: "\n… (3 characters left out) …\n" },
  { text: "a😀bc😀d", maxLength: 4, expected: "a\n… (6 characters left out) …\nd" },
])("$text with $maxLength characters at the most", ({ text, maxLength, expected }) => {
  expect(boundText(text, maxLength)).toBe(expected);
});
