import { expect, test } from "bun:test";
import type { ToolEntry } from "../chat/chat-entry.ts";
import { type FileChange, fileChangesOf } from "../chat/file-changes.ts";
import { diffChanges } from "./file-diff.ts";
import { editTool, readTool } from "./fixtures/entries.ts";

const REPLACED: readonly FileChange[] = [{ type: "replace", path: "a.ts", oldText: "x", newText: "y" }];

test.each<{ title: string; entry: ToolEntry; changes: readonly FileChange[] }>([
  { title: "Claude's Edit", entry: editTool("a.ts", ["x", "y"]), changes: REPLACED },
  {
    title: "OpenCode's edit",
    entry: editTool("", ["", ""], { input: { filePath: "a.ts", oldString: "x", newString: "y" } }),
    changes: REPLACED,
  },
  {
    title: "an editor with commands",
    entry: editTool("", ["", ""], { input: { command: "str_replace", path: "a.ts", old_str: "x", new_str: "y" } }),
    changes: REPLACED,
  },
  {
    title: "several edits of a file",
    entry: editTool("", ["", ""], {
      input: { file_path: "a.ts", edits: [{ old_string: "x", new_string: "y" }, null] },
    }),
    changes: REPLACED,
  },
  {
    title: "a whole file",
    entry: editTool("", ["", ""], { input: { file_path: "a.ts", content: "x" } }),
    changes: [{ type: "write", path: "a.ts", text: "x" }],
  },
  {
    title: "a patch",
    entry: editTool("", ["", ""], { input: { patchText: "*** Begin Patch" } }),
    changes: [{ type: "patch", text: "*** Begin Patch" }],
  },
  {
    title: "what a person approved, before what the agent wrote",
    entry: editTool("b.ts", ["1", "2"], {
      request: {
        ...{ id: "1", sessionId: "s", kind: "edit", toolName: "Edit", title: "Edit a.ts", paths: ["a.ts"] },
        details: { type: "edit", changes: [{ path: "a.ts", oldText: "x", newText: "y" }] },
      },
    }),
    changes: REPLACED,
  },
  { title: "an unknown input", entry: editTool("", ["", ""], { input: "text" }), changes: [] },
  { title: "a tool that changes nothing", entry: readTool("a.ts"), changes: [] },
])("the changes of $title are known", ({ entry, changes }) => {
  expect(fileChangesOf(entry)).toEqual([...changes]);
});

test("a replacement shows the lines around it, without numbers where nobody knows them", () => {
  const change: FileChange = {
    ...{ type: "replace", path: "a.ts" },
    oldText: "1\n2\n3\n4\nold\n6",
    newText: "1\n2\n3\n4\nnew\n6",
  };
  expect(diffChanges([change])).toEqual([
    {
      path: "a.ts",
      lines: [
        { type: "context", text: "2" },
        { type: "context", text: "3" },
        { type: "context", text: "4" },
        { type: "removed", text: "old" },
        { type: "added", text: "new" },
        { type: "context", text: "6" },
      ],
      addedCount: 1,
      removedCount: 1,
    },
  ]);
});

test("a replacement whose place is known has numbers and the lines around it, whole ones", () => {
  const place = { line: 8, before: "8\n9\nlet x = ", after: ";\n11" };
  const change: FileChange = { type: "replace", path: "a.ts", oldText: "1", newText: "2", place };
  expect(diffChanges([change])[0]?.lines).toEqual([
    { type: "context", number: 8, text: "8" },
    { type: "context", number: 9, text: "9" },
    { type: "removed", number: 10, text: "let x = 1;" },
    { type: "added", number: 10, text: "let x = 2;" },
    { type: "context", number: 11, text: "11" },
  ]);
});

test("the places of a call's changes are those of its entry", () => {
  const place = { line: 1, before: "", after: "" };
  const entry = editTool("a.ts", ["x", "y"], { places: [place] });
  expect(fileChangesOf(entry)).toEqual([{ type: "replace", path: "a.ts", oldText: "x", newText: "y", place }]);
  expect(fileChangesOf({ ...entry, places: [null] })).toEqual([...REPLACED]);
});

test("the numbers of lines come from the tool's output", () => {
  const change: FileChange = { type: "replace", path: "a.ts", oldText: "a\nb", newText: "a\nc\nd" };
  expect(diffChanges([change], "The file was updated:\n   10→before\n   11→a\n   12→c")[0]?.lines).toEqual([
    { type: "context", number: 11, text: "a" },
    { type: "removed", number: 12, text: "b" },
    { type: "added", number: 12, text: "c" },
    { type: "added", number: 13, text: "d" },
  ]);
});

test("a written file is all new", () => {
  expect(diffChanges([{ type: "write", path: "a.ts", text: "one\n\ntwo\n" }])).toEqual([
    {
      path: "a.ts",
      lines: [
        { type: "added", number: 1, text: "one" },
        { type: "added", number: 2, text: "" },
        { type: "added", number: 3, text: "two" },
      ],
      addedCount: 3,
      removedCount: 0,
    },
  ]);
});

test("two changes of a file are one diff", () => {
  const [diff, ...others] = diffChanges([...REPLACED, { type: "replace", path: "a.ts", oldText: "", newText: "z" }]);
  expect(others).toEqual([]);
  expect(diff?.lines.map(({ type, text }) => `${type} ${text}`)).toEqual(["removed x", "added y", "gap ", "added z"]);
});

test("a unified diff names its files and numbers its lines", () => {
  const text = [
    "diff --git a/src/a.ts b/src/a.ts",
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -3,2 +3,3 @@ function",
    " same",
    "-old",
    "+new",
    "+more",
    "@@ -20 +21 @@",
    "-x",
    "+y",
    "--- a/gone.ts",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-all",
  ].join("\n");
  expect(diffChanges([{ type: "patch", text }])).toEqual([
    {
      path: "src/a.ts",
      lines: [
        { type: "context", number: 3, text: "same" },
        { type: "removed", number: 4, text: "old" },
        { type: "added", number: 4, text: "new" },
        { type: "added", number: 5, text: "more" },
        { type: "gap", text: "" },
        { type: "removed", number: 20, text: "x" },
        { type: "added", number: 21, text: "y" },
      ],
      addedCount: 3,
      removedCount: 2,
    },
    { path: "gone.ts", lines: [{ type: "removed", number: 1, text: "all" }], addedCount: 0, removedCount: 1 },
  ]);
});

test("a patch in the form of agents has lines without numbers", () => {
  const text = "*** Begin Patch\n*** Update File: a.ts\n@@ total\n-x\n+y\n*** Add File: b.ts\n+z\n*** End Patch";
  expect(diffChanges([{ type: "patch", text }])).toEqual([
    {
      path: "a.ts",
      lines: [
        { type: "removed", text: "x" },
        { type: "added", text: "y" },
      ],
      addedCount: 1,
      removedCount: 1,
    },
    { path: "b.ts", lines: [{ type: "added", text: "z" }], addedCount: 1, removedCount: 0 },
  ]);
});

test("very long texts are not compared", () => {
  const oldText = "x\n".repeat(150_000);
  const [diff] = diffChanges([{ type: "replace", path: "a", oldText, newText: "y" }]);
  expect([diff?.addedCount, diff?.removedCount]).toEqual([1, 150_000]);
});
