import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { collectWorktrees } from "./collect-worktrees.ts";
import { commitWorktree } from "./commit-worktree.ts";
import type { CreateWorktreeOptions } from "./create-worktree.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { mergeWorktree } from "./merge-worktree.ts";

let bench: WorktreeBench;
const started: ChildProcess[] = [];
beforeEach(() => {
  bench = new WorktreeBench();
  bench.write(".gitignore", "*.env\n");
  bench.write(".worktreeinclude", "*.env\n");
  for (let index = 0; index < 300; index++) bench.write(`src/${index}.txt`, `${index}\n`);
  bench.commit("Files");
  for (let index = 0; index < 50; index++) bench.write(`settings/${index}.env`, `${index}\n`);
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  bench.cleanUp();
});

const SCRIPT = join(import.meta.dirname, "fixtures/worktree-process.ts");

function startProcess(action: string, options: CreateWorktreeOptions) {
  const child = spawn(process.execPath, [SCRIPT, action, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  return child;
}

/** Runs an action in another process, and kills that after a time in milliseconds from its start. */
async function killAfter(action: string, options: CreateWorktreeOptions, delayMs: number): Promise<boolean> {
  const child = startProcess(action, options);
  const exited = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exited]);
  const timer = setTimeout(() => child.kill("SIGKILL"), delayMs);
  const [, signal] = await exited;
  clearTimeout(timer);
  return signal === "SIGKILL";
}

/** Kills at moments, in milliseconds, that spread over the whole action. */
const spread = (rounds: number): readonly number[] =>
  Array.from({ length: rounds }, (_, round) => (round * 400) / rounds);

test("a worktree whose creation is killed at any moment is completed by the next call", async () => {
  const setupCommand = "echo x >> setup.log; sleep 0.05";
  let killed = 0;
  const delays = spread(6);
  for (const [round, delay] of delays.entries()) {
    const options = bench.options(`task${round}`, { setupCommand });
    if (await killAfter("create", options, delay)) killed++;
    const { path, branch, ports } = await bench.create(`task${round}`, { setupCommand });
    expect(bench.gitIn(path, "status", "--porcelain")).toBe("?? setup.log");
    expect(bench.gitIn(path, "symbolic-ref", "--short", "HEAD")).toBe(branch);
    expect(readFileSync(join(path, "settings/49.env"), "utf8")).toBe("49\n");
    expect(ports.length).toBe(10);
  }
  expect(killed).toBeGreaterThan(2);
  expect(bench.git("worktree", "list").split("\n").length).toBe(delays.length + 1);
}, 300_000);

test("a merge that is killed at any moment happens once, and touches no work of the user", async () => {
  bench.write("readme.md", "mine");
  let killed = 0;
  for (const [round, delay] of spread(8).entries()) {
    const worktree = await bench.create(`task${round}`);
    for (let index = 0; index < 300; index++) bench.write(`src/${index}.txt`, `task ${round}\n`, worktree.path);
    bench.write("shared.txt", `task ${round}\n`, worktree.path);
    const tip = bench.commit(`Work ${round}`, worktree.path);
    bench.write("shared.txt", `project ${round}\n`);
    bench.git("add", "shared.txt");
    bench.git("commit", "--quiet", "--message", `Project ${round}`);
    if (await killAfter("merge", bench.options(`task${round}`), delay)) killed++;
    const resolveConflict = async () => {
      writeFileSync(join(worktree.path, "shared.txt"), "both\n");
      return true;
    };
    const result = await mergeWorktree(worktree, { env: bench.env, resolveConflict });
    expect({ round, type: result.type }).toEqual({ round, type: "merged" });
    expect(bench.git("log", "-1", "--format=%P").split(" ")[1]).toBe(tip);
    expect(bench.git("log", "--format=%s", "--merges").split("\n").length).toBe(round + 1);
    expect(bench.git("status", "--porcelain")).toBe(" M readme.md");
    expect(bench.gitIn(worktree.path, "status", "--porcelain", "--branch")).toBe(`## ${worktree.branch}`);
  }
  expect(killed).toBeGreaterThan(2);
}, 300_000);

test("a garbage collection that is killed at any moment is completed by the next one", async () => {
  let killed = 0;
  for (const [round, delay] of spread(6).entries()) {
    const worktrees = [await bench.create(`a${round}`), await bench.create(`b${round}`)];
    if (await killAfter("collect", bench.options(`a${round}`), delay)) killed++;
    const { kept } = await collectWorktrees({ home: bench.home, env: bench.env, isRunAlive: () => false });
    expect(kept).toEqual([]);
    expect(worktrees.map(({ path, recordFile }) => existsSync(path) || existsSync(recordFile))).toEqual([false, false]);
    expect(bench.git("worktree", "list").split("\n").length).toBe(1);
    expect(bench.git("branch", "--list", "atomic/*")).toBe("");
  }
  // How long a collection takes depends on the machine.
  expect(killed).toBeGreaterThan(0);
}, 300_000);

/**
 * A git that writes its process id to a file and waits before it begins a command with a certain word. Ends only after the
 * wait, or with SIGKILL.
 */
function slowGit({ word, seconds }: { readonly word: string; readonly seconds: number }): {
  readonly env: Record<string, string>;
  readonly pidFile: string;
} {
  const [folder, pidFile] = [join(bench.root, "slow"), join(bench.root, "slow.pid")];
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const slow = `[ "$word" = ${word} ] && { echo $$ > ${pidFile}; trap '' TERM; sleep ${seconds}; break; }`;
  bench.write("git", `#!/bin/sh\nfor word; do ${slow}; done\nexec ${real} "$@"\n`, folder);
  chmodSync(join(folder, "git"), 0o755);
  return { env: { ...bench.env, PATH: `${folder}:${bench.env.PATH}` }, pidFile };
}

/** Whether a process has not ended. Nobody may have collected one that has. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/.test(stdout);
}

test.each([
  { action: "create", word: "--no-checkout", seconds: 1, title: "adds a worktree", next: () => bench.create() },
  {
    action: "create",
    word: "--no-checkout",
    seconds: 1,
    title: "adds a lost worktree again",
    prepare: async () => rmSync((await bench.create()).path, { recursive: true }),
    next: () => bench.create(),
  },
  {
    action: "merge",
    word: "--no-commit",
    seconds: 10,
    title: "merges in a worktree",
    next: async () => mergeWorktree(await bench.create(), { env: bench.env }),
  },
  {
    action: "merge",
    word: "--ff-only",
    seconds: 1,
    title: "updates the project",
    next: async () => mergeWorktree(await bench.create(), { env: bench.env }),
  },
  {
    action: "commit",
    word: "commit",
    seconds: 10,
    title: "commits",
    next: async () => commitWorktree(await bench.create(), "Work", { env: bench.env }),
  },
])(
  "nothing begins while the git of a killed process $title",
  async ({ action, prepare, next, ...slow }) => {
    const { env, pidFile } = slowGit(slow);
    await prepare?.();
    if (action !== "create") {
      const { path } = await bench.create();
      bench.write("new.txt", "new", path);
      if (action === "merge") bench.commit("Work", path);
      bench.write("other.txt", "other");
      bench.commit("Project");
    }
    const child = startProcess(action, bench.options("login", { env }));
    await waitUntil(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"), `git did not ${action}`);
    const pid = Number(readFileSync(pidFile, "utf8"));
    child.kill("SIGKILL");
    await once(child, "exit");
    await next();
    expect(isRunning(pid)).toBe(false);
    expect(bench.git("status", "--porcelain")).toBe("");
    expect(bench.gitIn((await bench.create()).path, "status", "--porcelain")).toBe("");
  },
  60_000,
);

test("a lock that a dead git left in the project blocks the merge, and the result names it", async () => {
  const worktree = await bench.create("locked");
  bench.write("new.txt", "new", worktree.path);
  bench.commit("Work", worktree.path);
  const lock = join(bench.project, ".git/index.lock");
  writeFileSync(lock, "");
  expect(await mergeWorktree(worktree, { env: bench.env })).toEqual({
    type: "blocked",
    folder: bench.project,
    files: [],
    reason: `another git is at work there, or died: remove ${lock} if none is running`,
  });
  rmSync(lock);
  expect((await mergeWorktree(worktree, { env: bench.env })).type).toBe("merged");
}, 60_000);
