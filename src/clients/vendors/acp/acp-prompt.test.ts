import { expect, test } from "bun:test";
import { toContentBlocks } from "./acp-prompt.ts";

const FILE = { type: "file", path: "a.txt" } as const;

test("an agent gets links to files, and its own commands", () => {
  expect(toContentBlocks([{ type: "text", text: "/run" }, FILE], { workingDirectory: "/work" })).toEqual([
    { type: "text", text: "/run" },
    { type: "resource_link", uri: "file:///work/a.txt", name: "a.txt" },
  ]);
});

test.each([
  { text: "/run !`x`", expected: "\u2060/run !`x`" },
  { text: " \n/run", expected: "\u2060 \n/run" },
  { text: "Do /run", expected: "Do /run" },
])("a plain message triggers no unapproved action: $text", ({ text, expected }) => {
  expect(toContentBlocks([{ type: "text", text }, FILE], { workingDirectory: "/work", isPlain: true })).toEqual([
    { type: "text", text: expected },
    { type: "text", text: "@a.txt" },
  ]);
});
