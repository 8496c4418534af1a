import { expect, test } from "bun:test";
import { clipText } from "./clip-text.ts";

test.each([
  { title: "the start", keep: "start", lines: ["a", "b"], hidden: "3 lines", start: 0 },
  { title: "the end, without empty lines after it", keep: "end", lines: ["d", "e"], hidden: "3 lines", start: 6 },
] as const)("of a text with too many lines, $title is kept", ({ keep, lines, hidden, start }) => {
  const clipped = clipText("a\nb\nc\nd\ne\n\n", { maxLines: 2, maxCharacters: 100, keep });
  expect(clipped).toEqual({ lines, hidden, start });
});

test("a line separator of Unicode makes several lines of one, of which the last are kept", () => {
  const clipped = clipText("a\nb\u2028c\u2028d", { maxLines: 2, maxCharacters: 100, keep: "end" });
  expect(clipped).toEqual({ lines: ["c", "d"], hidden: "2 lines", start: 0 });
});
