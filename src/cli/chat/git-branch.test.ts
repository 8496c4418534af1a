import { expect, test } from "bun:test";
import { parseBranch } from "./git-branch.ts";

test.each([
  ["## main\n", { name: "main", changedFiles: 0 }],
  ["## main...origin/main [ahead 1, behind 2]\n M a.ts\n?? b/\n", { name: "main", changedFiles: 2 }],
  ["## fix/cart-1.2...origin/fix/cart-1.2\nR  a -> b\n", { name: "fix/cart-1.2", changedFiles: 1 }],
  ["## No commits yet on trunk\n?? a\n", { name: "trunk", changedFiles: 1 }],
  ["## HEAD (no branch)\n", { name: "detached", changedFiles: 0 }],
  ["", undefined],
  ["fatal: not a git repository", undefined],
])("the status %j is %j", (status, branch) => {
  expect(parseBranch(status)).toEqual(branch);
});
