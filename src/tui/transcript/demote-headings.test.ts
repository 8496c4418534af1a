import { expect, test } from "bun:test";
import { demoteHeadings } from "./demote-headings.ts";

test.each([
  {
    title: "headings are lower, at most the sixth",
    text: "# A\n## B ##\n##### C",
    expected: "### A\n#### B ##\n###### C",
  },
  {
    title: "an underlined heading is one with signs",
    text: "A\nb\n===\n\nC\n---\nd",
    expected: "### A b\n\n#### C\nd",
  },
  {
    title: "a rule is not a heading",
    text: "a\n\n---\n- b\n---\n> c\nd\n---",
    expected: "a\n\n---\n- b\n---\n> c\nd\n---",
  },
  { title: "a word after # is text", text: "#tag", expected: "#tag" },
  {
    title: "code stays as it is",
    text: "````md\n# A\n```\nb\n---\n````\n# C\n    # D",
    expected: "````md\n# A\n```\nb\n---\n````\n### C\n    # D",
  },
  { title: "a code block without an end has one", text: "```sh\n# A", expected: "```sh\n# A\n```" },
  { title: "backticks in a line open no code block", text: "```a``` b\n# C", expected: "```a``` b\n### C" },
])("$title", ({ text, expected }) => {
  expect(demoteHeadings(text, { levels: 2 })).toBe(expected);
});
