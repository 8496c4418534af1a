import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveReviewBase } from "../../workflows/program-kit.ts";
import { createGitReader } from "./create-git-reader.ts";

let root: string;
let env: Record<string, string>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-git-reader-")));
  env = { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
});
afterEach(() => rm(root, { recursive: true, force: true }));

function git(...args: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], {
    cwd: root,
    env,
    stdio: "pipe",
  });
}

function read(args: readonly string[], maxBytes?: number) {
  const reader = createGitReader({ environment: { env }, projectDirectory: root });
  const options = { workingDirectory: root, signal: new AbortController().signal };
  return reader(args, maxBytes === undefined ? options : { ...options, maxBytes });
}

/** A repository that names a program for all that a diff may run. */
async function createHostileRepository(): Promise<void> {
  git("init", "-q", "-b", "main");
  await writeFile(join(root, "a.txt"), "one\n");
  await writeFile(join(root, ".gitattributes"), "*.txt diff=evil filter=evil\n");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  await writeFile(join(root, "a.txt"), "two\n");
  const program = `sh -c 'touch ${join(root, "ran")}; cat'`;
  for (const key of ["core.fsmonitor", "diff.external", "diff.evil.textconv", "filter.evil.clean", "core.pager"]) {
    git("config", key, program);
  }
  await mkdir(join(root, "hooks"));
  await writeFile(join(root, "hooks", "post-index-change"), `#!/bin/sh\ntouch ${join(root, "ran")}\n`, { mode: 0o755 });
  git("config", "core.hooksPath", "hooks");
  await rm(join(root, "ran"), { force: true });
}

test("reading the changes of a hostile repository runs none of its programs", async () => {
  await createHostileRepository();
  const diff = await read(["diff", "HEAD", "--"]);
  const list = await read(["ls-files", "--others", "--exclude-standard", "-z"]);
  expect(diff).toMatchObject({ type: "done", stdout: expect.stringContaining("two") });
  expect(list).toEqual({ type: "done", stdout: "hooks/post-index-change\0" });
  expect(existsSync(join(root, "ran"))).toBe(false);
  // Without the safeguards it does.
  git("diff", "HEAD", "--");
  expect(existsSync(join(root, "ran"))).toBe(true);
});

test("an error of git, an output that is too long, and a machine without git are outcomes", async () => {
  git("init", "-q");
  expect(await read(["rev-parse", "--verify", "nothing"])).toEqual({
    type: "failed",
    exitCode: 128,
    message: "Needed a single revision",
  });
  expect(await read(["config", "--list"], 5)).toEqual({ type: "too-long" });
  env.PATH = root;
  expect(await read(["--version"])).toEqual({ type: "missing" });
});

test.each([
  { title: "no repository", prepare: () => undefined, detail: "not a git repository" },
  {
    title: "a broken one",
    prepare: async () => {
      git("init", "-q");
      await writeFile(join(root, ".git/config"), "[core\n");
    },
    detail: "bad config line 1",
  },
])("$title is no working tree, and the error says what git says", async ({ prepare, detail }) => {
  await prepare();
  const reader = createGitReader({ environment: { env }, projectDirectory: root });
  const place = { git: reader, workingDirectory: root, signal: new AbortController().signal };
  await expect(resolveReviewBase("", place)).rejects.toThrow(`${root} is not in a git working tree`);
  await expect(resolveReviewBase("", place)).rejects.toThrow(detail);
});
