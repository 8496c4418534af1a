import { expect, test } from "bun:test";
import type { PermissionRequest } from "./permission.ts";
import { permissionKey } from "./permission-key.ts";

const REQUEST: PermissionRequest = {
  id: "p1",
  sessionId: "s1",
  kind: "agent",
  toolName: "task",
  title: "Delegate reading",
  paths: [],
};

test.each([
  { title: "the same call in another session", other: { id: "p2", sessionId: "s2" }, isSame: true },
  { title: "another kind", other: { kind: "other" as const }, isSame: false },
  { title: "another tool", other: { toolName: "agent" }, isSame: false },
  { title: "another title, where there is nothing else", other: { title: "Delegate writing" }, isSame: false },
  { title: "a file", other: { paths: ["a.ts"] }, isSame: false },
])("$title: $isSame", ({ other, isSame }) => {
  expect(permissionKey({ ...REQUEST, ...other }) === permissionKey(REQUEST)).toBe(isSame);
});

test.each<Partial<PermissionRequest>>([{ command: "npm test" }, { paths: ["a.ts", "b.ts"] }])(
  "the title does not count beside %p",
  (subject) => {
    const request = { ...REQUEST, ...subject };
    expect(permissionKey({ ...request, title: "Said otherwise" })).toBe(permissionKey(request));
  },
);
