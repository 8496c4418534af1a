import type { ChildProcess } from "node:child_process";
import { startProcessGroup } from "../../system/index.ts";

/** The result of a command. */
export interface CommandResult {
  readonly command: string;
  /** The exit code; if a signal ended the command, 128 plus its number, as in a shell. */
  readonly exitCode: number;
  /** The end of the standard output. */
  readonly stdout: string;
  /** The end of the standard error. */
  readonly stderr: string;
  /** Whether the start of an output was cut off. */
  readonly isTruncated: boolean;
  readonly durationMs: number;
}

/** Settings of {@link runCommand}. */
export interface RunCommandOptions {
  readonly signal: AbortSignal;
  /** @default the process's */
  readonly workingDirectory?: string;
  /** The complete environment; nothing else is inherited. @default the process's */
  readonly env?: Readonly<Record<string, string>>;
  /** Added to the environment. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** A descriptor that stays open until the command and everything that it started have ended. @default none */
  readonly heldDescriptor?: number | undefined;
  /** How much of each output is kept, in characters. @default 65_536 */
  readonly maxOutputLength?: number;
}

/** How long an aborted command may take to exit by itself, in milliseconds. */
const STOP_GRACE_MS = 2_000;

/**
 * Runs a command line in `sh`. Ends the command and everything it started when the signal aborts or this process dies;
 * ends what it left in the background when it exits.
 *
 * @throws the signal's reason when aborted; a system error when `sh` cannot be started
 */
export async function runCommand(command: string, options: RunCommandOptions): Promise<CommandResult> {
  const { signal, workingDirectory, env, extraEnv, heldDescriptor, maxOutputLength = 65_536 } = options;
  signal.throwIfAborted();
  const startedAt = Date.now();
  const additions = Object.entries(extraEnv ?? {}).map(([name, value]) => `${name}=${value}`);
  const shell = ["sh", "-c", command] as const;
  const group = startProcessGroup(additions.length === 0 ? shell : ["env", ...additions, ...shell], {
    workingDirectory,
    env,
    heldDescriptor,
    graceMs: STOP_GRACE_MS,
  });
  const child = group.leader;
  const stdout = keepTail(child.stdout, maxOutputLength);
  const stderr = keepTail(child.stderr, maxOutputLength);
  // After the command has ended, only processes that left the group can still hold the outputs.
  const stop = (): void => void group.stop().then(() => closeStreams(child));
  signal.addEventListener("abort", stop, { once: true });
  try {
    const exitCode = await exitCodeOf(child);
    signal.throwIfAborted();
    const isTruncated = stdout.isTruncated() || stderr.isTruncated();
    const durationMs = Date.now() - startedAt;
    return { command, exitCode, stdout: stdout.text(), stderr: stderr.text(), isTruncated, durationMs };
  } finally {
    signal.removeEventListener("abort", stop);
    closeStreams(child);
  }
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 137));
  });
}

function closeStreams(child: ChildProcess): void {
  // Without a free file descriptor Node creates no streams at all, contrary to its types.
  for (const stream of child.stdio ?? []) stream?.destroy();
}

interface Tail {
  text(): string;
  isTruncated(): boolean;
}

function keepTail(stream: NodeJS.ReadableStream | null, maxLength: number): Tail {
  let kept = "";
  let isTruncated = false;
  stream?.setEncoding("utf8");
  stream?.on("data", (chunk: string) => {
    kept += chunk;
    if (kept.length <= maxLength) return;
    kept = kept.slice(-maxLength);
    isTruncated = true;
  });
  return { text: () => kept, isTruncated: () => isTruncated };
}
