import { expect, test } from "bun:test";
import type { PermissionDetails, ToolKind } from "../../contracts/index.ts";
import { toDetails } from "./call-details.ts";

const CHANGE = { path: "/work/a.ts", oldText: "one", newText: "two" };

test.each<{ title: string; kind?: ToolKind; input: unknown; expected: PermissionDetails | undefined }>([
  {
    title: "Claude's Edit",
    input: { file_path: "/work/a.ts", old_string: "one", new_string: "two", replace_all: true },
    expected: { type: "edit", changes: [{ ...CHANGE, isEverywhere: true }] },
  },
  {
    title: "OpenCode's edit",
    input: { filePath: "/work/a.ts", oldString: "one", newString: "two", replaceAll: false },
    expected: { type: "edit", changes: [CHANGE] },
  },
  {
    title: "Copilot's edit",
    input: { path: "/work/a.ts", old_str: "one", new_str: "two" },
    expected: { type: "edit", changes: [CHANGE] },
  },
  {
    title: "several changes of one file",
    input: { file_path: "/work/a.ts", edits: [{ old_string: "one", new_string: "two" }] },
    expected: { type: "edit", changes: [CHANGE] },
  },
  {
    title: "changes of several files",
    input: { edits: [{ filePath: "b.ts", oldString: "one", newString: "two" }] },
    expected: { type: "edit", changes: [{ ...CHANGE, path: "b.ts" }] },
  },
  {
    title: "Claude's Write",
    input: { file_path: "/work/a.ts", content: "text" },
    expected: { type: "write", path: "/work/a.ts", text: "text" },
  },
  {
    title: "Copilot's create",
    input: { path: "/work/a.ts", file_text: "" },
    expected: { type: "write", path: "/work/a.ts", text: "" },
  },
  { title: "a patch as it is", input: "*** Begin Patch", expected: { type: "patch", text: "*** Begin Patch" } },
  { title: "a patch in a field", input: { patchText: "*** X" }, expected: { type: "patch", text: "*** X" } },
  {
    title: "an address",
    kind: "fetch",
    input: { url: "http://a", format: "text", timeout: 5 },
    expected: { type: "fetch", address: "http://a" },
  },
  ...[
    ["an edit with another field", "edit", { file_path: "a", old_string: "1", new_string: "2", mode: "0777" }],
    ["a change among several with another field", "edit", { edits: [{ oldString: "1", newString: "2", x: 1 }] }],
    ["several changes of which one is none", "edit", { edits: [{ oldString: "1", newString: "2" }, "x"] }],
    ["an edit that names its file twice", "edit", { file_path: "a", path: "b", content: "x" }],
    ["a write with another field", "edit", { path: "a", content: "x", append: true }],
    ["a notebook", "edit", { notebook_path: "a", new_source: "x" }],
    ["a request with a body", "fetch", { url: "http://a", body: "x" }],
    ["a search of the web", "fetch", { query: "x" }],
    ["a tool of an MCP server", "mcp", { a: [1] }],
    ["an unknown tool", "other", undefined],
  ].map(([title, kind, input]) => ({
    title: `the whole input of ${title}`,
    // True for all rows above.
    kind: kind as ToolKind,
    input,
    expected: { type: "input", input } as const,
  })),
  {
    title: "nothing of a command, which the request has",
    kind: "shell",
    input: { command: "ls" },
    expected: undefined,
  },
  { title: "nothing of a reading", kind: "read", input: { path: "a" }, expected: undefined },
])("shows $title", ({ kind = "edit", input, expected }) => {
  expect(toDetails({ kind, input, paths: ["/work/a.ts"] })).toEqual(expected);
});
