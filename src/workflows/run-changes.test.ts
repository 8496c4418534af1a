import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainGit } from "./review/fixtures/review-bench.ts";
import type { GitPlace } from "./review/git-repository.ts";
import { readBase, readRunChanges } from "./run-changes.ts";

let root: string;
let place: GitPlace;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-run-changes-")));
  place = { git: plainGit, workingDirectory: root, signal: new AbortController().signal };
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ENV = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd: root, env: ENV, stdio: "pipe", encoding: "utf8" }).trim();
}

async function commit(files: Readonly<Record<string, string>>, subject: string): Promise<string> {
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
  git("add", "-A");
  git("commit", "-q", "-m", subject);
  return git("rev-parse", "HEAD");
}

test("the changes are commits, edits and new files since the start; secrets and binary files without their content", async () => {
  git("init", "-q", "-b", "main");
  const start = await commit({ "a.txt": "one\n" }, "start");
  const base = await readBase(place);
  expect(base).toEqual({ commit: start, branch: "main" });
  const second = await commit({ "b.txt": "b\n" }, "Add b: <it>");
  await writeFile(join(root, "a.txt"), "two\n");
  await writeFile(join(root, "new.txt"), "new\n");
  await writeFile(join(root, ".env"), "TOKEN=1\n");
  await writeFile(join(root, "logo.png"), "\0\0");
  expect(await readRunChanges({ commit: start }, place)).toEqual({
    files: [
      { path: "a.txt", status: "modified", isBinary: false, hunks: [{ start: 1, lines: ["-one", "+two"] }] },
      { path: "b.txt", status: "added", isBinary: false, hunks: [{ start: 1, lines: ["+b"] }] },
      { path: "new.txt", status: "added", isBinary: false, hunks: [{ start: 1, lines: ["+new"] }] },
    ],
    leftOut: [
      { path: ".env", reason: "its name suggests secrets" },
      { path: "logo.png", reason: "binary file" },
    ],
    commits: [{ id: second, subject: "Add b: <it>" }],
  });
});

test("outside of a repository, and before its first commit, there is no start", async () => {
  expect(await readBase(place)).toBeUndefined();
  git("init", "-q", "-b", "main");
  expect(await readBase(place)).toBeUndefined();
});

test("without a branch, the start is the commit alone", async () => {
  git("init", "-q", "-b", "main");
  const start = await commit({ "a.txt": "one\n" }, "start");
  git("checkout", "-q", "--detach");
  expect(await readBase(place)).toEqual({ commit: start });
});

test.each([
  { commit: "f".repeat(40), reason: `the commit ${"f".repeat(12)} that it started from is not in the repository` },
  { commit: "--output=/tmp/x", reason: "the session names no commit" },
])("the start $commit cannot be compared, and the reason says why", async ({ commit: id, reason }) => {
  git("init", "-q", "-b", "main");
  await commit({ "a.txt": "one\n" }, "start");
  expect(await readRunChanges({ commit: id }, place)).toBe(reason);
});
