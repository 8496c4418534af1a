import { describe, expect, test } from "bun:test";
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

const SHELL: PermissionRequest = { ...REQUEST, kind: "shell", toolName: "bash", command: "make" };
describe("what a person allowed for longer covers", () => {
  const EDIT: PermissionRequest = { ...REQUEST, kind: "edit", toolName: "edit", title: "edit: a", paths: ["/work/a"] };
  test.each<{ title: string; one: PermissionRequest; other: PermissionRequest; isSame: boolean }>([
    { title: "the identical command", one: SHELL, other: { ...SHELL, title: "x", key: "x" }, isSame: true },
    { title: "no other command", one: SHELL, other: { ...SHELL, command: "make " }, isSame: false },
    { title: "the identical files", one: EDIT, other: { ...EDIT, title: "x", key: "x" }, isSame: true },
    {
      title: "no two files that are named like one",
      one: { ...EDIT, paths: ["/work/a", "/work/b"] },
      other: { ...EDIT, paths: ["/work/a\n/work/b"] },
      isSame: false,
    },
    { title: "the same title", one: REQUEST, other: { ...REQUEST, id: "2" }, isSame: true },
    { title: "the same key", one: { ...REQUEST, key: "q" }, other: { ...REQUEST, title: "x", key: "q" }, isSame: true },
    {
      title: "no other key under the same title",
      one: { ...REQUEST, key: "q1" },
      other: { ...REQUEST, key: "q2" },
      isSame: false,
    },
    { title: "no key that reads like a title", one: REQUEST, other: { ...REQUEST, key: REQUEST.title }, isSame: false },
  ])("$title", ({ one, other, isSame }) => {
    expect(permissionKey(one) === permissionKey(other)).toBe(isSame);
  });
});
