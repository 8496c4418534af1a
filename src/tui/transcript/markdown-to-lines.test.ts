import { expect, test } from "bun:test";
import { ASCII_GLYPHS, UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { markdownToLines } from "./markdown-to-lines.ts";

function shown(text: string, columns = 40, glyphs = UNICODE_GLYPHS): readonly string[] {
  return markdownToLines(text.split("\n"), { columns, glyphs }).map((line) => line.text);
}

test.each<{ title: string; text: string; columns?: number; lines: readonly string[] }>([
  { title: "a heading has no signs", text: "## Plan ##\n\ntext", lines: ["Plan", "", "text"] },
  {
    title: "bold, italic and code lose their signs",
    text: "**a _b_** `c*d*` *e* f_g_h 2 * 3",
    lines: ["a b c*d* e f_g_h 2 * 3"],
  },
  { title: "an escaped sign stays", text: "\\*a\\* snake_case_name", lines: ["*a* snake_case_name"] },
  {
    title: "a link shows its target",
    text: "[docs](https://a.b/c) <https://d.e>",
    lines: ["docs (https://a.b/c) https://d.e"],
  },
  {
    title: "lists have bullets, numbers and boxes",
    text: "- one\n  * two\n1. three\n- [ ] four\n- [x] five",
    lines: ["• one", "  • two", "1. three", "☐ four", "☑ five"],
  },
  {
    title: "further lines of an item are aligned",
    text: "- one two three four\n> five six seven eight",
    columns: 14,
    lines: ["• one two", "  three four", "│ five six", "│ seven eight"],
  },
  {
    title: "code has no fences and stays as it is",
    text: "a\n```ts\nconst x = **1**;\n| a |\n```\nb",
    lines: ["a", "  const x = **1**;", "  | a |", "b"],
  },
  {
    title: "a table is aligned",
    text: "| Name | Count |\n| --- | ---: |\n| **a** | 1 |\n| long name | 12 |\nend",
    lines: ["Name       Count", "─────────  ─────", "a              1", "long name     12", "end"],
  },
  {
    title: "a wide table wraps its cells",
    text: "| a | b |\n|---|---|\n| one | two three four five |",
    columns: 16,
    lines: ["a    b", "───  ───────────", "one  two three", "     four five"],
  },
  { title: "a rule is a line", text: "---", columns: 8, lines: ["────────"] },
])("$title", ({ text, columns, lines }) => {
  expect(shown(text, columns)).toEqual([...lines]);
});

test("a terminal without Unicode has other signs", () => {
  expect(shown("- a\n- [ ] b\n- [X] c\n> d", 40, ASCII_GLYPHS)).toEqual(["- a", "[ ] b", "[x] c", "| d"]);
});

test("bold and code are marks, also where a line is wrapped", () => {
  expect(markdownToLines(["- a **bold text** and `x`"], { columns: 10, glyphs: UNICODE_GLYPHS })).toEqual([
    { text: "• a bold", tone: "text", marks: [{ start: 4, end: 8, tone: "strong" }] },
    { text: "  text and", tone: "text", marks: [{ start: 2, end: 6, tone: "strong" }] },
    { text: "  x", tone: "text", marks: [{ start: 2, end: 3, tone: "code" }] },
  ]);
});
