import { expect, test } from "bun:test";
import type { PermissionPolicy, PermissionRequest } from "../../../contracts/index.ts";
import { proposeRule } from "./propose-rule.ts";

const SHELL: PermissionRequest = { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "t", paths: [] };
const EDIT: PermissionRequest = { ...SHELL, kind: "edit", toolName: "edit" };

test.each<{ title: string; policy?: PermissionPolicy; request: PermissionRequest; rule: string | undefined }>([
  { title: "a command", request: { ...SHELL, command: "npm publish" }, rule: "shell:npm publish" },
  {
    title: "a line that cannot be parsed, as it is",
    request: { ...SHELL, command: "echo $(date) > x" },
    rule: "shell:echo $(date) > x",
  },
  { title: "a command in which * would stand for more", request: { ...SHELL, command: "rm *" }, rule: undefined },
  { title: "a command of two lines", request: { ...SHELL, command: "a\nb" }, rule: undefined },
  { title: "a very long command", request: { ...SHELL, command: "x".repeat(300) }, rule: undefined },
  {
    title: "a denied command",
    policy: { rules: [{ effect: "deny", commands: ["npm *"] }] },
    request: { ...SHELL, command: "npm publish" },
    rule: undefined,
  },
  { title: "a file", request: { ...EDIT, paths: ["/work/src/a.ts"] }, rule: "edit:src/a.ts" },
  { title: "a protected file", request: { ...EDIT, paths: ["/work/package.json"] }, rule: "edit:package.json" },
  { title: "a file elsewhere", request: { ...EDIT, paths: ["/etc/a"] }, rule: "edit:/etc/a" },
  { title: "two files", request: { ...EDIT, paths: ["/work/a", "/etc/b"] }, rule: undefined },
  { title: "two files of the project", request: { ...EDIT, paths: ["/work/a", "/work/b"] }, rule: "edit:{a,b}" },
  { title: "a file whose name is a pattern", request: { ...EDIT, paths: ["/work/[*].ts"] }, rule: undefined },
  { title: "a change that names no file", request: EDIT, rule: undefined },
  {
    title: "a secret",
    request: { ...SHELL, kind: "read", toolName: "read", paths: ["/work/.env"] },
    rule: "read:.env",
  },
  {
    title: "a search, which would open all that it finds",
    request: { ...SHELL, kind: "read", toolName: "grep", paths: ["/work"], search: {} },
    rule: undefined,
  },
  { title: "a tool of an MCP server", request: { ...SHELL, kind: "mcp", toolName: "db" }, rule: "mcp" },
])("$title", ({ policy = { rules: [] }, request, rule }) => {
  expect(proposeRule(policy, request, { workingDirectory: "/work" })).toBe(rule);
});
