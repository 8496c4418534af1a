import { describe, expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { inputKey } from "../policy/input-key.ts";
import { toPermissionRequest } from "./claude-permissions.ts";
import { displayedToolName, isQuietTool, toolKindOf, toVendorTools } from "./claude-tools.ts";

const CONTEXT = { id: "call_1", sessionId: "s", workingDirectory: "/work" };

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
    expected: { kind: "read", toolName: "Grep", title: "Grep: TODO", paths: ["/work/src"] },
  },
  {
    name: "Glob",
    input: { pattern: "/etc/*.conf" },
    expected: { kind: "read", toolName: "Glob", title: "Glob: /etc/*.conf", paths: ["/work", "/etc"] },
  },
  {
    name: "Glob",
    input: { pattern: "../**/*.ts" },
    expected: { kind: "read", toolName: "Glob", title: "Glob: ../**/*.ts", paths: ["/work", "/"] },
  },
  {
    name: "WebFetch",
    input: { url: "https://example.com", prompt: "?" },
    expected: { kind: "fetch", toolName: "WebFetch", title: "WebFetch: https://example.com", paths: [] },
  },
  {
    name: "Agent",
    input: { description: "Look around", subagent_type: "Explore" },
    expected: { kind: "agent", toolName: "Agent", title: "Agent: Look around (Explore)", paths: [] },
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
    expect(toPermissionRequest(name, input, CONTEXT)).toEqual({ id: "call_1", sessionId: "s", ...expected });
  });

  test("whose title holds only the beginning of its input is told from others by all of it", () => {
    const input = { sql: `select ${"x".repeat(200)}; drop table users` };
    const { title, key } = toPermissionRequest("mcp__db__query", input, CONTEXT);
    expect([title, key]).toEqual([`mcp__db__query: {"sql":"select ${"x".repeat(184)}…`, inputKey(input)]);
  });

  test("also names the file for whose sake Claude Code asks", () => {
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
    expect(toVendorTools(["read", "edit", "glob", "list", "KillShell"])).toEqual([
      "Read",
      "Edit",
      "NotebookEdit",
      "Glob",
      "KillShell",
    ]);
  });

  test("that Claude Code adds some day are asked about", () => {
    expect([toolKindOf("Teleport"), isQuietTool("Teleport"), displayedToolName("Teleport")]).toEqual([
      "other",
      false,
      "Teleport",
    ]);
  });
});
