import { explainCall } from "../../clients/index.ts";
import { AtomicError, type PermissionPolicy, type PermissionRequest, type Redactor } from "../../contracts/index.ts";
import { startProcessGroup } from "../../system/index.ts";
import type { ShellRun } from "../../tui/index.ts";

/** How long an aborted command may take to exit by itself, in milliseconds. */
const STOP_GRACE_MS = 2_000;

/** The exit code of a command that a signal ended without a number, as shells report SIGKILL. */
const KILLED = 137;

/** The policy denies a command line that the user typed. */
export class UserCommandDeniedError extends AtomicError {
  constructor(
    readonly command: string,
    reason: string,
  ) {
    super("USER_COMMAND_DENIED", `The command did not run: ${reason}`);
  }
}

/** Where the user's own commands run, and what they may do. */
export interface UserCommandPlace {
  readonly workingDirectory: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly permissions: PermissionPolicy;
  readonly redactor: Redactor;
}

/**
 * Runs a command line of the user in `sh` and returns its exit code. The user typed it, which is the approval that a rule may
 * require; what the permissions deny does not run. Ends everything that it started when the signal aborts.
 *
 * @throws UserCommandDeniedError, the signal's reason, and a system error when `sh` cannot be started
 */
export async function runUserCommand(command: string, run: ShellRun, place: UserCommandPlace): Promise<number> {
  run.signal.throwIfAborted();
  await assertNotDenied(command, place);
  run.signal.throwIfAborted();
  return await execute(command, run, place);
}

/** @throws UserCommandDeniedError */
async function assertNotDenied(
  command: string,
  { permissions: policy, workingDirectory }: UserCommandPlace,
): Promise<void> {
  const asked: PermissionRequest = {
    ...{ id: "user", sessionId: "user", kind: "shell", toolName: "shell" },
    ...{ title: command, command, paths: [] },
  };
  const { effect, reason } = await explainCall(asked, { policy, workingDirectory });
  if (effect === "deny") throw new UserCommandDeniedError(command, reason);
}

async function execute(
  command: string,
  { signal, onOutput }: ShellRun,
  { workingDirectory, env, redactor }: UserCommandPlace,
): Promise<number> {
  const group = startProcessGroup(["sh", "-c", command], { workingDirectory, env, graceMs: STOP_GRACE_MS });
  const { leader } = group;
  const ends = [leader.stdout, leader.stderr].map((stream) =>
    readLines(stream, (text) => onOutput(redactor.text(text))),
  );
  const stop = (): void => void group.stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      leader.once("error", reject);
      leader.once("exit", (code) => resolve(code ?? KILLED));
    });
    await group.ended;
    for (const end of ends) end();
    signal.throwIfAborted();
    return exitCode;
  } finally {
    signal.removeEventListener("abort", stop);
    for (const stream of leader.stdio ?? []) stream?.destroy();
  }
}

/** A line of this length is passed on before its end, in characters. */
const MAX_LINE_LENGTH = 8_192;

/** Passes whole lines on, because a secret may arrive in two pieces. Returns a function that passes on the rest. */
function readLines(stream: NodeJS.ReadableStream | null, onLines: (text: string) => void): () => void {
  let rest = "";
  const pass = (length: number): void => {
    if (length > 0) onLines(rest.slice(0, length));
    rest = rest.slice(length);
  };
  stream?.setEncoding("utf8");
  stream?.on("data", (text: string) => {
    rest += text;
    pass(rest.length > MAX_LINE_LENGTH ? rest.length : rest.lastIndexOf("\n") + 1);
  });
  return () => pass(rest.length);
}
