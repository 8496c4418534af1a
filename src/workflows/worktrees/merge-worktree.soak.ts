import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitWorktree } from "./commit-worktree.ts";
import type { MergeConflict } from "./compute-merge.ts";
import type { Worktree } from "./create-worktree.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { type MergeWorktreeOptions, mergeWorktree } from "./merge-worktree.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { loadRecord, saveRecord } from "./worktree-record.ts";

let bench: WorktreeBench;
let worktree: Worktree;
beforeEach(async () => {
  bench = new WorktreeBench();
  bench.write("list.txt", "one\ntwo\nthree\n");
  bench.commit("List");
  worktree = await bench.create();
});
afterEach(() => bench.cleanUp());

const inside = (...args: readonly string[]): string => bench.gitIn(worktree.path, ...args);
const merge = (more: Partial<MergeWorktreeOptions> = {}, which = worktree) =>
  mergeWorktree(which, { env: bench.env, ...more });

/** The worker commits a file. */
function work(path: string, text: string, which = worktree): string {
  bench.write(path, text, which.path);
  return bench.commit(`Work on ${path}`, which.path);
}

/** Both sides change the second line. */
function conflict(): void {
  work("list.txt", "one\nworker\nthree\n");
  bench.write("list.txt", "one\nproject\nthree\n");
  bench.commit("Project");
}

function resolveWith(text: string) {
  return async ({ path, files }: MergeConflict) => {
    for (const file of files) writeFileSync(join(path, file), text);
    return true;
  };
}

test("each task is one merge commit, and its work is in the log once", async () => {
  const other = await bench.create("other");
  work("a.txt", "a");
  work("b.txt", "b", other);
  const results = await Promise.all([merge(), merge({ message: "Add b" }, other)]);
  expect(results.map(({ type }) => type)).toEqual(["merged", "merged"]);
  expect(bench.git("log", "--first-parent", "--format=%s").split("\n").sort()).toEqual([
    "Add b",
    "List",
    "Merge branch 'atomic/run1/login'",
    "Start",
  ]);
  expect(bench.git("log", "--format=%s", "--no-merges").split("\n").sort()).toEqual([
    "List",
    "Start",
    "Work on a.txt",
    "Work on b.txt",
  ]);
  expect(bench.git("status", "--porcelain")).toBe("");
  expect([existsSync(join(bench.project, "a.txt")), existsSync(join(bench.project, "b.txt"))]).toEqual([true, true]);
  expect(inside("status", "--porcelain", "--branch")).toBe("## atomic/run1/login");
});

test("workers that finish at the same time are all merged and removed", async () => {
  const finish = async (task: string): Promise<void> => {
    const own = await bench.create(task);
    bench.write(`${task}.txt`, task, own.path);
    await commitWorktree(own, `Work on ${task}`, { env: bench.env });
    expect((await merge({}, own)).type).toBe("merged");
    await removeWorktree(own, { env: bench.env });
  };
  await Promise.all(["a", "b", "c", "d", "e"].map(finish));
  expect(bench.git("log", "--format=%s", "--merges").split("\n").length).toBe(5);
  expect([bench.git("status", "--porcelain"), bench.git("worktree", "list").split("\n").length]).toEqual(["", 2]);
});

test("a second call merges nothing again; a branch without commits is unchanged", async () => {
  expect(await merge()).toEqual({ type: "unchanged" });
  work("a.txt", "a");
  const first = await merge();
  expect(await merge()).toEqual(first);
  expect(bench.git("rev-list", "--count", "HEAD")).toBe("4");
});

test("uncommitted work in the worktree is an error", async () => {
  bench.write("a.txt", "a", worktree.path);
  await expect(merge()).rejects.toThrow(
    `Did not merge the worktree ${worktree.path}: uncommitted files: a.txt. Commit it first.`,
  );
});

test("unrelated uncommitted work of the user stays as it is, staged and unstaged", async () => {
  work("a.txt", "a");
  bench.write("readme.md", "mine");
  bench.write("staged.txt", "mine");
  bench.git("add", "staged.txt");
  bench.write("loose.txt", "mine");
  expect((await merge()).type).toBe("merged");
  expect(bench.git("status", "--porcelain")).toBe(" M readme.md\nA  staged.txt\n?? loose.txt");
});

test.each([
  {
    title: "a changed file",
    prepare: () => bench.write("list.txt", "mine"),
    file: "list.txt",
    status: " M list.txt",
  },
  { title: "an untracked file", prepare: () => bench.write("new.txt", "mine"), file: "new.txt", status: "?? new.txt" },
  {
    title: "an ignored file",
    prepare: () => {
      bench.write(".git/info/exclude", "new.txt\n");
      bench.write("new.txt", "mine");
    },
    file: "new.txt",
    status: "",
  },
])("$title of the user that the merge would change blocks it, and both stay", async ({ prepare, file, status }) => {
  work("list.txt", "one\nworker\nthree\n");
  work("new.txt", "worker");
  prepare();
  const before = bench.git("rev-parse", "main");
  const blocked = await merge();
  expect(blocked).toEqual({
    type: "blocked",
    folder: bench.project,
    files: [file],
    reason: `uncommitted changes are in the way: ${file}`,
  });
  expect([bench.git("rev-parse", "main"), bench.git("status", "--porcelain")]).toEqual([before, status]);
  expect(readFileSync(join(bench.project, file), "utf8")).toBe("mine");
  if (status.startsWith(" M")) bench.git("checkout", "--quiet", "--", file);
  else rmSync(join(bench.project, file));
  expect((await merge()).type).toBe("merged");
});

test("files that are already as after the merge are not in the way: an interrupted call wrote them", async () => {
  work("list.txt", "one\nworker\nthree\n");
  work("new.txt", "worker");
  bench.write("list.txt", "one\nworker\nthree\n");
  bench.write("new.txt", "worker");
  expect((await merge()).type).toBe("merged");
  expect(bench.git("status", "--porcelain")).toBe("");
});

test("a conflict without a resolver is returned, and the branch and the worktree are as before", async () => {
  conflict();
  const before = [inside("rev-parse", "HEAD"), bench.git("rev-parse", "main")];
  expect(await merge()).toEqual({ type: "conflict", files: ["list.txt"] });
  expect([inside("rev-parse", "HEAD"), bench.git("rev-parse", "main")]).toEqual(before);
  expect(inside("status", "--porcelain", "--branch")).toBe("## atomic/run1/login");
});

test("a resolver gets both sides in the worktree, and its result is merged", async () => {
  conflict();
  const [ours, theirs] = [inside("rev-parse", "HEAD"), bench.git("rev-parse", "main")];
  let text = "";
  const result = await merge({
    resolveConflict: async (given) => {
      const { snapshot: _snapshot, ...facts } = given;
      expect(facts).toEqual({ path: worktree.path, files: ["list.txt"], ours, theirs });
      text = readFileSync(join(given.path, "list.txt"), "utf8");
      return await resolveWith("one\nboth\nthree\n")(given);
    },
  });
  expect(text).toMatch(/^one\n<<<<<<< HEAD\nworker\n=======\nproject\n>>>>>>> [0-9a-f]+\nthree\n$/);
  expect(result.type).toBe("merged");
  expect(readFileSync(join(bench.project, "list.txt"), "utf8")).toBe("one\nboth\nthree\n");
  expect(bench.git("log", "-1", "--format=%P")).toBe(`${theirs} ${ours}`);
});

test("a resolver may conclude the merge with a commit of its own", async () => {
  conflict();
  const result = await merge({
    resolveConflict: async (given) => {
      await resolveWith("one\nboth\nthree\n")(given);
      bench.commit("Resolved", given.path);
      return true;
    },
  });
  expect(result.type).toBe("merged");
  expect(bench.git("log", "--format=%s").split("\n").sort()).toEqual([
    "List",
    "Merge branch 'atomic/run1/login'",
    "Project",
    "Start",
    "Work on list.txt",
  ]);
});

test.each([
  { title: "says that it did not", resolve: async () => false },
  { title: "leaves the markers", resolve: async () => true },
  {
    title: "leaves one marker",
    resolve: async (given: MergeConflict) => resolveWith("one\n<<<<<<< ours\nboth\n")(given),
  },
  {
    title: "aborts the merge",
    resolve: async () => {
      inside("merge", "--abort");
      return true;
    },
  },
  {
    title: "commits one side only",
    resolve: async () => {
      inside("merge", "--abort");
      work("list.txt", "one\nanother\n");
      return true;
    },
  },
])("a resolver that $title has not resolved anything", async ({ resolve }) => {
  conflict();
  const before = [inside("rev-parse", "HEAD"), bench.git("rev-parse", "main")];
  expect(await merge({ resolveConflict: resolve })).toEqual({ type: "conflict", files: ["list.txt"] });
  expect([inside("rev-parse", "HEAD"), bench.git("rev-parse", "main")]).toEqual(before);
  expect(inside("status", "--porcelain", "--branch")).toBe("## atomic/run1/login");
});

test("a file that one side deleted is resolved when it is added or removed, not by itself", async () => {
  work("list.txt", "one\nworker\nthree\n");
  rmSync(join(bench.project, "list.txt"));
  bench.commit("Delete");
  expect(await merge({ resolveConflict: async () => true })).toEqual({ type: "conflict", files: ["list.txt"] });
  const resolveConflict = async () => {
    inside("rm", "--quiet", "list.txt");
    return true;
  };
  expect((await merge({ resolveConflict })).type).toBe("merged");
  expect(existsSync(join(bench.project, "list.txt"))).toBe(false);
});

test("a heading of seven equals signs is no conflict marker", async () => {
  conflict();
  expect((await merge({ resolveConflict: resolveWith("Heading\n=======\n") })).type).toBe("merged");
});

test("a resolver that throws leaves the worktree on its branch", async () => {
  conflict();
  const resolveConflict = () => Promise.reject(new Error("no agent"));
  await expect(merge({ resolveConflict })).rejects.toThrow("no agent");
  expect(inside("status", "--porcelain", "--branch")).toBe("## atomic/run1/login");
});

test("a target branch that is checked out nowhere, or elsewhere, is merged into there", async () => {
  work("a.txt", "a");
  bench.git("checkout", "--quiet", "-b", "feature");
  const first = await merge();
  expect(first).toEqual({ type: "merged", commit: bench.git("rev-parse", "main") });
  expect(existsSync(join(bench.project, "a.txt"))).toBe(false);
  const place = join(bench.root, "main");
  bench.git("worktree", "add", "--quiet", place, "main");
  work("b.txt", "b");
  expect((await merge()).type).toBe("merged");
  expect([existsSync(join(place, "b.txt")), bench.gitIn(place, "status", "--porcelain")]).toEqual([true, ""]);
});

test("a target branch in the middle of a rebase blocks the merge", async () => {
  work("a.txt", "a");
  bench.git("checkout", "--quiet", "-b", "other", "HEAD~1");
  bench.write("list.txt", "other\n");
  bench.commit("Other");
  bench.git("checkout", "--quiet", "main");
  expect(() => bench.git("rebase", "other")).toThrow();
  expect(await merge()).toEqual({
    type: "blocked",
    folder: bench.project,
    files: [],
    reason: "a rebase of main is in progress",
  });
});

test("without a target branch the error names the branch that has the work", async () => {
  bench.git("checkout", "--quiet", "--detach");
  const detached = await bench.create("detached");
  work("a.txt", "a", detached);
  await expect(merge({}, detached)).rejects.toThrow(
    'The branch atomic/run1/detached was not merged: the project was on no branch when the worktree was created. It keeps the work; merge it with "git merge atomic/run1/detached", or name a target branch.',
  );
  expect((await merge({ targetBranch: "main" }, detached)).type).toBe("merged");
  bench.git("branch", "-D", "main");
  expect(await merge()).toEqual({ type: "unchanged" });
  work("b.txt", "b");
  await expect(merge()).rejects.toThrow("the branch main no longer exists");
});

test("an aborted merge is the signal's reason", async () => {
  conflict();
  const controller = new AbortController();
  const resolveConflict = async () => {
    controller.abort(new Error("enough"));
    return true;
  };
  await expect(merge({ resolveConflict, signal: controller.signal })).rejects.toThrow("enough");
  expect(inside("status", "--porcelain", "--branch")).toBe("## atomic/run1/login");
});

const interrupted = (): string => bench.git("for-each-ref", "--format=%(refname)", "refs/atomic");

test.each([
  {
    title: "with conflicts",
    leave: () => {
      conflict();
      expect(() => inside("merge", "--no-commit", "--no-ff", "main")).toThrow();
    },
  },
  {
    title: "in the middle of the checkout",
    leave: () => {
      conflict();
      bench.write("list.txt", "one\nproject\nthree\n", worktree.path);
      bench.write("half.txt", "half", worktree.path);
    },
  },
  {
    title: "with a lock of git",
    leave: () => {
      conflict();
      bench.write(".git/worktrees/run1.login/index.lock", "");
    },
  },
])("a merge that a process left $title is repeated, and what it left is kept", async ({ leave }) => {
  leave();
  const tip = inside("rev-parse", worktree.branch);
  const record = await loadRecord(worktree.recordFile);
  await saveRecord(worktree.recordFile, { ...record, merge: { target: bench.git("rev-parse", "main"), branch: tip } });
  const hasLeft = inside("status", "--porcelain") !== "";
  expect((await merge({ resolveConflict: resolveWith("both\n") })).type).toBe("merged");
  expect(interrupted()).toBe(hasLeft ? "refs/atomic/interrupted/atomic/run1/login" : "");
  expect(bench.git("log", "-1", "--format=%P").split(" ")[1]).toBe(tip);
  expect(inside("status", "--porcelain", "--branch")).toBe("## atomic/run1/login");
});

test("a merge whose result is known is not computed again", async () => {
  conflict();
  bench.write("list.txt", "mine");
  expect((await merge({ resolveConflict: resolveWith("both\n") })).type).toBe("blocked");
  bench.git("checkout", "--quiet", "--", "list.txt");
  expect((await merge()).type).toBe("merged");
  expect(readFileSync(join(bench.project, "list.txt"), "utf8")).toBe("both\n");
});

test("what an unsuccessful resolver wrote is kept outside of the worktree until that is removed", async () => {
  conflict();
  const resolveConflict = async ({ path }: MergeConflict) => {
    bench.write("notes.txt", "an idea", path);
    return false;
  };
  expect((await merge({ resolveConflict })).type).toBe("conflict");
  expect(inside("status", "--porcelain")).toBe("");
  expect(bench.git("show", `${interrupted()}:notes.txt`)).toBe("an idea");
  expect((await merge({ resolveConflict: resolveWith("both\n") })).type).toBe("merged");
  await removeWorktree(worktree, { env: bench.env });
  expect(interrupted()).toBe("");
});

test("a target branch that moves meanwhile is merged again", async () => {
  conflict();
  let count = 0;
  const resolveConflict = async (given: MergeConflict) => {
    if (++count === 1) {
      bench.write("meanwhile.txt", "mine");
      bench.commit("Meanwhile");
    }
    return await resolveWith("both\n")(given);
  };
  expect((await merge({ resolveConflict })).type).toBe("merged");
  expect(bench.git("log", "--first-parent", "--format=%s", "-2")).toBe("Merge branch 'atomic/run1/login'\nMeanwhile");
});

test("a merge with conflicts does not hold up the creation of other worktrees", async () => {
  conflict();
  const resolveConflict = async (given: MergeConflict) => {
    await bench.create("other");
    return await resolveWith("both\n")(given);
  };
  expect((await merge({ resolveConflict })).type).toBe("merged");
});
