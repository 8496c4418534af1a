import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collectWorktrees } from "./collect-worktrees.ts";
import { commitWorktree } from "./commit-worktree.ts";
import type { Worktree } from "./create-worktree.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { mergeWorktree } from "./merge-worktree.ts";

let bench: WorktreeBench;
let worktree: Worktree;
beforeEach(async () => {
  bench = new WorktreeBench();
  worktree = await bench.create();
});
afterEach(() => bench.cleanUp());

const inside = (...args: readonly string[]): string => bench.gitIn(worktree.path, ...args);
const commit = () => commitWorktree(worktree, "Work", { env: bench.env });
const collect = () => collectWorktrees({ env: bench.env, home: bench.home, isRunAlive: () => false });

async function errorOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "no error",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("a worktree that leads elsewhere is damaged, and nothing is changed there:", () => {
  const problems: readonly { title: string; damage: () => void | Promise<void>; problem: () => string }[] = [
    {
      title: "a link to the project in its place",
      damage: () => {
        rmSync(worktree.path, { recursive: true });
        symlinkSync(bench.project, worktree.path);
      },
      problem: () => "is a link to another folder",
    },
    {
      title: "a .git that names the project's",
      damage: () => writeFileSync(join(worktree.path, ".git"), `gitdir: ${bench.project}/.git\n`),
      problem: () => "has a .git that is not its own",
    },
    {
      title: "a .git that is a link to the project's",
      damage: () => {
        rmSync(join(worktree.path, ".git"));
        symlinkSync(join(bench.project, ".git"), join(worktree.path, ".git"));
      },
      problem: () => "has a .git that is not its own",
    },
    {
      title: "the .git of another worktree",
      damage: async () => {
        const other = await bench.create("other");
        writeFileSync(join(worktree.path, ".git"), readFileSync(join(other.path, ".git")));
      },
      problem: () => "has a .git that is not its own",
    },
    {
      title: "a setting that names another folder",
      damage: () => {
        bench.write("id_rsa", "key", join(bench.root, "private"));
        inside("config", "extensions.worktreeConfig", "true");
        inside("config", "--worktree", "core.worktree", join(bench.root, "private"));
      },
      problem: () => `has its files in another folder for git, ${bench.root}/private (core.worktree)`,
    },
  ];
  test.each(problems)("$title", async ({ damage, problem }) => {
    bench.write("private.txt", "mine");
    bench.write("staged.txt", "mine");
    bench.git("add", "staged.txt");
    bench.write("work.txt", "work", worktree.path);
    await damage();
    const before = [bench.git("status", "--porcelain", "--branch"), bench.git("rev-parse", "main")];
    const message = `The worktree ${worktree.path} ${problem()}. Nothing was changed. Repair it, or move it away.`;
    expect(await errorOf(commit())).toBe(message);
    expect(await errorOf(mergeWorktree(worktree, { env: bench.env }))).toBe(message);
    expect([bench.git("status", "--porcelain", "--branch"), bench.git("rev-parse", "main")]).toEqual(before);
    const { kept } = await collect();
    expect(kept.find(({ path }) => path === worktree.path)?.findings.map(({ kind }) => kind)).toContain("damaged");
    expect(existsSync(worktree.path)).toBe(true);
  });
});

test("what a worker had git ignore is committed as well: it was verified with it", async () => {
  bench.write("deleted.txt", "old", worktree.path);
  bench.commit("Before", worktree.path);
  inside("update-index", "--skip-worktree", "readme.md");
  inside("update-index", "--assume-unchanged", "deleted.txt");
  bench.write("readme.md", "fixed", worktree.path);
  rmSync(join(worktree.path, "deleted.txt"));
  expect((await commit()).type).toBe("committed");
  expect(inside("show", "--name-status", "--format=", "HEAD")).toBe("D\tdeleted.txt\nM\treadme.md");
});

test("a merge that names a commit merges no other one", async () => {
  bench.write("work.txt", "verified", worktree.path);
  const { commit: verified } = await commit();
  bench.write("work.txt", "not verified", worktree.path);
  const later = bench.commit("Later", worktree.path);
  const merge = (wanted: string) => mergeWorktree(worktree, { env: bench.env, commit: wanted });
  expect(await merge(verified)).toEqual({ type: "changed", commit: later });
  expect(existsSync(join(bench.project, "work.txt"))).toBe(false);
  expect((await merge(later)).type).toBe("merged");
});

test("a resolver can tell whether a command changed files, and the conflicts stay", async () => {
  bench.write("readme.md", "worker", worktree.path);
  await commit();
  bench.write("readme.md", "project");
  bench.commit("Project");
  const trees: string[] = [];
  const result = await mergeWorktree(worktree, {
    env: bench.env,
    resolveConflict: async ({ path, snapshot }) => {
      bench.write("readme.md", "both", path);
      trees.push(await snapshot(), await snapshot());
      bench.write("new.txt", "built", path);
      trees.push(await snapshot());
      expect(inside("diff", "--name-only", "--diff-filter=U")).toBe("readme.md");
      return true;
    },
  });
  expect([result.type, new Set(trees).size, trees[0] === trees[1]]).toEqual(["merged", 2, true]);
  expect(bench.git("rev-parse", "main^{tree}")).toBe(trees[2] ?? "");
});

describe("what a person corrects after a failed set-up", () => {
  const open = () => bench.create("fix", { setupCommand: "echo built > out.log; grep -q fixed readme.md" });
  let path = "";
  beforeEach(async () => {
    bench.write(".gitignore", "*.log\n.env\n");
    bench.write(".worktreeinclude", ".env\n");
    bench.write(".env", "KEY=project");
    bench.commit("Ignore");
    expect(await errorOf(open())).toContain("Correct it, then try again.");
    path = join(worktree.path, "..", "run1.fix");
  });

  test("keeps the worktree; without a correction it is removed", async () => {
    bench.write("readme.md", "fixed", path);
    bench.write("notes.txt", "mine", path);
    bench.write(".env", "KEY=corrected", path);
    const { kept } = await collect();
    expect(kept.map(({ findings }) => findings)).toEqual([
      [
        { kind: "uncommitted", detail: "uncommitted files: readme.md" },
        { kind: "uncommitted", detail: "untracked files: notes.txt" },
        { kind: "ignored", detail: "ignored files that are new or changed: .env" },
      ],
    ]);
    bench.gitIn(path, "checkout", "--quiet", "readme.md");
    rmSync(join(path, "notes.txt"));
    rmSync(join(path, ".env"));
    expect((await collect()).kept).toEqual([]);
  });

  test("stays in the next attempt, which repeats the set-up", async () => {
    bench.write("readme.md", "fixed", path);
    bench.write("notes.txt", "mine", path);
    bench.write(".env", "KEY=corrected", path);
    expect((await open()).path).toBe(path);
    const files = ["readme.md", "notes.txt", ".env", "out.log"];
    expect(files.map((name) => readFileSync(join(path, name), "utf8"))).toEqual([
      "fixed",
      "mine",
      "KEY=corrected",
      "built\n",
    ]);
  });
});
