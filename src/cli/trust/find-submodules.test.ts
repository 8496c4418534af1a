import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findSubmodules, withRoot } from "./find-submodules.ts";

let root: string;
let env: Record<string, string>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-submodules-")));
  env = { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  git(root, ["init", "-q"]);
});
afterEach(() => rm(root, { recursive: true, force: true }));

function git(cwd: string, args: readonly string[], input = ""): void {
  execFileSync("git", args, { cwd, env, input, stdio: ["pipe", "ignore", "pipe"] });
}

/** Enters folders into the index as submodules. */
function link(cwd: string, names: readonly string[]): void {
  const entries = names.map((name) => `160000 ${"1".repeat(40)}\t${name}\n`);
  git(cwd, ["update-index", "--index-info"], entries.join(""));
}

async function find(workingDirectory: string, more: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const found = await Array.fromAsync(findSubmodules(await withRoot({ workingDirectory, env: { ...env, ...more } })));
  return found.map((submodule) => submodule.workingDirectory.slice(root.length + 1));
}

test("finds submodules, and those in them, from any folder of the repository, but none that is not checked out", async () => {
  for (const name of ["a", "a/deep b", "c/d"]) {
    await mkdir(join(root, name), { recursive: true });
    git(join(root, name), ["init", "-q"]);
  }
  await writeFile(join(root, "c/file"), "");
  link(root, ["a", "c/d", "missing"]);
  link(join(root, "a"), ["deep b"]);
  expect(await find(root)).toEqual(["a", "c/d", "a/deep b"]);
  expect(await find(join(root, "c"))).toEqual(["a", "c/d", "a/deep b"]);
  expect(await find(root, { GIT_DIR: join(root, ".git"), GIT_WORK_TREE: root })).toEqual(["a", "c/d", "a/deep b"]);
});

test("a folder that is no repository, and a repository without a working tree, have none", async () => {
  await rm(join(root, ".git"), { recursive: true });
  expect(await find(root, { GIT_CEILING_DIRECTORIES: root })).toEqual([]);
  git(root, ["init", "-q", "--bare", "bare.git"]);
  expect(await find(join(root, "bare.git"))).toEqual([]);
});

test("more of them than are looked into are an error", async () => {
  const names = ["a", "b", "c"];
  for (const name of names) await mkdir(join(root, name, ".git"), { recursive: true });
  link(root, names);
  const options = await withRoot({ workingDirectory: root, env });
  expect(await Array.fromAsync(findSubmodules({ ...options, maxSubmodules: 3 }))).toHaveLength(3);
  const tooMany = Array.fromAsync(findSubmodules({ ...options, maxSubmodules: 2 }));
  await expect(tooMany).rejects.toThrow("it has more than 2 submodules");
});
