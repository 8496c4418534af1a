import { isGitRefusal, runGit } from "../../clients/index.ts";
import type { GitReader } from "../../graph/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { gitEnvironment } from "../git-environment.ts";
import { GitSettingsUnknownError } from "../trust/repository-programs.ts";

/** How long git may take to read a large repository. */
const TIMEOUT_MS = 120_000;

/** Where git reads. */
interface CreateGitReaderOptions {
  readonly environment: Pick<CliEnvironment, "env">;
  readonly projectDirectory: string;
}

/**
 * Git for workflows. It only reads, and runs no program of the repository: no hook, filter, helper or file monitor.
 * The call rejects with GitSettingsUnknownError if the programs of the repository cannot be determined.
 */
export function createGitReader({ environment, projectDirectory }: CreateGitReaderOptions): GitReader {
  // The repository's programs are determined once for each folder.
  const known = new Map<string, ReturnType<typeof gitEnvironment>>();
  return async (args, { workingDirectory, signal, maxBytes = 16_777_216 }) => {
    const place = { workingDirectory, projectDirectory, isProjectTrusted: false };
    // The messages of git are compared, and shown in errors.
    const determine =
      known.get(workingDirectory) ?? gitEnvironment({ ...place, env: { ...environment.env, LC_ALL: "C" } });
    known.set(workingDirectory, determine);
    try {
      const env = await determine;
      const stdout = await runGit(args, { cwd: workingDirectory, env, signal, maxBytes, timeoutMs: TIMEOUT_MS });
      return stdout === undefined ? { type: "missing" } : { type: "done", stdout };
    } catch (thrown) {
      signal.throwIfAborted();
      // Git says the same about its settings as about the command: there is no repository, or it is broken.
      const error = thrown instanceof GitSettingsUnknownError && isGitRefusal(thrown.cause) ? thrown.cause : thrown;
      if (isTooLong(error)) return { type: "too-long" };
      if (!isGitRefusal(error)) throw error;
      return { type: "failed", exitCode: exitCodeIn(error), message: lastLineOf(error) };
    }
  };
}

function isTooLong(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
}

function exitCodeIn(error: unknown): number {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : -1;
}

function lastLineOf(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return (text.split("\n").at(-1) ?? "").replace(/^fatal: /, "") || "git reports no reason";
}
