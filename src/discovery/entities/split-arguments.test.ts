import { expect, test } from "bun:test";
import fc from "fast-check";
import { joinArguments, splitArguments } from "./split-arguments.ts";

test.each([
  { text: "", words: [] },
  { text: "  a\tb\nc ", words: ["a", "b", "c"] },
  { text: `"a b" 'c d' e"f g"h`, words: ["a b", "c d", "ef gh"] },
  { text: `it's "open`, words: ["it's", '"open'] },
  { text: `'' ""`, words: ["", ""] },
])("$text is split into $words", ({ text, words }) => {
  expect(splitArguments(text)).toEqual(words);
});

test.each([
  { words: ["a", "--b=c"], text: "a --b=c" },
  { words: ["a b", ""], text: "'a b' ''" },
  { words: ["it's", `say "x"`], text: `"it's" 'say "x"'` },
])("$words are joined to $text", ({ words, text }) => {
  expect(joinArguments(words)).toBe(text);
});

test("joined words are split into the same words", () => {
  const word = fc.string({ unit: fc.constantFrom("a", " ", "'", '"', "\\", "$", "\n", "🎉") });
  fc.assert(fc.property(fc.array(word), (words) => expect(splitArguments(joinArguments(words))).toEqual(words)));
});
