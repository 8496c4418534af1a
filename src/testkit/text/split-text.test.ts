import { expect, test } from "bun:test";
import fc from "fast-check";
import { splitPieces, splitWords } from "./split-text.ts";

test("joined words and pieces restore the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 9 }), (text, length) => {
      expect(splitWords(text).join("")).toBe(text);
      expect(splitPieces(text, length).join("")).toBe(text);
    }),
  );
});

test("words keep the white space around them, and pieces whole characters", () => {
  expect(splitWords("  one two\n")).toEqual(["  one ", "two\n"]);
  expect(splitWords(" \n")).toEqual([" \n"]);
  expect(splitPieces("a😀b😀c", 2)).toEqual(["a😀", "b😀", "c"]);
});
