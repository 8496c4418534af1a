import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commitWorktree } from "./commit-worktree.ts";
import type { Worktree } from "./create-worktree.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";

let bench: WorktreeBench;
let worktree: Worktree;
beforeEach(async () => {
  bench = new WorktreeBench();
  bench.write(".gitignore", "*.log\n");
  bench.commit("Ignore");
  worktree = await bench.create();
});
afterEach(() => bench.cleanUp());

const inside = (...args: readonly string[]): string => bench.gitIn(worktree.path, ...args);
const commit = (more = {}) => commitWorktree(worktree, "Add the login", { env: bench.env, ...more });

async function errorOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

test("everything that is not ignored is committed as the user", async () => {
  bench.write("new.txt", "new", worktree.path);
  bench.write("trace.log", "log", worktree.path);
  rmSync(join(worktree.path, "readme.md"));
  const result = await commit();
  expect(result).toEqual({ type: "committed", commit: inside("rev-parse", "atomic/run1/login") });
  expect(inside("show", "--name-status", "--format=%an <%ae> %s", "HEAD")).toBe(
    "Ada <ada@example.com> Add the login\n\nA\tnew.txt\nD\treadme.md",
  );
  expect(inside("status", "--porcelain", "--ignored")).toBe("!! trace.log");
});

test("without a change there is no commit", async () => {
  expect(await commit()).toEqual({ type: "unchanged", commit: worktree.baseCommit });
});

test("a user without a name and an address is an error, and everything stays", async () => {
  bench.write("new.txt", "new", worktree.path);
  rmSync(join(bench.root, ".gitconfig"));
  expect(await errorOf(commit())).toBe(
    `Git has no author for commits in ${worktree.path}. Run: git config --global user.name "YOUR NAME" && git config --global user.email YOU@EXAMPLE.COM`,
  );
  expect(inside("rev-parse", "HEAD")).toBe(worktree.baseCommit);
});

test("hooks run as with the user's own commits, unless they are turned off", async () => {
  bench.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'no tabs, please' >&2\nexit 1\n");
  chmodSync(join(bench.project, ".git/hooks/pre-commit"), 0o755);
  bench.write("new.txt", "new", worktree.path);
  expect(await errorOf(commit())).toBe(
    `The work in ${worktree.path} was not committed: a hook or git rejected the commit: no tabs, please`,
  );
  expect(await commit({ runHooks: false })).toEqual({ type: "committed", commit: inside("rev-parse", "HEAD") });
});

test.each([
  { title: "a branch of its own", start: ["checkout", "--quiet", "-b", "mine"] },
  { title: "a detached head", start: ["checkout", "--quiet", "--detach"] },
])("commits that a worker made on $title are brought to its branch", async ({ start }) => {
  inside(...start);
  bench.write("one.txt", "1", worktree.path);
  bench.commit("One", worktree.path);
  bench.write("two.txt", "2", worktree.path);
  await commit();
  expect(inside("log", "--format=%s", `${worktree.baseCommit}..${worktree.branch}`)).toBe("Add the login\nOne");
  expect(inside("symbolic-ref", "HEAD")).toBe("refs/heads/atomic/run1/login");
});

test("another branch that lacks the worker's commits is an error", async () => {
  bench.write("one.txt", "1", worktree.path);
  bench.commit("One", worktree.path);
  inside("checkout", "--quiet", "-b", "other", worktree.baseCommit);
  expect(await errorOf(commit())).toBe(
    `The work in ${worktree.path} was not committed: it is on other, which lacks commits of atomic/run1/login. Check out atomic/run1/login, and merge there.`,
  );
});

/** Two commits that change the same line, one of them on the branch `other`. */
function diverge(): void {
  inside("checkout", "--quiet", "-b", "other");
  bench.write("readme.md", "theirs", worktree.path);
  bench.commit("Theirs", worktree.path);
  inside("checkout", "--quiet", worktree.branch);
  bench.write("readme.md", "ours", worktree.path);
  bench.commit("Ours", worktree.path);
}

test("conflicts are an error; a resolved merge is concluded", async () => {
  diverge();
  expect(() => inside("merge", "other")).toThrow();
  expect(await errorOf(commit())).toBe(
    `The work in ${worktree.path} was not committed: these files have conflicts: readme.md. Resolve them and "git add" them.`,
  );
  bench.write("readme.md", "both", worktree.path);
  inside("add", "readme.md");
  await commit();
  expect(inside("log", "-1", "--format=%s")).toBe("Add the login");
  expect(inside("rev-parse", "HEAD^2")).toBe(inside("rev-parse", "other"));
});

test("the lock of a worker's killed git is removed, and a removed worktree is an error", async () => {
  bench.write("a.txt", "a", worktree.path);
  bench.write(".git/worktrees/run1.login/index.lock", "");
  expect((await commit()).type).toBe("committed");
  rmSync(worktree.recordFile);
  await expect(commit()).rejects.toThrow(`There is no worktree with the file ${worktree.recordFile}.`);
});

test("without its link to git, nothing is committed to a repository above", async () => {
  const above = bench.home;
  bench.gitIn(above, "init", "--quiet");
  rmSync(join(worktree.path, ".git"));
  expect(await errorOf(commit())).toBe(
    `The worktree ${worktree.path} is missing, or no longer a worktree of its repository. Nothing was changed. Repair it, or move it away.`,
  );
  expect(bench.gitIn(above, "for-each-ref")).toBe("");
});

test("a rebase in progress is an error", async () => {
  diverge();
  expect(() => inside("rebase", "other")).toThrow();
  expect(await errorOf(commit())).toBe(
    `The work in ${worktree.path} was not committed: a rebase is in progress. Complete it with "git rebase --continue", or end it with "git rebase --abort".`,
  );
});

test("a repository that the worker created is an error, because a commit would not contain its files", async () => {
  const nested = join(worktree.path, "vendor/tool");
  bench.gitIn(bench.root, "init", "--quiet", nested);
  bench.write("tool.txt", "x", nested);
  bench.commit("Tool", nested);
  expect(await errorOf(commit())).toBe(
    `The work in ${worktree.path} was not committed: a commit cannot contain the git repositories vendor/tool/. Add them as submodules, let git ignore them, or remove their .git folders.`,
  );
});

test("uncommitted files of a submodule are an error", async () => {
  const library = join(bench.root, "library");
  bench.gitIn(bench.root, "init", "--quiet", library);
  bench.write("lib.txt", "1", library);
  bench.commit("Library", library);
  bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
  bench.commit("Add library");
  const other = await bench.create("other");
  bench.write("lib/new.txt", "new", other.path);
  expect(await errorOf(commitWorktree(other, "Change", { env: bench.env }))).toBe(
    `The work in ${other.path} was not committed: these submodules have uncommitted files: lib. Commit them there first.`,
  );
});
