import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { firstExecutable, programsOnPath } from "../../system/index.ts";

/** Settings of {@link runGit}. */
export interface RunGitOptions {
  readonly cwd: string;
  /** The complete environment; git is searched on its `PATH`. */
  readonly env: Readonly<Record<string, string>>;
  /** @default 10_000 */
  readonly timeoutMs?: number;
  /** The longest output. @default 16_777_216 */
  readonly maxBytes?: number;
  /** Ends git. */
  readonly signal?: AbortSignal;
}

/**
 * Keeps git from running a repository's programs while it reads: a partial clone fetches each missing object from its
 * remote, and the repository's settings name that remote and the program at its other end. Commits have the parents that
 * they say, not those of a file in the repository.
 */
const READ_ONLY: Readonly<Record<string, string>> = {
  GIT_ALLOW_PROTOCOL: "none",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
};

/**
 * The output of git for a repository that may be hostile, or `undefined` if git is not installed. For calls that only read:
 * every git call of Atomic itself, except those for worktrees. Rejects when git fails, as `execFile` does.
 */
export async function runGit(args: readonly string[], options: RunGitOptions): Promise<string | undefined> {
  const { cwd, env, timeoutMs = 10_000, maxBytes = 16_777_216, signal } = options;
  const git = await firstExecutable(programsOnPath("git", env));
  if (git === undefined) return undefined;
  const { stdout } = await promisify(execFile)(git, [...args], {
    cwd,
    env: { ...env, ...READ_ONLY },
    timeout: timeoutMs,
    maxBuffer: maxBytes,
    ...(signal === undefined ? {} : { signal }),
  });
  return stdout;
}

/** Whether {@link runGit} rejected because git exited with an error code. */
export function isGitRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "number";
}
