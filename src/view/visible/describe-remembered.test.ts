import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { describeRemembered } from "./describe-remembered.ts";

const BASE: PermissionRequest = { id: "1", sessionId: "s", kind: "mcp", toolName: "db", title: "db: {}", paths: [] };
const EDIT: PermissionRequest = { ...BASE, kind: "edit", toolName: "edit", paths: ["/work/a.ts"] };
const SEARCH: PermissionRequest = { ...BASE, kind: "read", toolName: "grep", paths: ["/work"], search: {} };

test.each<{ request: PermissionRequest; expected: string }>([
  { request: { ...BASE, kind: "shell", command: "npm test" }, expected: "exactly this command" },
  { request: EDIT, expected: "any change of /work/a.ts with edit, with any content" },
  { request: { ...EDIT, paths: ["a", "b"] }, expected: "any change of these files with edit, with any content" },
  { request: { ...EDIT, paths: ["x".repeat(99)] }, expected: "any change of this file with edit, with any content" },
  { request: { ...EDIT, kind: "read", toolName: "read" }, expected: "reading /work/a.ts with read" },
  { request: SEARCH, expected: "any search of /work with grep" },
  {
    request: { ...SEARCH, search: { include: "*.ts" } },
    expected: "any search of /work with grep, limited to the same files",
  },
  { request: { ...BASE, key: "1234" }, expected: "db with exactly this input" },
  {
    request: { ...BASE, title: 'db: {"a":1}', details: { type: "input", input: { a: 1 } } },
    expected: "db with exactly this input",
  },
  {
    request: { ...BASE, title: "db: look", details: { type: "input", input: { a: 1 } } },
    expected: 'db with "look", with any other input',
  },
  {
    request: {
      ...BASE,
      kind: "fetch",
      toolName: "get",
      title: "get: http://a",
      details: { type: "fetch", address: "http://a" },
    },
    expected: "exactly this address with get",
  },
  { request: { ...BASE, toolName: "d\u202eb", key: "1" }, expected: "d\\u202eb with exactly this input" },
])("$expected", ({ request, expected }) => {
  expect(describeRemembered(request)).toBe(expected);
});
