import { expect, test } from "bun:test";
import type { ToolKind } from "../../../contracts/index.ts";
import { toPermissionRequest } from "./copilot-permissions.ts";

const TOOLS: Readonly<Record<string, { readonly name: string; readonly kind: ToolKind }>> = {
  known: { name: "create", kind: "edit" },
  app: { name: "app-add", kind: "mcp" },
};

const context = {
  sessionId: "s",
  workingDirectory: "/work",
  toolOf: (callId: string) => TOOLS[callId],
};

test.each([
  {
    title: "a command",
    raw: { kind: "shell", toolCallId: "c", fullCommandText: "npm test > log", possiblePaths: ["log"] },
    expected: { kind: "shell", toolName: "bash", title: "bash: npm test > log", paths: [], command: "npm test > log" },
  },
  {
    title: "a changed file, by the name of its tool",
    raw: { kind: "write", toolCallId: "known", fileName: "/work/src/a.ts", diff: "…" },
    expected: {
      id: "known",
      kind: "edit",
      toolName: "create",
      title: "create: src/a.ts",
      paths: ["/work/src/a.ts"],
      details: { type: "patch", text: "…" },
    },
  },
  {
    title: "a link also names its target",
    raw: { kind: "write", toolCallId: "c", fileName: "link.txt", resolvedPath: "/etc/passwd" },
    expected: {
      kind: "edit",
      toolName: "edit",
      title: "edit: link.txt, /etc/passwd",
      paths: ["/work/link.txt", "/etc/passwd"],
    },
  },
  {
    title: "a search in the working directory",
    raw: { kind: "read", toolCallId: "c", path: "/work" },
    expected: { kind: "read", toolName: "view", title: "view: .", paths: ["/work"] },
  },
  {
    title: "an address",
    raw: { kind: "url", toolCallId: "c", url: "https://example.com/a" },
    expected: { kind: "fetch", toolName: "web_fetch", title: "web_fetch: https://example.com/a", paths: [] },
  },
  {
    title: "a tool of an MCP server",
    raw: { kind: "mcp", toolCallId: "c", serverName: "app", toolName: "app-add", args: { left: 1 } },
    expected: { kind: "mcp", toolName: "app-add", title: 'app-add: {"left":1}', paths: [] },
  },
  {
    title: "a hook that requires approval for a command",
    raw: { kind: "hook", toolCallId: "c", toolName: "bash", toolArgs: { command: "rm a" }, hookMessage: "careful" },
    expected: { kind: "shell", toolName: "bash", title: "bash: rm a", paths: [], command: "rm a" },
  },
  {
    title: "a hook that requires approval for a changed file",
    raw: { kind: "hook", toolCallId: "known", toolName: "create", toolArgs: { path: "/etc/a", file_text: "" } },
    expected: { id: "known", kind: "edit", toolName: "create", title: "create: /etc/a", paths: ["/etc/a"] },
  },
  {
    title: "a hook that requires approval for a tool of an MCP server",
    raw: { kind: "hook", toolCallId: "app", toolName: "app-add", toolArgs: { path: "a" } },
    expected: { id: "app", kind: "mcp", toolName: "app-add", title: 'app-add: {"path":"a"}', paths: [] },
  },
  {
    title: "what this version does not know",
    raw: { kind: "teleport", toolCallId: "c", intention: "Go away" },
    expected: { kind: "other", toolName: "teleport", title: "teleport: Go away", paths: [] },
  },
  { title: "nonsense", raw: 7, expected: { id: "", kind: "other", toolName: "", title: ": {}", paths: [] } },
])("$title", ({ raw, expected }) => {
  expect<unknown>(toPermissionRequest(raw, context)).toEqual({ id: "c", sessionId: "s", ...expected });
});
