import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { denyBecause, permissionChoices, permissionTitle } from "./permission-choices.ts";

const BASE: PermissionRequest = { id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash", paths: [] };

test("no is the first answer, and the longer ones follow", () => {
  expect(permissionChoices(BASE).map(({ key, decision }) => [key, decision])).toEqual([
    ["n", undefined],
    ["y", { type: "allow", scope: "once", answered: "in the terminal UI" }],
    ["a", { type: "allow", scope: "session", answered: "in the terminal UI" }],
    ["p", { type: "allow", scope: "project", answered: "in the terminal UI" }],
  ]);
});

test("a request for once has no longer answers", () => {
  expect(permissionChoices({ ...BASE, isOnce: true }).map(({ key }) => key)).toEqual(["n", "y"]);
});

test.each([
  { typed: " use fs instead ", reason: "The user said no: use fs instead" },
  { typed: "  ", reason: "The user said no." },
])("no with $typed says: $reason", ({ typed, reason }) => {
  expect(denyBecause(typed)).toEqual({ type: "deny", reason, answered: "in the terminal UI" });
});

test.each<{ request: Partial<PermissionRequest>; expected: string }>([
  { request: {}, expected: "claude wants to run a command" },
  { request: { step: "worker 2" }, expected: "worker 2 wants to run a command" },
  { request: { kind: "read" }, expected: "claude wants to read a file" },
  { request: { kind: "read", search: {} }, expected: "claude wants to search files" },
  { request: { kind: "edit" }, expected: "claude wants to change files" },
  { request: { kind: "edit", isDeletion: true, paths: ["a"] }, expected: "claude wants to delete a file" },
  { request: { kind: "edit", isDeletion: true, paths: ["a", "b"] }, expected: "claude wants to delete files" },
  {
    request: { kind: "edit", details: { type: "write", path: "a", text: "" } },
    expected: "claude wants to write a file",
  },
  { request: { kind: "fetch" }, expected: "claude wants to read from the network" },
  { request: { kind: "mcp", toolName: "db__\u202equery" }, expected: "claude wants to use db__\\u202equery" },
])("the title of $request is: $expected", ({ request, expected }) => {
  expect(permissionTitle("claude", { ...BASE, ...request })).toBe(expected);
});
