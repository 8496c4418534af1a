import { expect, test } from "bun:test";
import { escapeInexact } from "./exact-width.ts";

test.each([
  ["Thai, with vowels and tones on their letters", "ที่นี่ บ้าน ๑"],
  ["Vietnamese, composed or not", `Việt ${"Việt".normalize("NFD")}`],
  ["Greek and Cyrillic with an accent", "ή й".normalize("NFD")],
  ["Hebrew with points", "שָׁלוֹם"],
  ["Arabic with vowels", "مَرْحَبًا"],
])("%s is shown as it is", (_title, text) => {
  expect(escapeInexact(text)).toBe(text);
});

test.each([
  ["a mark without a letter", "\u0301a", "\\u0301a"],
  ["a mark on a sign", "-\u0301", "-\\u0301"],
  ["a mark that composes to no letter", "q\u0301", "q\\u0301"],
  ["a stroke through a letter", "\u0431\u0335", "\u0431\\u0335"],
  ["three marks", "a\u0323\u0302\u0301", "a\\u0323\\u0302\\u0301"],
  ["a tone of Thai on a Latin letter", "a\u0e48", "a\\u0e48"],
  ["a Thai vowel that terminals count differently", "\u0e19\u0e33", "\u0e19\\u0e33"],
  ["Devanagari, whose letters join to others", "नमस्ते", "\\u0928\\u092e\\u0938\\u094d\\u0924\\u0947"],
  ["a joiner between letters with marks", "\u0e17\u0e35\u200d\u0e48", "\u0e17\u0e35\\u200d\\u0e48"],
  ["an enclosing mark", "a\u20dd", "a\\u20dd"],
])("%s is escaped", (_title, text, shown) => {
  expect(escapeInexact(text)).toBe(shown);
});
