import { describe, expect, test } from "bun:test";
import { commandOf, mergeToolCall, outputOf, pathsOf, toolKindOf } from "./acp-tools.ts";

const callOf = (update: object) => mergeToolCall(undefined, { toolCallId: "1", ...update });

describe("what a tool call does", () => {
  test.each([
    { update: { title: "read", kind: "read" }, kind: "read" },
    { update: { title: "grep", kind: "search" }, kind: "read" },
    { update: { title: "Delete a.txt", kind: "delete" }, kind: "edit" },
    { update: { title: "Move a.txt", kind: "move" }, kind: "edit" },
    { update: { title: "ls", kind: "execute" }, kind: "shell" },
    { update: { title: "Fetch", kind: "fetch" }, kind: "fetch" },
    { update: { title: "Think", kind: "think" }, kind: "other" },
    { update: { title: "Ready?", kind: "switch_mode" }, kind: "other" },
    { update: {}, kind: "other" },
    { update: { title: "task", kind: "think" }, kind: "agent" },
    { update: { name: "Agent", title: "look", kind: "think" }, kind: "agent" },
    { update: { name: "mcp__files__read", kind: "read" }, kind: "mcp" },
    { update: { title: "my_server_do", kind: "other" }, kind: "mcp" },
    { update: { title: "my_servers", kind: "other" }, kind: "other" },
    { update: { title: "mcp__x; touch hacked.txt", kind: "execute" }, kind: "shell" },
    { update: { title: "mcp__x; touch hacked.txt" }, kind: "other" },
    { update: { name: "Bash", title: "docker-compose down -v", kind: "execute" }, kind: "shell" },
    { update: { title: "docker-compose", kind: "execute" }, kind: "shell" },
    { update: { title: "docker/readme.md", kind: "edit" }, kind: "edit" },
    { update: { title: "docker.md", kind: "edit" }, kind: "edit" },
    { update: { title: "task", kind: "execute" }, kind: "shell" },
  ] as const)("$update is of the kind $kind", ({ update, kind }) => {
    expect(toolKindOf(callOf(update), { mcpServers: ["my server", "docker"] })).toBe(kind);
  });

  test("a later title or a less specific kind does not change the result", () => {
    const first = callOf({ title: "bash", kind: "execute" });
    const later = mergeToolCall(first, { title: "echo hi", kind: "other", rawInput: { command: "echo hi" } });
    expect([later.name, later.title, later.acpKind, later.input]).toEqual([
      "bash",
      "echo hi",
      "execute",
      { command: "echo hi" },
    ]);
  });
});

test.each([
  { title: "the name that the agent reports", update: { name: "Bash", title: "ls" }, name: "Bash" },
  { title: "a title before the arguments", update: { title: "bash", kind: "execute" }, name: "bash" },
  {
    title: "a title that can only be a name",
    update: { title: "get_time", rawInput: { zone: "UTC" } },
    name: "get_time",
  },
  {
    title: "else the kind",
    update: { title: "build", kind: "execute", rawInput: { command: "make" } },
    name: "execute",
  },
  { title: "else a generic name", update: { title: "Look around" }, name: "tool" },
])("a tool's name is $title", ({ update, name }) => {
  expect(callOf(update).name).toBe(name);
});

describe("the files of a call", () => {
  const workingDirectory = "/work";
  test.each([
    {
      title: "locations and diffs",
      update: { locations: [{ path: "a" }], content: [{ type: "diff", path: "/b" }] },
      files: ["/work/a", "/b"],
    },
    {
      title: "arguments",
      update: { rawInput: { file_path: "/x", paths: ["y"], changes: { "/z": {} } } },
      files: ["/x", "/work/y", "/z"],
    },
    {
      title: "file URLs",
      update: { locations: [{ path: "file:///a%20b" }, { path: "file://%zz" }] },
      files: ["/a b", "/work/file:/%zz"],
    },
    { title: "none: it could read anything", update: {}, files: ["/"] },
    { title: "a search without a file", update: { kind: "search" }, files: ["/work"] },
  ])("are those of its $title", ({ update, files }) => {
    expect(pathsOf(callOf(update), { kind: "read", workingDirectory })).toEqual(files);
  });

  test("include those reported before, and are empty for a command", () => {
    const known = callOf({ locations: [{ path: "/before" }] });
    const call = callOf({ locations: [{ path: "/now" }] });
    expect(pathsOf(call, { kind: "edit", workingDirectory, known })).toEqual(["/now", "/before"]);
    expect(pathsOf(call, { kind: "shell", workingDirectory })).toEqual([]);
  });
});

test.each([
  { update: { rawInput: { command: "npm test" } }, command: "npm test" },
  { update: { rawInput: { command: ["bash", "-lc", "rm -rf x; ls"] } }, command: "rm -rf x; ls" },
  { update: { rawInput: { command: ["git", "commit", "-m", "it's"] } }, command: `git commit -m 'it'\\''s'` },
  { update: { rawInput: { cmd: "npm", args: ["run", "a b"] } }, command: "npm run 'a b'" },
  { update: { title: "`ls -l` in /work" }, command: "ls -l" },
  { update: { title: "ls -l" }, command: "ls -l" },
])("the command of $update is $command", ({ update, command }) => {
  expect(commandOf(callOf(update))).toBe(command);
});

test.each([
  { update: { rawOutput: "plain" }, output: "plain" },
  {
    update: {
      rawOutput: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    output: "a\nb",
  },
  { update: { rawOutput: { output: "out", metadata: {} } }, output: "out" },
  { update: { rawOutput: { error: "bad" } }, output: "bad" },
  { update: { content: [{ type: "content", content: { type: "text", text: "shown" } }] }, output: "shown" },
  { update: { rawOutput: { code: 1 } }, output: '{"code":1}' },
  { update: {}, output: "" },
])("the output of $update is $output", ({ update, output }) => {
  expect(outputOf(callOf(update))).toBe(output);
});
