import { expect, test } from "bun:test";
import { inputKey } from "../../policy/input-key.ts";
import { toolKindOf, toPermissionRequest } from "./opencode-permissions.ts";

const TOOLS: Readonly<Record<string, { readonly name: string; readonly input: unknown }>> = {
  call_write: { name: "write", input: {} },
  call_read: { name: "read", input: {} },
  call_bash: { name: "bash", input: {} },
  call_resources: { name: "list_mcp_resources", input: {} },
  call_weather: { name: "get_weather", input: { city: "Bonn", note: "x".repeat(300) } },
};

const CONTEXT = {
  sessionId: "ses_1",
  workingDirectory: "/repo/app",
  worktree: "/repo",
  serverPrefix: "atomic-0",
  toolOf: (callId: string) => TOOLS[callId],
};

test.each([
  {
    title: "a tool of Atomic shows its input, cut off if it is long, and no prefix",
    asked: { permission: "atomic-0_get_weather", patterns: ["*"], tool: { callID: "call_weather" } },
    expected: {
      kind: "mcp",
      toolName: "get_weather",
      title: `get_weather: {"city":"Bonn","note":"${"x".repeat(177)}…`,
      paths: [],
      key: inputKey(TOOLS.call_weather?.input),
    },
  },
  {
    title: "a tool of the session's MCP server has the server's name",
    asked: { permission: "atomic-0-files_read", patterns: ["*"] },
    expected: { kind: "mcp", toolName: "files_read", title: "files_read: *", paths: [] },
  },
  {
    title: "a resource of an MCP server is not a file of the project",
    asked: { permission: "read", patterns: ["mcp:files:file:///etc/passwd"], metadata: { server: "files" } },
    expected: { kind: "mcp", toolName: "read", title: "read: mcp:files:file:///etc/passwd", paths: [] },
  },
  {
    title: "a list of the resources of all MCP servers",
    asked: { permission: "read", patterns: ["mcp:files:*"], metadata: {}, tool: { callID: "call_resources" } },
    expected: { kind: "mcp", toolName: "list_mcp_resources", title: "list_mcp_resources: mcp:files:*", paths: [] },
  },
  {
    title: "a command stays a command, even if a part of it looks like a resource of an MCP server",
    asked: {
      permission: "bash",
      patterns: ["touch x", "mcp:y"],
      metadata: { command: "touch x; mcp:y" },
      tool: { callID: "call_bash" },
    },
    expected: { kind: "shell", toolName: "bash", title: "bash: touch x; mcp:y", paths: [], command: "touch x; mcp:y" },
  },
  {
    title: "an edit of a file with the name of an MCP server's resource",
    asked: { permission: "edit", patterns: ["mcp:y"], tool: { callID: "call_write" } },
    expected: { kind: "edit", toolName: "write", title: "write: /repo/mcp:y", paths: ["/repo/mcp:y"] },
  },
  {
    title: "a file with the name of an MCP server's resource",
    asked: { permission: "read", patterns: ["mcp:y"], metadata: {}, tool: { callID: "call_read" } },
    expected: { kind: "read", toolName: "read", title: "read: /repo/mcp:y", paths: ["/repo/mcp:y"] },
  },
  {
    title: "an edit names its file from the root of the repository",
    asked: { permission: "edit", patterns: ["app/src/a.ts"], tool: { callID: "call_write" } },
    expected: { kind: "edit", toolName: "write", title: "write: src/a.ts", paths: ["/repo/app/src/a.ts"] },
  },
  {
    title: "a patch names all files, the targets of moves included",
    asked: {
      permission: "edit",
      patterns: ["app/a.ts", "app/b.ts"],
      metadata: { files: [{ filePath: "/repo/app/b.ts", movePath: "/repo/other/b.ts" }] },
    },
    expected: {
      kind: "edit",
      toolName: "edit",
      title: "edit: a.ts, b.ts, /repo/other/b.ts",
      paths: ["/repo/app/a.ts", "/repo/app/b.ts", "/repo/other/b.ts"],
    },
  },
  {
    title: "a command is the whole line, not the pieces OpenCode makes of it",
    asked: {
      permission: "bash",
      patterns: ["ls", "rm x"],
      metadata: { command: "ls; rm x" },
      tool: { callID: "call_bash" },
    },
    expected: { kind: "shell", toolName: "bash", title: "bash: ls; rm x", paths: [], command: "ls; rm x" },
  },
  {
    title: "a file outside is of the kind of the tool that wants it",
    asked: {
      permission: "external_directory",
      patterns: ["/etc/*"],
      metadata: { filepath: "/etc/hosts", parentDir: "/etc" },
      tool: { callID: "call_read" },
    },
    expected: {
      kind: "read",
      toolName: "read",
      title: "read: /etc/hosts (outside of the working directory)",
      paths: ["/etc/hosts"],
    },
  },
  {
    title: "a command that goes outside names the folders",
    asked: {
      permission: "external_directory",
      patterns: ["/etc/*"],
      metadata: { command: "cat /etc/hosts", directories: ["/etc"] },
      tool: { callID: "call_bash" },
    },
    expected: {
      kind: "shell",
      toolName: "bash",
      title: "bash: cat /etc/hosts (outside of the working directory)",
      paths: ["/etc"],
      command: "cat /etc/hosts",
    },
  },
  {
    title: "a search names the folder it searches",
    asked: { permission: "grep", patterns: ["key"], metadata: { pattern: "key", path: "src" } },
    expected: { kind: "read", toolName: "grep", title: "grep: key", paths: ["/repo/app/src"] },
  },
  {
    title: "a fetch names the address",
    asked: { permission: "webfetch", patterns: ["http://x/"], metadata: { url: "http://x/" } },
    expected: { kind: "fetch", toolName: "webfetch", title: "webfetch: http://x/", paths: [] },
  },
  {
    title: "a sub-agent is named with its task",
    asked: { permission: "task", patterns: ["general"], metadata: { description: "look", subagent_type: "general" } },
    expected: { kind: "agent", toolName: "task", title: "task: look (general)", paths: [] },
  },
  {
    title: "a tool of an MCP server",
    asked: { permission: "app_get_weather", patterns: ["*"] },
    expected: { kind: "mcp", toolName: "app_get_weather", title: "app_get_weather: *", paths: [] },
  },
  {
    title: "nonsense",
    asked: { permission: 1, patterns: "x", metadata: [], tool: null },
    expected: { kind: "other", toolName: "", title: ": ", paths: [] },
  },
])("$title", ({ asked, expected }) => {
  const { details: _, ...request } = toPermissionRequest({ id: "per_1", ...asked }, CONTEXT);
  expect<unknown>(request).toEqual({
    id: "per_1",
    sessionId: "ses_1",
    ...expected,
  });
});

test.each([
  ["apply_patch", "edit"],
  ["constructor", "other"],
  ["plan_exit", "other"],
  ["server_tool", "mcp"],
])("the tool %s is of the kind %s", (name, kind) => {
  expect<string>(toolKindOf(name)).toBe(kind);
});
