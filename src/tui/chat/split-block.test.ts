import { expect, test } from "bun:test";
import { splitBlock } from "./split-block.ts";

test.each([
  { title: "a sentence in progress", text: "First.\n\nThe pri", more: "ce is", block: "ce is", rest: undefined },
  { title: "a paragraph that ends", text: "The pri", more: "ce.\n\nNext", block: "ce.\n\n", rest: "Next" },
  { title: "a gap in two parts", text: "The price.\n", more: "\nNext", block: "\n", rest: "Next" },
  { title: "a paragraph that has ended", text: "The price.\n\n", more: "Next\n\n", block: "", rest: "Next\n\n" },
  { title: "an empty line in code", text: "```\na", more: "\n\nb", block: "\n\nb", rest: undefined },
  { title: "code that ends", text: "```\na\n\nb", more: "\n```\n\nNext", block: "\n```\n\n", rest: "Next" },
])("$title", ({ text, more, block, rest }) => {
  expect(splitBlock(text, more)).toEqual({ block, rest });
});
