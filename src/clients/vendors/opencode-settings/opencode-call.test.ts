import { describe, expect, test } from "bun:test";
import { boundTitle } from "../../policy/bound-title.ts";
import { inputKey } from "../../policy/input-key.ts";
import { filesOfPatch, kindOfCall, type OpenCodeCall, toCallRequest, withoutFiles } from "./opencode-call.ts";

function callOf(tool: string, input: unknown, isMcp = false): OpenCodeCall {
  return { sessionId: "ses_1", callId: "call_1", tool, input, directory: "/work", isMcp };
}

const PATCH = [
  "*** Begin Patch",
  "*** Add File: new.txt",
  "+hello",
  "*** Update File: src/a.ts ",
  "*** Move to: ../outside.ts",
  "@@",
  "-a",
  "+*** Delete File: no.txt",
  "*** Delete File: .env\r",
  "*** End Patch",
].join("\n");

/** Longer than a title can be. */
const HUGE = { note: "x".repeat(70_000), sql: "drop all" };
const BIG = { list: ["x".repeat(300)] };

test("a person is shown what a call is given", () => {
  const detailsOf = (tool: string, input: unknown) =>
    toCallRequest(callOf(tool, input), { sessionId: "s", toolName: tool }).details;
  expect([
    detailsOf("edit", { filePath: "a", oldString: "1", newString: "2" }),
    detailsOf("patch", { patchText: "nonsense" }),
    detailsOf("webfetch", { url: "http://a", format: "text" }),
    detailsOf("bash", { command: "ls" }),
  ]).toEqual([
    { type: "edit", changes: [{ path: "a", oldText: "1", newText: "2" }] },
    { type: "input", input: { patchText: "nonsense" } },
    { type: "fetch", address: "http://a" },
    undefined,
  ]);
});

describe("what a call needs", () => {
  test.each([
    {
      title: "a command",
      call: callOf("bash", { command: "ls; rm x", description: "d" }),
      expected: { kind: "shell", title: "bash: ls; rm x", paths: [], command: "ls; rm x" },
    },
    {
      title: "a command in another folder",
      call: callOf("bash", { command: "ls", workdir: "a b" }),
      expected: { kind: "shell", title: "bash: cd '/work/a b' && ls", paths: [], command: "cd '/work/a b' && ls" },
    },
    {
      title: "a file, with nothing of its name expanded",
      call: callOf("read", { filePath: "~/x" }),
      expected: { kind: "read", title: "read: ~/x", paths: ["/work/~/x"] },
    },
    {
      title: "a file outside",
      call: callOf("write", { filePath: "/etc/hosts", content: "" }),
      expected: { kind: "edit", title: "write: /etc/hosts (outside of the working directory)", paths: ["/etc/hosts"] },
    },
    {
      title: "every file of a patch",
      call: callOf("apply_patch", { patchText: PATCH }),
      expected: {
        kind: "edit",
        title: "apply_patch: new.txt, src/a.ts, /outside.ts, .env (outside of the working directory)",
        paths: ["/work/new.txt", "/work/src/a.ts", "/outside.ts", "/work/.env"],
      },
    },
    {
      title: "a change of files that it does not name, which no rule about files fits",
      call: callOf("apply_patch", { patchText: "nonsense" }),
      expected: { kind: "other", title: 'apply_patch: {"patchText":"nonsense"}', paths: [] },
    },
    {
      title: "a search in all files, which can leave some out",
      call: callOf("grep", { pattern: "key" }),
      expected: { kind: "read", title: "grep: key", paths: ["/work"], search: { canExclude: true } },
    },
    {
      title: "a search in some files",
      call: callOf("grep", { pattern: "key", path: "src", include: "*.{ts,tsx}" }),
      expected: { kind: "read", title: "grep: key", paths: ["/work/src"], search: { include: "**/*.{ts,tsx}" } },
    },
    {
      title: "a search with a glob that ripgrep reads in its own way, which counts as all files",
      call: callOf("grep", { pattern: "key", include: ".[e]nv" }),
      expected: { kind: "read", title: "grep: key", paths: ["/work"], search: {} },
    },
    {
      title: "a list of files",
      call: callOf("glob", { pattern: "/src/**/*.ts" }),
      expected: {
        kind: "read",
        title: "glob: /src/**/*.ts",
        paths: ["/work"],
        search: { include: "src/**/*.ts", listsNames: true },
      },
    },
    {
      title: "a search for files that could be anywhere",
      call: callOf("glob", { pattern: "[.][.]/*" }),
      expected: { kind: "read", title: "glob: [.][.]/*", paths: ["/work"], search: {} },
    },
    {
      title: "a sub-agent, whose task makes it another call",
      call: callOf("task", { description: "look", subagent_type: "general", prompt: "Look." }),
      expected: {
        kind: "agent",
        title: "task: look (general): Look.",
        paths: [],
        key: inputKey({ description: "look", subagent_type: "general", prompt: "Look." }),
      },
    },
    {
      title: "a tool of an MCP server, with all of its input",
      call: callOf("server_tool", BIG, true),
      expected: {
        kind: "mcp",
        title: `server_tool: ${JSON.stringify(BIG)}`,
        paths: [],
      },
    },
    {
      title: "a tool of an MCP server, whose input is too long to be read, by a key of all of it",
      call: callOf("server_tool", HUGE, true),
      expected: {
        kind: "mcp",
        title: boundTitle(`server_tool: ${JSON.stringify(HUGE)}`),
        paths: [],
        key: inputKey(HUGE),
      },
    },
    {
      title: "a tool that nobody knows",
      call: callOf("server_tool", {}),
      expected: { kind: "other", title: "server_tool: {}", paths: [] },
    },
    {
      title: "nonsense",
      call: callOf("read", "x"),
      expected: { kind: "read", title: 'read: "x"', paths: [] },
    },
  ])("$title", ({ call, expected }) => {
    const { details: _, ...request } = toCallRequest(call, { sessionId: "s", toolName: call.tool });
    expect<unknown>(request).toEqual({
      id: "call_1",
      sessionId: "s",
      toolName: call.tool,
      ...expected,
    });
  });

  test("names that any object has are no tools", () => {
    expect(["constructor", "__proto__", "toString"].map((tool) => kindOfCall({ tool, isMcp: false }))).toEqual([
      "other",
      "other",
      "other",
    ]);
  });
});

test("a patch names its files on lines that OpenCode would overlook, too", () => {
  expect(filesOfPatch("  *** Add File:a\n*** Update File:\n*** Move to: b")).toEqual(["a", "b"]);
});

test.each([
  { exclude: [], expected: { pattern: "x" } },
  { exclude: [".env"], expected: { pattern: "x", include: "!**/.env" } },
  { exclude: [".env", "a.key"], expected: { pattern: "x", include: "!**/{.env,a.key}" } },
])("a search leaves $exclude out", ({ exclude, expected }) => {
  expect(withoutFiles({ pattern: "x" }, exclude)).toEqual(expected);
});
