import { AtomicError } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import type { BaseState } from "../../state/annotation.ts";
import { runAndReport } from "../shared/run-and-report.ts";

/** How much of a failed command's output an error has, in characters. */
const MAX_OUTPUT_LENGTH = 6_000;
/** How often a command may change the files that it verifies. */
const MAX_CHANGES = 2;

/** The command that verifies a sub-agent's work failed. */
export class VerificationFailedError extends AtomicError {
  /** The work has to change first. */
  readonly isRetryable = false;

  constructor(
    readonly command: string,
    readonly workingDirectory: string | undefined,
    reason: string,
    outputTail = "",
  ) {
    const place = workingDirectory === undefined ? "" : ` in ${workingDirectory}`;
    super(
      "VERIFICATION_FAILED",
      `The work is not done: \`${command}\` ${reason}${place}.${outputTail === "" ? "" : `\n${outputTail}`}`,
    );
  }
}

/** The command that verifies the work cannot run, whatever the work is. */
export class VerificationImpossibleError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly command: string,
    readonly exitCode: number,
    outputTail: string,
  ) {
    const problem = exitCode === 127 ? "was not found" : "cannot be executed";
    super(
      "VERIFICATION_IMPOSSIBLE",
      `\`${command}\`, or a command in it, ${problem} (exit code ${exitCode}), so no work can be verified.${outputTail === "" ? "" : `\n${outputTail}`}`,
    );
  }
}

/** How many of the changed files an error names. */
const MAX_NAMED = 5;

/** Files change each time that the command runs, so that it never succeeds with the work as it is. */
export class VerificationUnsteadyError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    readonly command: string,
    /** The files, from the top of the repository; empty if unknown. */
    readonly files: readonly string[],
  ) {
    const more = files.length > MAX_NAMED ? ` and ${files.length - MAX_NAMED} more` : "";
    const names = files.slice(0, MAX_NAMED).map((file) => JSON.stringify(file));
    const which = files.length === 0 ? "" : `: ${names.join(", ")}${more}`;
    super(
      "VERIFICATION_UNSTEADY",
      `\`${command}\` succeeds, but files that git does not ignore change each time${which}. So it never succeeds with the work as it is. Correct the command and resume the run, or name such files in .gitignore before the next run.`,
    );
  }
}

/** Work to verify, and where it is. */
export interface WorkToVerify {
  readonly command: string;
  readonly workingDirectory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Saves the work, and returns what identifies it. @default nothing is saved */
  readonly save?: () => Promise<string | undefined>;
  /** What `save` last returned. */
  readonly saved?: string | undefined;
}

/** A command that succeeded with the final state of the work. */
export interface VerifiedWork {
  readonly command: string;
  readonly durationMs: number;
  /** What identifies the work that it succeeded with. */
  readonly saved?: string;
}

/**
 * Runs a command that must succeed. In a worktree the result counts for what is committed: where the command itself or
 * somebody else changes files meanwhile, it has to succeed with those as well.
 *
 * @throws VerificationFailedError, VerificationImpossibleError, VerificationUnsteadyError
 */
export async function verifyWork<State extends BaseState>(
  { command, workingDirectory, environment, save = async () => undefined, saved }: WorkToVerify,
  context: ExecutionContext<State>,
): Promise<VerifiedWork> {
  let last = saved;
  for (let changes = 0; changes <= MAX_CHANGES; changes++) {
    const place = given({ workingDirectory, extraEnv: environment });
    const { result, output } = await runAndReport(command, context, place);
    if (result.exitCode !== 0) {
      const tail = output.trim().slice(-MAX_OUTPUT_LENGTH);
      if (result.exitCode === 126 || result.exitCode === 127)
        throw new VerificationImpossibleError(command, result.exitCode, tail);
      throw new VerificationFailedError(command, workingDirectory, `ended with exit code ${result.exitCode}`, tail);
    }
    const current = await save();
    if (current === last) return { command, durationMs: result.durationMs, ...given({ saved: current }) };
    last = current;
  }
  throw new VerificationUnsteadyError(command, await listLastChanges(workingDirectory, context));
}

/** The files of the last commit; empty where that is not the one of what changed, or nothing can read it. */
async function listLastChanges<State extends BaseState>(
  workingDirectory: string | undefined,
  { services: { git }, signal }: ExecutionContext<State>,
): Promise<readonly string[]> {
  if (git === undefined || workingDirectory === undefined) return [];
  const options = { workingDirectory, signal };
  // While conflicts are resolved, nothing is committed.
  const merging = await git(["rev-parse", "--verify", "--quiet", "MERGE_HEAD"], options);
  if (merging.type === "done") return [];
  const changed = await git(["diff", "--no-ext-diff", "--name-only", "-z", "HEAD~1", "HEAD"], options);
  return changed.type === "done" ? changed.stdout.split("\0").filter((path) => path !== "") : [];
}
