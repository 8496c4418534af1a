import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readFolderState } from "../recording/file-change.ts";
import { assertRepositoryOptions, assertTestFiles } from "./check-test-files.ts";
import type { TestFiles, TestRepositoryOptions } from "./test-repository-options.ts";

/** A git repository in a temporary folder, with an identity of its own and without the user's settings. */
export interface TestRepository extends AsyncDisposable {
  readonly path: string;
  /** Runs git and returns what it prints. Rejects when git fails. */
  git(...args: readonly string[]): Promise<string>;
  /** Writes files, without a commit. */
  write(files: TestFiles): Promise<void>;
  read(path: string): Promise<string>;
  /** All files that git does not ignore, by path, as text. */
  tree(): Promise<Record<string, string>>;
  /** Deletes the folder. */
  remove(): Promise<void>;
}

/** Keeps the caller's repository and the user's settings out of git. */
const GIT = [
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"].flatMap((name) => [
    "-u",
    name,
  ]),
  "GIT_CONFIG_GLOBAL=/dev/null",
  "GIT_CONFIG_NOSYSTEM=1",
  "GIT_TERMINAL_PROMPT=0",
  "git",
];

/**
 * Creates a git repository for a test. Its branch is `main`.
 *
 * ```ts
 * await using repository = await createTestRepository({ files: { "sum.js": "export const sum = (a, b) => a - b;\n" } });
 * await runWorkflow(fix, { repository, agent: { Fix: "Done." } });
 * console.log(await repository.tree());
 * ```
 *
 * @throws InvalidOptionsError for unknown options, and for files outside of the repository
 */
export async function createTestRepository(options: TestRepositoryOptions = {}): Promise<TestRepository> {
  assertRepositoryOptions(options);
  const { files = {}, commits = [] } = options;
  const path = await realpath(await mkdtemp(join(tmpdir(), "atomic-test-")));
  const git = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)("env", [...GIT, ...args], { cwd: path });
    return stdout;
  };
  const write = async (written: TestFiles): Promise<void> => {
    assertTestFiles("write", written);
    for (const [name, text] of Object.entries(written)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), text);
    }
  };
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  const read = (name: string): Promise<string> => readFile(join(path, name), "utf8");
  try {
    await git("init", "--quiet", "--initial-branch=main");
    const settings = { "user.name": "Test", "user.email": "test@example.com", "commit.gpgsign": "false" };
    for (const [name, value] of Object.entries(settings)) await git("config", name, value);
    for (const commit of [{ message: "Start", files }, ...commits]) {
      await write(commit.files);
      await git("add", "--all");
      await git("commit", "--quiet", "--allow-empty", "--message", commit.message);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    path,
    git,
    write,
    read,
    async tree() {
      const names = [...(await readFolderState(path)).keys()].sort();
      const texts = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
      return Object.fromEntries(texts);
    },
    remove,
    [Symbol.asyncDispose]: remove,
  };
}
