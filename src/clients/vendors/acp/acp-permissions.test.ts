import { expect, test } from "bun:test";
import { inputKey } from "../../policy/input-key.ts";
import { toPermissionRequest } from "./acp-permissions.ts";

const CONTEXT = { sessionId: "s", workingDirectory: "/work", mcpServers: ["docker"], call: undefined };

test.each([
  {
    title: "a call of another kind shows its arguments",
    toolCall: {
      title: "query",
      kind: "other",
      rawInput: { sql: `select${" ".repeat(300)}; drop table a` },
    },
    expected: {
      kind: "other",
      toolName: "other",
      title: `other: query {"sql":"select${" ".repeat(300)}; drop table a"}`,
      paths: [],
      key: inputKey(["query", { sql: `select${" ".repeat(300)}; drop table a` }]),
    },
  },
  {
    title: "a command is recognized whatever its title starts with",
    toolCall: { title: "docker-compose down -v", kind: "execute", rawInput: { command: "docker-compose down -v" } },
    expected: {
      kind: "shell",
      toolName: "execute",
      title: "execute: docker-compose down -v",
      paths: [],
      command: "docker-compose down -v",
    },
  },
  {
    title: "an edit names its file whatever its title starts with",
    toolCall: { title: "docker/readme.md", kind: "edit", locations: [{ path: "/work/docker/readme.md" }] },
    expected: {
      kind: "edit",
      toolName: "edit",
      title: "edit: docker/readme.md",
      paths: ["/work/docker/readme.md"],
    },
  },
  {
    title: "the deletion of a file says that it is one",
    toolCall: { title: "rm", kind: "delete", rawInput: { path: "/work/a.txt" } },
    expected: {
      kind: "edit",
      isDeletion: true,
      toolName: "delete",
      title: "delete: a.txt",
      paths: ["/work/a.txt"],
    },
  },
  {
    title: "a command in another folder names the folder",
    toolCall: { title: "Bash", kind: "execute", rawInput: { command: ["bash", "-lc", "ls"], cwd: "../etc" } },
    expected: {
      kind: "shell",
      toolName: "execute",
      title: "execute: cd /etc && ls",
      paths: [],
      command: "cd /etc && ls",
    },
  },
  {
    title: "a command in the working directory does not name the folder",
    toolCall: { title: "Bash", kind: "execute", rawInput: { command: "ls", cwd: "/work" } },
    expected: { kind: "shell", toolName: "execute", title: "execute: ls", paths: [], command: "ls" },
  },
])("$title", ({ toolCall, expected }) => {
  const { details: _, ...request } = toPermissionRequest({ toolCall: { toolCallId: "t", ...toolCall } }, CONTEXT);
  expect<unknown>(request).toEqual({ id: "t", sessionId: "s", ...expected });
});

test("a person sees the arguments of a call, or the diff that an agent reports instead", () => {
  const detailsOf = (toolCall: object) =>
    toPermissionRequest({ toolCall: { toolCallId: "t", ...toolCall } }, CONTEXT).details;
  const diff = { type: "diff", path: "/work/a", oldText: "1", newText: "2" };
  expect([
    detailsOf({ kind: "edit", rawInput: { path: "/work/a", content: "x" }, content: [diff] }),
    detailsOf({ kind: "edit", content: [diff, { ...diff, oldText: null }] }),
    detailsOf({ kind: "other", title: "query", rawInput: { sql: "drop" } }),
  ]).toEqual([
    { type: "write", path: "/work/a", text: "x" },
    {
      type: "edit",
      changes: [
        { path: "/work/a", oldText: "1", newText: "2" },
        { path: "/work/a", oldText: "", newText: "2" },
      ],
    },
    { type: "input", input: { sql: "drop" } },
  ]);
});
