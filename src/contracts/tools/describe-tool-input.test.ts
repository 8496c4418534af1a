import { expect, test } from "bun:test";
import { describeToolInput } from "./describe-tool-input.ts";

test.each<{ title: string; input: unknown; expected: string }>([
  { title: "its command", input: { timeout: 7, command: "npm test" }, expected: "npm test" },
  { title: "its file", input: { content: "x", file_path: "/a.ts" }, expected: "/a.ts" },
  { title: "its file, spelt otherwise", input: { content: "x", filePath: "/a.ts" }, expected: "/a.ts" },
  { title: "its path", input: { path: "src" }, expected: "src" },
  { title: "its pattern", input: { pattern: "*.ts" }, expected: "*.ts" },
  { title: "its query", input: { query: "bun test" }, expected: "bun test" },
  { title: "its address", input: { URL: "http://127.0.0.1/" }, expected: "http://127.0.0.1/" },
  { title: "its description", input: { description: "look around", prompt: "Look." }, expected: "look around" },
  { title: "the first of several", input: { path: "src", pattern: "*.ts" }, expected: "src" },
  { title: "only a text", input: { command: ["npm", "test"], path: "/work" }, expected: "/work" },
  { title: "all of it when no argument is better", input: { count: 1 }, expected: '{"count":1}' },
  { title: "all of a list", input: ["a", 1], expected: '["a",1]' },
  { title: "the text itself", input: "ls -l", expected: "ls -l" },
  { title: "the number itself", input: 42, expected: "42" },
  { title: "every line of it", input: { command: " a\n\tb  c " }, expected: " a\n\tb  c " },
  { title: "nothing when there is no input", input: undefined, expected: "" },
  { title: "nothing when the input is null", input: null, expected: "" },
])("the description of a call is $title", ({ input, expected }) => {
  expect(describeToolInput(input)).toBe(expected);
});
