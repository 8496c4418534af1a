import { expect, test } from "bun:test";
import { excludeFiles, isQuietTool, toCallRequest } from "./copilot-call.ts";

const PLACE = { sessionId: "s", workingDirectory: "/work/my app" };

test.each([
  {
    title: "a command, all of it",
    call: { toolName: "bash", input: { command: "npm test\nrm -rf .", description: "Run the tests", mode: "async" } },
    expected: { kind: "shell", title: "bash: npm test\nrm -rf .", paths: [], command: "npm test\nrm -rf ." },
  },
  {
    title: "text typed into a running command counts as a command that quotes it",
    call: { toolName: "write_bash", input: { shellId: "a", input: "rm 'x'\n", delay: 1 } },
    expected: {
      kind: "shell",
      title: "write_bash: a rm 'x'\n",
      paths: [],
      command: "write_bash 'a' 'rm '\\''x'\\''\n'",
    },
  },
  {
    title: "a file, without expanding a home or an address in its name",
    call: { toolName: "view", input: { path: "~/.ssh/../a" } },
    expected: { kind: "read", title: "view: ~/a", paths: ["/work/my app/~/a"] },
  },
  {
    title: "a changed file",
    call: { toolName: "edit", input: { path: "../other/a.ts", old_str: "1", new_str: "2" } },
    expected: { kind: "edit", title: "edit: /work/other/a.ts", paths: ["/work/other/a.ts"] },
  },
  {
    title: "the old editor, which also reads",
    call: { toolName: "str_replace_editor", input: { command: "view", path: "/etc/passwd" } },
    expected: { kind: "read", title: "str_replace_editor: /etc/passwd", paths: ["/etc/passwd"] },
  },
  {
    title: "every file of a patch",
    call: {
      toolName: "apply_patch",
      input:
        "*** Begin Patch\n*** Add File: a\n+1\n***Update File:b\n*** Move to: /etc/c\n  *** Delete File: d \n*** End Patch",
    },
    expected: {
      kind: "edit",
      title: "apply_patch: a, b, /etc/c, d",
      paths: ["/work/my app/a", "/work/my app/b", "/etc/c", "/work/my app/d"],
    },
  },
  {
    title: "a patch that names no file",
    call: { toolName: "apply_patch", input: { text: "+1" } },
    expected: { kind: "other", title: 'apply_patch: {"text":"+1"}', paths: [] },
  },
  {
    title: "a search of everything, from which files can be excluded",
    call: { toolName: "grep", input: { pattern: "KEY", output_mode: "content" } },
    expected: { kind: "read", title: "grep: KEY in .", paths: ["/work/my app"], search: { canExclude: true } },
  },
  {
    title: "a search of several folders in one text, as Copilot splits it",
    call: { toolName: "rg", input: { pattern: "KEY", paths: "/work/my app/src /etc", glob: "*.ts" } },
    expected: {
      kind: "read",
      title: "rg: KEY in src /etc, src, /etc (*.ts)",
      paths: ["/work/my app/src /etc", "/work/my app/src", "/etc"],
      search: { include: "*.ts" },
    },
  },
  {
    title: "a search by both spellings of its folder",
    call: { toolName: "grep", input: { pattern: "KEY", path: "/etc", paths: ["src"] } },
    expected: {
      kind: "read",
      title: "grep: KEY in /etc, src",
      paths: ["/etc", "/work/my app/src"],
      search: { canExclude: true },
    },
  },
  {
    title: "a search with an unknown argument counts as one of all files",
    call: { toolName: "grep", input: { pattern: "KEY", glob: "*.ts", follow: true } },
    expected: { kind: "read", title: "grep: KEY in . (*.ts)", paths: ["/work/my app"], search: {} },
  },
  {
    title: "a search for files, in the folder that its pattern begins with",
    call: { toolName: "glob", input: { pattern: "src/app/**/*.ts" } },
    expected: {
      kind: "read",
      title: "glob: src/app/**/*.ts in src/app",
      paths: ["/work/my app/src/app"],
      search: { include: "src/app/**/*.ts", listsNames: true },
    },
  },
  {
    title: "a search for files with an unknown argument",
    call: { toolName: "glob", input: { pattern: "src/*", other: true } },
    expected: { kind: "read", title: "glob: src/* in src", paths: ["/work/my app/src"], search: {} },
  },
  {
    title: "an address",
    call: { toolName: "web_fetch", input: { url: "https://example.com/a?b", raw: true } },
    expected: { kind: "fetch", title: "web_fetch: https://example.com/a?b", paths: [] },
  },
  {
    title: "a sub-agent, with its whole prompt",
    call: { toolName: "task", input: { agent_type: "task", prompt: "Run it" } },
    expected: { kind: "agent", title: 'task: {"agent_type":"task","prompt":"Run it"}', paths: [] },
  },
  {
    title: "a tool of an MCP server, whatever it is called",
    call: { toolName: "ask_user", input: { a: 1 }, isForeign: true },
    expected: { kind: "mcp", title: 'ask_user: {"a":1}', paths: [] },
  },
  {
    title: "an unknown tool",
    call: { toolName: "constructor", input: { path: "/work/a" } },
    expected: { kind: "other", title: 'constructor: {"path":"/work/a"}', paths: [] },
  },
  {
    title: "an invalid path",
    call: { toolName: "view", input: { path: ["/work/a"] } },
    expected: { kind: "other", title: 'view: {"path":["/work/a"]}', paths: [] },
  },
])("$title", ({ call, expected }) => {
  const { key: _key, details: _details, ...request } = toCallRequest({ id: "c", isForeign: false, ...call }, PLACE);
  expect<unknown>(request).toEqual({ id: "c", sessionId: "s", toolName: call.toolName, ...expected });
});

test("a person sees the input of a call", () => {
  const detailsOf = (toolName: string, input: unknown) =>
    toCallRequest({ id: "c", isForeign: false, toolName, input }, PLACE).details;
  expect([
    detailsOf("edit", { path: "a", old_str: "1", new_str: "2" }),
    detailsOf("create", { path: "a", file_text: "x" }),
    detailsOf("apply_patch", "*** Add File: a\n+x"),
    detailsOf("web_fetch", { url: "http://a" }),
    detailsOf("bash", { command: "ls" }),
  ]).toEqual([
    { type: "edit", changes: [{ path: "a", oldText: "1", newText: "2" }] },
    { type: "write", path: "a", text: "x" },
    { type: "patch", text: "*** Add File: a\n+x" },
    { type: "fetch", address: "http://a" },
    undefined,
  ]);
});

test("only Copilot's own tools are quiet", () => {
  const isQuiet = (toolName: string, isForeign: boolean) => isQuietTool({ toolName, isForeign });
  expect([isQuiet("sql", false), isQuiet("sql", true), isQuiet("task", false), isQuiet("unknown", false)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test("a glob excludes files from a search", () => {
  expect(excludeFiles({ pattern: "a" }, [".env", "id_rsa"])).toEqual({ pattern: "a", glob: "!{.env,id_rsa}" });
});
