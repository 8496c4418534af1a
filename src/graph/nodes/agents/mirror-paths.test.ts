import { expect, test } from "bun:test";
import type { PermissionRule } from "../../../contracts/index.ts";
import { mirrorPaths } from "./mirror-paths.ts";

const FOLDER = { from: "/home/ada/shop", to: "/trees/run.1/app", workingDirectory: "/trees/run.1/app" };

function added(glob: string, folder = FOLDER, effect: PermissionRule["effect"] = "deny"): readonly string[] {
  const policy = mirrorPaths({ rules: [{ effect, tools: ["edit"], paths: [glob] }], otherwise: "ask" }, folder);
  return policy.rules[0]?.paths?.slice(1) ?? [];
}

test.each([
  { glob: "/home/ada/shop/abs.txt", mirrored: ["/trees/run.1/app/abs.txt"] },
  { glob: "/home/ada/shop/{a,b}/*.ts", mirrored: ["/trees/run.1/app/a/*.ts", "/trees/run.1/app/b/*.ts"] },
  { glob: "/home/{ada,bob}/shop/x", mirrored: ["/trees/run.1/app/x"] },
  { glob: "/home/*/s?op/x", mirrored: ["/trees/run.1/app/x"] },
  { glob: "/home/ADA/shop/x", mirrored: ["/trees/run.1/app/x"] },
  { glob: "/home/**", mirrored: ["/trees/run.1/app/**"] },
  { glob: "/home/ada**", mirrored: ["/trees/run.1/app/**"] },
  { glob: "/home/**/shop/x", mirrored: ["/trees/run.1/app/x", "/trees/run.1/app/**/shop/x"] },
  { glob: "/home/ada", mirrored: [] },
  { glob: "/home/ada/shopping/x", mirrored: [] },
  { glob: "/etc/**", mirrored: [] },
  { glob: "../keys/**", mirrored: ["/home/ada/keys/**"] },
  { glob: "../../../../x", mirrored: ["/x"] },
  { glob: "src/**", mirrored: [] },
  { glob: "**/.env", mirrored: [] },
])("in a worktree, $glob also means $mirrored", ({ glob, mirrored }) => {
  expect(added(glob)).toEqual(mirrored);
});

test("a rule that allows is no wider than its letters", () => {
  expect(added("/home/ADA/shop/x", FOLDER, "allow")).toEqual([]);
  expect(added("/home/ada/shop/x", FOLDER, "allow")).toEqual(["/trees/run.1/app/x"]);
});

test("where the session starts above the project's copy, relative globs mean the files in the copy as well", () => {
  const above = { ...FOLDER, workingDirectory: "/trees/run.1" };
  expect(added("./src/x", above)).toEqual(["/trees/run.1/app/src/x"]);
  expect(added("**/.env", above)).toEqual([]);
});

test("rules without files, and the rest of the policy, stay as they are", () => {
  const policy = {
    rules: [{ effect: "deny", commands: ["rm *"] }],
    otherwise: "allow",
    protectedPaths: ["x"],
  } as const;
  expect(mirrorPaths(policy, FOLDER)).toEqual(policy);
});
