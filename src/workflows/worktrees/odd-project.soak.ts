import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitWorktree } from "./commit-worktree.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { Git } from "./git.ts";
import { mergeWorktree } from "./merge-worktree.ts";
import { digestIgnored } from "./worktree-files.ts";

let bench: WorktreeBench;
beforeEach(() => {
  bench = new WorktreeBench();
});
afterEach(() => bench.cleanUp());

test("ignored files may have names that are no text, and their changes count", async () => {
  bench.write(".gitignore", "node_modules\n*.log\n");
  mkdirSync(join(bench.project, "node_modules"));
  const odd = (folder: string): Buffer =>
    Buffer.concat([Buffer.from(`${bench.project}/${folder}caf`), Buffer.from([0xe9]), Buffer.from(".log")]);
  for (const folder of ["", "node_modules/"]) writeFileSync(odd(folder), "one");
  const git = await Git.open({ env: bench.env });
  const digest = async () => Object.values(await digestIgnored(git, bench.project));
  const before = await digest();
  for (const folder of ["", "node_modules/"]) writeFileSync(odd(folder), "two");
  const after = await digest();
  expect(before.map((text, index) => text === after[index])).toEqual([false, false]);
});

test("a folder without a committed file, and branches in the way of Atomic's, are errors that name the remedy", async () => {
  const project = join(bench.project, "new");
  mkdirSync(project);
  await expect(bench.create("a", { project })).rejects.toThrow(
    `${project} is a folder of which git has no file, and a worktree has only what is committed. Commit first: git add . && git commit -m "Start".`,
  );
  for (const branch of ["atomic", "atomic/run1/login/mine"]) {
    bench.git("branch", branch);
    await expect(bench.create()).rejects.toThrow(
      `The branch ${branch} exists already, and Atomic did not create it for this task. Rename it with "git branch -m", then try again.`,
    );
    bench.git("branch", "-D", branch);
  }
});

test("a named pipe as .gitignore is an error of the commit", async () => {
  const worktree = await bench.create();
  execFileSync("mkfifo", [join(worktree.path, ".gitignore")]);
  await expect(commitWorktree(worktree, "Work", { env: bench.env })).rejects.toThrow(
    `The work in ${worktree.path} was not committed: .gitignore is a named pipe, which git cannot read. Delete it, or replace it with a file.`,
  );
  rmSync(join(worktree.path, ".gitignore"));
});

test("a conflict that git remembers is resolved by the resolver", async () => {
  bench.git("config", "rerere.enabled", "true");
  bench.git("config", "rerere.autoUpdate", "true");
  const worktree = await bench.create();
  bench.write("readme.md", "worker\n", worktree.path);
  bench.commit("Worker", worktree.path);
  bench.write("readme.md", "project\n");
  bench.commit("Project");
  // Has git remember a resolution of the same conflict.
  const other = join(bench.root, "other");
  bench.git("worktree", "add", "--quiet", "--detach", other, worktree.branch);
  expect(() => bench.gitIn(other, "merge", "--quiet", "main")).toThrow();
  bench.write("readme.md", "remembered\n", other);
  bench.commit("Both", other);
  const result = await mergeWorktree(worktree, {
    env: bench.env,
    resolveConflict: async ({ path }) => {
      bench.write("readme.md", "resolved\n", path);
      return true;
    },
  });
  expect([result.type, bench.git("show", "main:readme.md")]).toEqual(["merged", "resolved"]);
});
