import { expect, test } from "bun:test";
import { basename } from "node:path";
import { worktreeNames, worktreesFolder } from "./worktree-names.ts";

test("different tasks have different names, also one whose id is the name that another one gets", () => {
  const { name } = worktreeNames("run1", "A");
  expect(name).toBe("run1.a-559aead0");
  const other = worktreeNames("run1", "a-559aead0");
  expect(other.name).toMatch(/^run1\.a-559aead0-[0-9a-f]{8}$/);
  expect(other.branch).toBe(`atomic/${other.name.replace(".", "/")}`);
});

test("the folder of a project has a part of its name that every file system allows", () => {
  expect(basename(worktreesFolder("/home/.atomic", `/src/${"x".repeat(250)}`))).toMatch(/^x{100}-[0-9a-f]{8}$/);
  expect(basename(worktreesFolder("/home/.atomic", `/src/${"日".repeat(80)}`))).toMatch(/^日{33}-[0-9a-f]{8}$/u);
  expect(basename(worktreesFolder("/home/.atomic", "/"))).toMatch(/^root-[0-9a-f]{8}$/);
});
