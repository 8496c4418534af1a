import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { collectWorktrees } from "./collect-worktrees.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { createWorktreeService } from "./worktree-service.ts";

let bench: WorktreeBench;

beforeEach(() => {
  bench = new WorktreeBench();
});
afterEach(() => bench.cleanUp());

const task = (taskId = "a") => ({ runId: "run1", taskId, signal: new AbortController().signal });

const createService = (workingDirectory = bench.project) =>
  createWorktreeService({
    project: bench.project,
    workingDirectory,
    home: bench.home,
    loadEnvironment: async () => bench.env,
  });

const collect = () =>
  collectWorktrees({ home: bench.home, env: bench.env, project: bench.project, isRunAlive: () => false });

test("a run continues although somebody has removed a worktree without work", async () => {
  const service = createService();
  await service.open(task());
  expect((await collect()).removed).toHaveLength(1);
  await service.commit(task(), "Work");
  expect(await service.merge(task(), { message: "Merge" })).toEqual({ type: "unchanged", branch: "atomic/run1/a" });
  expect(await service.close(task())).toEqual([]);
});

test("a run continues although somebody has merged the work and removed the worktree", async () => {
  const service = createService();
  const { workingDirectory, branch } = await service.open(task());
  bench.write("a.txt", "a", workingDirectory);
  await service.commit(task(), "Work");
  bench.git("merge", "--quiet", "--no-edit", branch);
  expect((await collect()).removed).toHaveLength(1);
  expect((await service.merge(task(), { message: "Merge" })).type).toBe("unchanged");
});

test("work that could not be merged, and that somebody has merged since, is reported once", async () => {
  const service = createService();
  const { workingDirectory, branch, isMergedByHand } = await service.open(task());
  bench.write("readme.md", "theirs", workingDirectory);
  await service.commit(task(), "Work");
  bench.write("readme.md", "ours");
  bench.commit("Ours");
  expect((await service.merge(task(), { message: "Merge" })).type).toBe("conflict");
  expect([isMergedByHand, (await service.open(task())).isMergedByHand]).toEqual([false, false]);
  bench.git("merge", "--quiet", "--strategy-option=ours", "--no-edit", branch);
  bench.write("more.txt", "m", workingDirectory);
  expect((await service.open(task())).isMergedByHand).toBe(false);
  rmSync(join(workingDirectory, "more.txt"));
  expect((await service.open(task())).isMergedByHand).toBe(true);
  expect((await service.open(task())).isMergedByHand).toBe(false);
  expect((await service.merge(task(), { message: "Merge" })).type).toBe("merged");
  expect(bench.git("log", "--format=%s", "--first-parent").split("\n")[0]).toBe(`Merge branch '${branch}'`);
  expect(await service.close(task())).toEqual([]);
});

test("work whose worktree was removed by force is named with its branch", async () => {
  const service = createService();
  const { workingDirectory, branch } = await service.open(task());
  bench.write("a.txt", "a", workingDirectory);
  await service.commit(task(), "Work");
  const { kept } = await collect();
  await collectWorktrees({
    home: bench.home,
    env: bench.env,
    project: bench.project,
    isRunAlive: () => false,
    force: kept.map(({ name }) => name),
  });
  expect(await service.merge(task(), { message: "Merge" })).toEqual({
    type: "blocked",
    branch,
    files: [],
    reason: "its worktree was removed",
  });
  expect(bench.git("show", `${branch}:a.txt`)).toBe("a");
});

test("a worker of a folder below the project starts there, and the project's collection finds its worktree", async () => {
  const below = join(bench.project, "packages/app");
  mkdirSync(below, { recursive: true });
  bench.write("packages/app/b.txt", "b");
  bench.commit("App");
  const { workingDirectory } = await createService(below).open(task());
  expect(workingDirectory).toEndWith("/packages/app");
  expect((await collect()).removed).toHaveLength(1);
});

test("on a detached head, a worker that changes nothing is no failure", async () => {
  bench.git("checkout", "--quiet", "--detach");
  const service = createService();
  const { branch } = await service.open(task());
  await service.commit(task(), "Work");
  expect(await service.merge(task(), { message: "Merge" })).toEqual({ type: "unchanged", branch });
  expect(await service.close(task())).toEqual([]);
});

test("a worktree starts at the branch that it is to be merged into, whatever is checked out meanwhile", async () => {
  const service = createService();
  bench.git("switch", "--quiet", "--create", "other");
  bench.write("other.txt", "o");
  bench.commit("Other");
  const { workingDirectory } = await service.open(task(), { targetBranch: "main" });
  bench.write("a.txt", "a", workingDirectory);
  await service.commit(task(), "Work");
  expect((await service.merge(task(), { message: "Merge" })).type).toBe("merged");
  expect(bench.git("ls-tree", "--name-only", "main").split("\n")).toEqual(["a.txt", "readme.md"]);
  expect(bench.git("ls-tree", "--name-only", "other").split("\n")).toEqual(["other.txt", "readme.md"]);
  await expect(service.open(task("b"), { targetBranch: "gone" })).rejects.toThrow("the branch gone no longer exists");
});

test("no worktree is made where filters of the repository do not run", async () => {
  bench.env.GIT_CONFIG_COUNT = "2";
  bench.env.GIT_CONFIG_KEY_1 = "filter.secret.clean";
  bench.env.GIT_CONFIG_VALUE_1 = "";
  await expect(createService().open(task())).rejects.toThrow(
    "has filters for its files (secret), which do not run because the project is not trusted",
  );
});

test("what keeps a merged worktree is returned", async () => {
  const service = createService();
  const { workingDirectory } = await service.open(task());
  bench.write("a.txt", "a", workingDirectory);
  await service.commit(task(), "Work");
  bench.write("a.txt", "b", workingDirectory);
  bench.gitIn(workingDirectory, "commit", "--quiet", "--all", "--amend", "--message", "Other");
  expect((await service.merge(task(), { message: "Merge" })).type).toBe("merged");
  expect(await service.close(task())).toEqual([expect.stringContaining("no branch")]);
});
