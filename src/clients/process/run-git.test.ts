import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { isGitRefusal, runGit } from "./run-git.ts";

let root: string;
let env: Record<string, string>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-run-git-")));
  env = { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: root, env });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const UPLOAD = "\turl = /\n\tuploadpack = ";

test.each([
  { title: "the other end of its remote", remote: (program: string) => `${UPLOAD}${program}\n` },
  { title: "a transport in the project", remote: () => "\turl = /\n\tvcs = x/evil\n" },
  {
    title: "a transport by any program",
    remote: (program: string) => `\turl = ext::${program}\n[protocol]\n\tallow = always\n`,
  },
  { title: "an alias", remote: (program: string) => `\turl = x::y\n[alias]\n\tremote-x = !${program}\n` },
])("reading a partial clone does not run $title, whatever the environment allows", async ({ remote }) => {
  const program = path.join(root, "git-remote-x/evil");
  await mkdir(path.dirname(program));
  await writeFile(program, `#!/bin/sh\n: > '${root}/ran'\nexit 1\n`, { mode: 0o755 });
  const settings = "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin\n";
  await writeFile(
    path.join(root, ".git/config"),
    `${settings}[remote "origin"]\n\tpromisor = true\n${remote(program)}`,
  );
  const args = ["cat-file", "-p", "1".repeat(40)];
  const loose = { ...env, GIT_ALLOW_PROTOCOL: "file:ext:x:x/evil", GIT_NO_LAZY_FETCH: "0" };
  const error = await runGit(args, { cwd: root, env: loose }).catch((caught: unknown) => caught);
  expect({ isRefusal: isGitRefusal(error), hasRun: existsSync(path.join(root, "ran")) }).toEqual({
    isRefusal: true,
    hasRun: false,
  });
  expect(() => execFileSync("git", args, { cwd: root, env, stdio: "pipe" })).toThrow();
  expect(existsSync(path.join(root, "ran"))).toBe(true);
});

test("returns what git prints, and nothing without git; a killed git is not an error that git reports", async () => {
  const options = { cwd: root, env };
  expect(await runGit(["rev-parse", "--show-toplevel"], options)).toBe(`${root}\n`);
  expect(await runGit(["--version"], { ...options, env: { ...env, PATH: root } })).toBeUndefined();
  const error = await runGit(["config", "--list"], { ...options, maxBytes: 1 }).catch((caught: unknown) => caught);
  expect(isGitRefusal(error)).toBe(false);
});
