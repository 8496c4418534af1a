import { describe, expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRequest, UnknownRecord } from "../../../contracts/index.ts";
import { inputKey } from "../../policy/input-key.ts";
import { excludeFromSearch } from "./claude-paths.ts";
import { toPermissionRequest } from "./claude-permissions.ts";
import { displayedToolName, isQuietTool, toolKindOf, toVendorTools } from "./claude-tools.ts";

const CONTEXT = { id: "call_1", sessionId: "s", workingDirectory: "/work", homeFolder: "/home/me" };

/** What differs from call to call. */
type Described = Omit<PermissionRequest, "id" | "sessionId">;

const CALLS: readonly { readonly name: string; readonly input: unknown; readonly expected: Described }[] = [
  {
    name: "Bash",
    input: { command: "npm test", description: "Test" },
    expected: { kind: "shell", toolName: "Bash", title: "Bash: npm test", paths: [], command: "npm test" },
  },
  {
    name: "Write",
    input: { file_path: "/work/src/a.ts", content: "x" },
    expected: { kind: "edit", toolName: "Write", title: "Write: src/a.ts", paths: ["/work/src/a.ts"] },
  },
  {
    name: "Edit",
    input: { file_path: "../b.ts" },
    expected: { kind: "edit", toolName: "Edit", title: "Edit: /b.ts", paths: ["/b.ts"] },
  },
  {
    name: "NotebookEdit",
    input: { notebook_path: "/work/n.ipynb" },
    expected: { kind: "edit", toolName: "NotebookEdit", title: "NotebookEdit: n.ipynb", paths: ["/work/n.ipynb"] },
  },
  {
    name: "Grep",
    input: { pattern: "TODO", path: "src" },
    expected: {
      kind: "read",
      toolName: "Grep",
      title: "Grep: TODO",
      paths: ["/work/src"],
      search: { canExclude: true },
    },
  },
  {
    name: "Glob",
    input: { pattern: "/etc/*.conf" },
    expected: {
      kind: "read",
      toolName: "Glob",
      title: "Glob: /etc/*.conf",
      paths: ["/work", "/etc"],
      search: { include: "/etc/*.conf", listsNames: true },
    },
  },
  {
    name: "Glob",
    input: { pattern: "../**/*.ts" },
    expected: {
      kind: "read",
      toolName: "Glob",
      title: "Glob: ../**/*.ts",
      paths: ["/work", "/"],
      search: { include: "../**/*.ts", listsNames: true },
    },
  },
  {
    name: "WebFetch",
    input: { url: "https://example.com", prompt: "?" },
    expected: { kind: "fetch", toolName: "WebFetch", title: "WebFetch: https://example.com", paths: [] },
  },
  {
    name: "Agent",
    input: { description: "Look around", subagent_type: "Explore", prompt: "Look." },
    expected: { kind: "agent", toolName: "Agent", title: "Agent: Look around (Explore): Look.", paths: [] },
  },
  {
    name: "mcp__github__search",
    input: { q: 1 },
    expected: {
      kind: "mcp",
      toolName: "mcp__github__search",
      title: 'mcp__github__search: {"q":1}',
      paths: [],
    },
  },
  {
    name: "mcp__atomic-tools__lint",
    input: {},
    expected: { kind: "mcp", toolName: "lint", title: "lint: {}", paths: [] },
  },
];

describe("a tool call", () => {
  test.each(CALLS)("is described for policy and person: $expected.title", ({ name, input, expected }) => {
    const { details: _, ...request } = toPermissionRequest(name, input, CONTEXT);
    expect(request).toEqual({ id: "call_1", sessionId: "s", ...expected });
  });

  test("shows a person its input", () => {
    const change = { file_path: "/work/a", old_string: "1", new_string: "2" };
    expect(
      [
        toPermissionRequest("Edit", change, CONTEXT),
        toPermissionRequest("Write", { file_path: "/work/a", content: "x" }, CONTEXT),
        toPermissionRequest("mcp__db__query", { sql: "drop" }, CONTEXT),
        toPermissionRequest("Bash", { command: "ls" }, CONTEXT),
      ].map(({ details }) => details),
    ).toEqual([
      { type: "edit", changes: [{ path: "/work/a", oldText: "1", newText: "2" }] },
      { type: "write", path: "/work/a", text: "x" },
      { type: "input", input: { sql: "drop" } },
      undefined,
    ]);
  });

  test("shows all that runs, and says how much of a long input is cut off", () => {
    const command = `echo ${"x".repeat(2_000)}; rm -rf src`;
    expect(toPermissionRequest("Bash", { command }, CONTEXT).title).toBe(`Bash: ${command}`);
    const input = { sql: `select ${"x".repeat(70_000)}; drop table users` };
    const { title, key } = toPermissionRequest("mcp__db__query", input, CONTEXT);
    expect([title.length, title.slice(-24), key]).toEqual([65_558, "xx… 4515 more characters", inputKey(input)]);
  });

  test.each<{ readonly name: string; readonly input: UnknownRecord; readonly paths: readonly string[] }>([
    { name: "Grep", input: { path: " /outside " }, paths: ["/outside"] },
    { name: "Grep", input: { path: "~" }, paths: ["/home/me"] },
    { name: "Grep", input: { file_path: " ~/.ssh" }, paths: ["/home/me/.ssh"] },
    { name: "Grep", input: {}, paths: ["/work/sub"] },
    { name: "Glob", input: { pattern: "~/.ssh/*" }, paths: ["/work/sub", "/home/me/.ssh"] },
    { name: "Read", input: { file_path: " ~/.env\n" }, paths: ["/home/me/.env"] },
    { name: "Read", input: { file_path: "../secret" }, paths: ["/work/secret"] },
    { name: "Read", input: { file_path: "cafe\u0301" }, paths: ["/work/sub/caf\u00e9"] },
  ])("names the files that Claude Code reads: $name $input", ({ name, input, paths }) => {
    expect(toPermissionRequest(name, input, { ...CONTEXT, folder: "/work/sub" }).paths).toEqual(paths);
  });

  test("excludes names from a search after everything that it includes", () => {
    expect(excludeFromSearch({ pattern: "x", glob: ".env*" }, [".env", "a b,c"])).toEqual({
      pattern: "x",
      glob: ".env* !.env !a?b?c",
    });
  });

  test("also names the file that made Claude Code ask", () => {
    const request = toPermissionRequest("Read", { file_path: "a" }, { ...CONTEXT, blockedPath: "/etc/passwd" });
    expect(request.paths).toEqual(["/work/a", "/etc/passwd"]);
  });

  test.each([{ input: undefined }, { input: null }, { input: "text" }, { input: [] }])(
    "may have any input: %p",
    ({ input }) => {
      expect(toPermissionRequest("Bash", input, CONTEXT)).toMatchObject({ kind: "shell", command: "", paths: [] });
    },
  );
});

describe("tools", () => {
  test("are known by the names that mean the same with every agent, and by their own", () => {
    expect(toVendorTools({ allowedTools: ["read", "Edit", "glob", "list", "KillShell", "Teleport"] })).toEqual([
      ...["Read", "Glob", "NotebookRead", "Edit", "MultiEdit", "NotebookEdit", "KillShell", "Teleport"],
    ]);
  });

  test("are offered if they are on every list", () => {
    const permissions: PermissionPolicy = {
      rules: [
        { effect: "deny", exceptTools: ["read", "Bash(git:*)", "Lint", "!todo"] },
        { effect: "deny", tools: ["fetch"], exceptTools: ["write"] },
      ],
    };
    expect([
      toVendorTools({ permissions }),
      toVendorTools({ permissions, allowedTools: ["bash", "grep"] }),
      toVendorTools({ permissions: { rules: [{ effect: "deny", tools: ["edit"] }] } }),
    ]).toEqual([["Read", "NotebookRead", "Bash", "PowerShell", "Lint"], ["Bash", "PowerShell"], undefined]);
  });

  test("that Claude Code adds in the future require approval", () => {
    expect([toolKindOf("Teleport"), isQuietTool("Teleport"), displayedToolName("Teleport")]).toEqual([
      "other",
      false,
      "Teleport",
    ]);
  });
});
