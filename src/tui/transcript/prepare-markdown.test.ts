import { expect, test } from "bun:test";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { prepareMarkdown } from "./prepare-markdown.ts";

const OPTIONS = { maxLines: 5, maxCharacters: 1_000, glyphs: UNICODE_GLYPHS };

test.each([
  {
    title: "a link shows its target",
    text: "See [the docs](https://example.com/a) or [https://b.example](https://b.example).",
    lines: ["See the docs (<https://example.com/a>) or <https://b.example>."],
  },
  {
    title: "a link whose text is another address shows where it leads",
    text: "[https://good.example](https://evil.example)",
    lines: ["https://good.example (<https://evil.example>)"],
  },
  {
    title: "code stays as it is",
    text: "`[a](https://b.c)`\n```\n[a](https://b.c)\n```",
    lines: ["`[a](https://b.c)`", "```", "[a](https://b.c)", "```"],
  },
  {
    title: "a task has its box, but not in code",
    text: "- [ ] a\n  1. [X] b\n```\n- [x] c\n```",
    lines: ["- ☐\u00a0a", "  1. ☑\u00a0b", "```", "- [x] c", "```"],
  },
])("$title", ({ text, lines }) => {
  expect(prepareMarkdown(text, OPTIONS)).toEqual({ lines, hidden: undefined });
});

test("of a long text the end is shown, and a code block that began before stays one", () => {
  const text = `Intro\n\n~~~ts\n${"code\n".repeat(10)}~~~\nDone`;
  expect(prepareMarkdown(text, OPTIONS)).toEqual({
    lines: ["~~~", "code", "code", "code", "~~~", "Done"],
    hidden: "10 lines",
  });
});

test("the start of a long text that grows moves by a sixth of the limit at once", () => {
  const shownOf = (count: number, limits: { readonly maxLines: number; readonly maxCharacters: number }) => {
    const text = Array.from({ length: count }, (_, index) => `line ${index + 1001}`).join("\n");
    const { lines, hidden } = prepareMarkdown(text, { ...OPTIONS, ...limits });
    return [lines[0], lines.length, hidden];
  };
  const byLines = { maxLines: 60, maxCharacters: 10_000 };
  expect([60, 61, 70, 71].map((count) => shownOf(count, byLines))).toEqual([
    ["line 1001", 60, undefined],
    ["line 1011", 51, "10 lines"],
    ["line 1011", 60, "10 lines"],
    ["line 1021", 51, "20 lines"],
  ]);
  // A line with its end has ten characters.
  const byCharacters = { maxLines: 1_000, maxCharacters: 600 };
  expect([60, 61, 70, 71].map((count) => shownOf(count, byCharacters))).toEqual([
    ["line 1001", 60, undefined],
    ["line 1011", 51, "99 B"],
    ["line 1011", 60, "99 B"],
    ["line 1021", 51, "199 B"],
  ]);
});

test("a terminal without Unicode has other boxes", () => {
  expect(prepareMarkdown("- [ ] a\n* [x] b", { ...OPTIONS, glyphs: ASCII_GLYPHS }).lines).toEqual([
    "- `[ ]`\u00a0a",
    "* `[x]`\u00a0b",
  ]);
});
