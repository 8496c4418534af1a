import { expect, test } from "bun:test";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { prepareMarkdown } from "./prepare-markdown.ts";
import { tameParagraph } from "./tame-paragraph.ts";

const table = ["| a | b |", "| --- | :-: |", ...Array.from({ length: 400 }, (_, row) => `| **${row}** | _x_ |`)];
const list = Array.from({ length: 400 }, (_, index) => `- **${index}** [text](https://a.example/${index})`);

test.each([
  { title: "a table", lines: table },
  { title: "a list of links", lines: list },
  { title: "many lines", lines: Array.from({ length: 100 }, () => "Some **bold** words.") },
])("$title stays Markdown", ({ lines }) => {
  expect(tameParagraph(lines)).toEqual(lines);
});

test.each([
  { title: "links in links", line: "[a](".repeat(301), fence: "```" },
  { title: "emphasis in emphasis", line: "**a *b ".repeat(151), fence: "```" },
  { title: "struck text", line: "~~a ~b ".repeat(151), fence: "```" },
  { title: "a very long line", line: "a".repeat(5_001), fence: "```" },
  { title: "quotes in quotes", line: `${"> ".repeat(51)}a`, fence: "```" },
  { title: "lists in lists", line: `${"- ".repeat(51)}a`, fence: "```" },
  { title: "numbers in numbers", line: `${"1. ".repeat(34)}a`, fence: "```" },
  { title: "fences of their own", line: `${"*a ".repeat(301)}\`\`\`\``, fence: "`````" },
])("$title become code", ({ line, fence }) => {
  expect(tameParagraph([line])).toEqual([`${fence}text`, line, fence]);
  expect(tameParagraph(["| a |", line])).toEqual([`${fence}text`, "| a |", line, fence]);
});

test("a message keeps its other paragraphs, and code is left as it is", () => {
  const costly = "[a](".repeat(400);
  const text = ["# Title", "", costly, "", "```", costly, "```", "The **end**."].join("\n");
  const { lines } = prepareMarkdown(text, {
    maxLines: 100,
    maxCharacters: 10_000,
    glyphs: UNICODE_GLYPHS,
  });
  expect(lines).toEqual(["# Title", "", "```text", costly, "```", "", "```", costly, "```", "The **end**."]);
});
