import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunServices } from "../../graph/index.ts";
import { plainGit } from "../review/fixtures/review-bench.ts";
import { chooseWorkplace, type Workplace, type WorkplaceWish } from "./choose-workplace.ts";

let root = "";
let head = "";
let branch = "";

function git(...args: readonly string[]): string {
  const env = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd: root, env, stdio: "pipe", encoding: "utf8" }).trim();
}

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-workplace-")));
  git("init", "-q", "-b", "main");
  await writeFile(join(root, ".gitignore"), "node_modules\n.env\n");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  head = git("rev-parse", "HEAD");
  branch = "main";
});
afterEach(() => rm(root, { recursive: true, force: true }));

const WORKTREES: NonNullable<RunServices["worktrees"]> = {
  open: () => Promise.reject(new Error("not here")),
  commit: async () => ({}),
  merge: async () => ({ type: "unchanged", branch: "" }),
  close: async () => [],
};

function choose(wish: Partial<WorkplaceWish> = {}, missing?: "git" | "worktrees", folder = ""): Promise<Workplace> {
  const { [missing ?? "agents"]: _missing, ...all }: RunServices = {
    git: plainGit,
    worktrees: WORKTREES,
    workingDirectory: join(root, folder),
  };
  return chooseWorkplace(
    { workers: 0, setupCommand: "", ...wish },
    { services: all, signal: new AbortController().signal },
  );
}

const side = (workerCount: number): Workplace => ({ workerCount, isIsolated: true, startCommit: head, branch });
const inPlace = (note?: string): Workplace => ({
  workerCount: 1,
  isIsolated: false,
  startCommit: head,
  branch,
  ...(note === undefined ? {} : { note: `One task after the other, in this folder: ${note}` }),
});

const DIRTY = "worktrees lack its uncommitted changes. Commit them for tasks side by side.";
const PACKAGES =
  "worktrees lack node_modules, which git ignores. For tasks side by side, name it in .worktreelink or say how to install it: --setup COMMAND.";

test("where everything is committed, four workers have worktrees; a wish sets their number", async () => {
  expect(await choose()).toEqual(side(4));
  expect(await choose({ workers: 7 })).toEqual(side(7));
  expect(await choose({ workers: 1 })).toEqual(inPlace());
  expect(await choose({ setupCommand: "npm ci" })).toEqual(side(4));
});

test("the branch has its name also where a tag is called the same", async () => {
  git("tag", "main");
  expect(await choose({ workers: 1 })).toEqual(inPlace());
});

test("files that git does not know keep nobody from worktrees: a specification is one", async () => {
  await writeFile(join(root, "spec.md"), "Build it");
  expect(await choose()).toEqual(side(4));
});

test("with uncommitted changes there is one worker, unless several are wished for", async () => {
  await writeFile(join(root, ".gitignore"), "changed\n");
  expect(await choose()).toEqual(inPlace(DIRTY));
  const note = "The worktrees lack the uncommitted changes of .gitignore. Commit them first if the tasks need them.";
  expect(await choose({ workers: 2 })).toEqual({ ...side(2), note });
  expect(await choose({ setupCommand: "true" })).toEqual({ ...side(4), note });
  await mkdir(join(root, "sub"));
  for (const name of "abcdef") await writeFile(join(root, "sub", `${name} ä`), "");
  git("add", "-A");
  expect((await choose({ workers: 2 })).note).toMatch(/ of \.gitignore, sub\/a ä, .* and \d more\. /);
});

test("with installed packages that worktrees lack there is one worker", async () => {
  await mkdir(join(root, "node_modules"));
  expect(await choose()).toEqual(inPlace(PACKAGES));
  expect(await choose({ workers: 2 })).toEqual(side(2));
  await writeFile(join(root, ".worktreelink"), "# shared\n/node_modules/\n");
  expect(await choose()).toEqual(side(4));
});

test("a folder below the top of the repository lacks the packages of the top", async () => {
  await mkdir(join(root, "node_modules"));
  await mkdir(join(root, "packages/app"), { recursive: true });
  const unknown = "git has no file of this folder, and worktrees have only what is committed.";
  expect(await choose({}, undefined, "packages/app")).toEqual(inPlace(unknown));
  await writeFile(join(root, "packages/app/a.txt"), "a");
  git("add", "packages");
  git("commit", "-q", "-m", "app");
  head = git("rev-parse", "HEAD");
  expect(await choose({}, undefined, "packages/app")).toEqual(inPlace(PACKAGES));
});

test("a folder of that name that git does not ignore is in the worktrees", async () => {
  await mkdir(join(root, "vendor"));
  await writeFile(join(root, "vendor/a.txt"), "a");
  git("add", "-A");
  git("commit", "-q", "-m", "vendor");
  head = git("rev-parse", "HEAD");
  expect(await choose()).toEqual(side(4));
});

test.each(["git", "worktrees"] as const)(
  "without %s there is one worker, and those who want several read why",
  async (missing) => {
    if (missing === "git") [head, branch] = ["", ""];
    const alone = inPlace("tasks side by side need a git repository with a commit.");
    expect([await choose({}, missing), await choose({ workers: 2 }, missing)]).toEqual([alone, alone]);
  },
);

test("a repository without a commit cannot have worktrees", async () => {
  git("update-ref", "-d", "HEAD");
  head = "";
  expect(await choose()).toEqual(inPlace("tasks side by side need a git repository with a commit."));
});

test("with a detached head there is one worker: no branch could get the work", async () => {
  git("checkout", "-q", "--detach");
  branch = "";
  const reason = "no branch is checked out that the work could be merged into.";
  expect([await choose(), await choose({ workers: 2 })]).toEqual([inPlace(reason), inPlace(reason)]);
  expect((await choose({ setupCommand: "npm ci" })).note).toBe(
    `One task after the other, in this folder and without the set-up command: ${reason}`,
  );
});
