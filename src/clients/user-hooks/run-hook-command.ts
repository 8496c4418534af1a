import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { type HookCommand, messageOf } from "../../contracts/index.ts";
import { isWithin, type ProcessGroup, startProcessGroup } from "../../system/index.ts";

/** How a hook's command ended. */
export type HookRun =
  | {
      readonly type: "exited";
      readonly exitCode: number;
      readonly stdout: string;
      readonly stderr: string;
      /** Standard output was longer than what is read of it. @default false */
      readonly isCut?: boolean;
    }
  | { readonly type: "timed-out" }
  /** It could not be started, or a signal ended it. */
  | { readonly type: "failed"; readonly message: string };

/** Settings of {@link runHookCommand}. */
export interface RunHookOptions {
  /** What the command reads on its standard input, as JSON. */
  readonly input: unknown;
  /** The session's. */
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  /** The environment to which the hook's own variables are added. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the process group. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * So much of an output is read; the rest is dropped. In bytes. It holds an answer in JSON with the whole input of a changed
 * call; `boundEffect` limits what the agent receives.
 */
const MAX_OUTPUT = 1_000_000;

/** What is wrong with a hook whose answer in JSON is not read to its end. */
export const CUT_ANSWER = "printed more than 1,000,000 bytes of JSON, which is ignored";

/** How long a hook's processes may take to end after SIGTERM, in milliseconds. */
const GRACE_MS = 500;

/**
 * Runs a hook's command as its vendor does: with JSON on standard input, in the session's folder, in a process group of
 * its own, which ends with the command, with its time limit, with the signal, and with this process. With the last three,
 * its descendants outside of the group end, too.
 *
 * @throws the signal's reason
 */
export async function runHookCommand(hook: HookCommand, options: RunHookOptions): Promise<HookRun> {
  const { signal } = options;
  signal?.throwIfAborted();
  let group: ProcessGroup;
  try {
    group = startProcessGroup(commandOf(hook), {
      workingDirectory: folderOf(hook, options),
      env: environmentOf(hook, options),
      hasInput: true,
      graceMs: GRACE_MS,
      endsDescendants: true,
    });
  } catch (error) {
    return { type: "failed", message: `it cannot be started: ${messageOf(error)}` };
  }
  const { leader } = group;
  const [stdout, stderr] = [collect(leader.stdout), collect(leader.stderr)];
  // A hook need not read its input.
  leader.stdin?.on("error", () => undefined).end(`${JSON.stringify(options.input)}\n`);
  let hasTimedOut = false;
  let stopped: Promise<void> | undefined;
  const stop = (): void => {
    stopped = group.stop();
  };
  const timer = setTimeout(() => {
    hasTimedOut = true;
    stop();
  }, hook.timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  const end = await waitForEnd(group);
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
  await stopped;
  signal?.throwIfAborted();
  if (hasTimedOut) return { type: "timed-out" };
  if (typeof end === "string") return { type: "failed", message: end };
  const output = stdout();
  return { type: "exited", exitCode: end, stdout: output.text, stderr: stderr().text, isCut: output.isCut };
}

function commandOf({ command, args, shell }: HookCommand): [string, ...string[]] {
  if (args !== undefined) return [command, ...args];
  return shell === "powershell"
    ? ["pwsh", "-NoProfile", "-NonInteractive", "-Command", command]
    : [shell, "-c", command];
}

/** A hook's own folder is relative to the root of the repository. */
function folderOf({ directory }: HookCommand, { workingDirectory, projectDirectory }: RunHookOptions): string {
  if (directory === undefined) return workingDirectory;
  return resolve(isWithin(workingDirectory, projectDirectory) ? projectDirectory : workingDirectory, directory);
}

function environmentOf(
  { env: own, vendor }: HookCommand,
  { env, projectDirectory }: RunHookOptions,
): Readonly<Record<string, string>> {
  const base = {
    ...env,
    // Both vendors set it; scripts in a worktree could be an agent's.
    CLAUDE_PROJECT_DIR: projectDirectory,
    ...(vendor === "copilot" ? { COPILOT_PROJECT_DIR: projectDirectory } : {}),
  };
  const expanded = Object.entries(own).map(([name, value]) => [name, expandVariables(value, base)] as const);
  return { ...base, ...Object.fromEntries(expanded) };
}

/** Replaces `$NAME` and `${NAME}`; unknown ones by nothing. */
function expandVariables(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_whole, braced, plain) => env[String(braced ?? plain)] ?? "");
}

function collect(stream: Readable | null): () => { readonly text: string; readonly isCut: boolean } {
  const chunks: Buffer[] = [];
  let length = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (length < MAX_OUTPUT) chunks.push(chunk.subarray(0, MAX_OUTPUT - length));
    length += chunk.length;
  });
  return () => ({ text: Buffer.concat(chunks).toString("utf8"), isCut: length > MAX_OUTPUT });
}

/** The exit code, or why there is none. */
async function waitForEnd({ leader, ended }: ProcessGroup): Promise<number | string> {
  const end = await new Promise<number | string>((resolve) => {
    leader.once("error", (error) => resolve(`it cannot be started: ${error.message}`));
    leader.once("exit", (code, signal) => resolve(code ?? `the signal ${signal} ended it`));
  });
  await ended;
  return end;
}
