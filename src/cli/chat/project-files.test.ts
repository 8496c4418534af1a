import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { createGitReader } from "../agents/create-git-reader.ts";
import { readBranch } from "./git-branch.ts";
import { createProjectFiles, withFolders } from "./project-files.ts";

let workingDirectory: string;
const { signal } = new AbortController();

beforeEach(async () => {
  workingDirectory = await realpath(await mkdtemp(join(tmpdir(), "atomic-files-")));
});
afterEach(() => rm(workingDirectory, { recursive: true, force: true }));

async function write(...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(workingDirectory, path)), { recursive: true });
    await writeFile(join(workingDirectory, path), path);
  }
}

function open(clock?: () => number) {
  const env = { PATH: process.env.PATH ?? "", HOME: workingDirectory };
  const git = createGitReader({ environment: { env }, projectDirectory: workingDirectory });
  return { git, list: createProjectFiles({ workingDirectory, git, ...(clock === undefined ? {} : { clock }) }) };
}

const gitIn = (...args: readonly string[]): void => {
  execFileSync("git", args, { cwd: workingDirectory, stdio: "ignore", env: { PATH: process.env.PATH } });
};

test("in a repository, the files that git does not ignore are listed with their folders", async () => {
  gitIn("init", "-b", "main");
  await write("src/cart/cart.ts", "src/ünder score.ts", ".env", "build/out.js", "gone.ts");
  await writeFile(join(workingDirectory, ".gitignore"), "build\n.env\n");
  gitIn("add", "gone.ts", "src/cart/cart.ts");
  await unlink(join(workingDirectory, "gone.ts"));
  const { git, list } = open();
  expect(await list(signal)).toEqual([".gitignore", "src/", "src/cart/", "src/cart/cart.ts", "src/ünder score.ts"]);
  expect(await readBranch(git, workingDirectory)).toEqual({ name: "main", changedFiles: 4 });
});

test("without a repository, folders of packages are left out and links to folders are not followed", async () => {
  await write("a.ts", "lib/deep/b.ts", "node_modules/x/index.js");
  await mkdir(join(workingDirectory, "empty"));
  await symlink(workingDirectory, join(workingDirectory, "lib", "loop"));
  const { git, list } = open();
  expect(await list(signal)).toEqual(["a.ts", "empty/", "lib/", "lib/deep/", "lib/deep/b.ts", "lib/loop"]);
  expect(await readBranch(git, workingDirectory)).toBeUndefined();
});

test("a list is used again for five seconds, and an aborted call rejects", async () => {
  let now = 0;
  await write("a.ts");
  const { list } = open(() => now);
  const first = await list(signal);
  await write("b.ts");
  now = 4_999;
  expect(await list(signal)).toBe(first);
  now = 5_000;
  expect(await list(signal)).toEqual(["a.ts", "b.ts"]);
  await expect(list(AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});

test("the time grows with the number of files, not with its square", () => {
  const filesOf = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `src/part-${index % 300}/deep/file-${index}.ts`);
  const cpuMsOf = (files: readonly string[]): number => {
    // The process's own time: others may keep the processor.
    const before = process.cpuUsage();
    expect(withFolders(files)).toHaveLength(files.length + 601);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const [few, many] = [filesOf(2_000), filesOf(64_000)];
  cpuMsOf(few);
  // 32 times as many; the square would be 1,024 times.
  expect(cpuMsOf(many)).toBeLessThan(300 * Math.max(1, cpuMsOf(few)));
});
