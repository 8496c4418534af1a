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

test("only what is kept of a long text is made safe", () => {
  // Making all of it safe takes many times longer than the end alone.
  const line = `${"\u001b[31mred\u001b[0m ".repeat(20)}\n`;
  const time = (count: number): number => {
    const text = line.repeat(count);
    const startedAt = performance.now();
    for (let round = 0; round < 5; round++) {
      clipText(text, { maxLines: 10, maxCharacters: Number.POSITIVE_INFINITY, keep: "end" });
    }
    return performance.now() - startedAt;
  };
  time(100);
  const [short, long] = [100, 10_000].map((count) => Math.min(time(count), time(count), time(count)));
  expect((long ?? 0) / (short ?? 1)).toBeLessThan(40);
});
