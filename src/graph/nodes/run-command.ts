import { type ChildProcess, spawn } from "node:child_process";
import { superviseCommand } from "../../contracts/index.ts";

/** What a command left behind. */
export interface CommandResult {
  readonly command: string;
  /** 128 plus the number of the signal when one ended the command, as a shell reports it. */
  readonly exitCode: number;
  /** The end of the standard output. */
  readonly stdout: string;
  /** The end of the standard error. */
  readonly stderr: string;
  /** Whether the beginning of an output was left out. */
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
  /** How much of each output is kept, in characters. @default 65_536 */
  readonly maxOutputLength?: number;
}

/** How long an aborted command may take to end by itself. */
const KILL_AFTER_MS = 2_000;

/**
 * Runs a command line in `sh`. What it leaves running in the background is ended with it; when the signal aborts, or
 * this process dies, the command and everything it started are ended too.
 *
 * @throws the signal's reason when aborted; a system error when `sh` cannot be started
 */
export async function runCommand(command: string, options: RunCommandOptions): Promise<CommandResult> {
  const { signal, workingDirectory, env, maxOutputLength = 65_536 } = options;
  signal.throwIfAborted();
  const startedAt = Date.now();
  const [file, ...args] = superviseCommand(["sh", "-c", command]);
  const child = spawn(file, args, {
    cwd: workingDirectory,
    ...(env === undefined ? {} : { env }),
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const stdout = keepTail(child.stdout, maxOutputLength);
  const stderr = keepTail(child.stderr, maxOutputLength);
  const stop = (): void => endGroup(child);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const exitCode = await exitCodeOf(child, signal);
    signal.throwIfAborted();
    const isTruncated = stdout.isTruncated() || stderr.isTruncated();
    const durationMs = Date.now() - startedAt;
    return { command, exitCode, stdout: stdout.text(), stderr: stderr.text(), isTruncated, durationMs };
  } finally {
    signal.removeEventListener("abort", stop);
    closeStreams(child);
  }
}

function exitCodeOf(child: ChildProcess, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => {
      // Background jobs would hold the pipes, and "close" back. After an abort they may still end by themselves.
      if (child.pid !== undefined && !signal.aborted) signalGroup(child.pid, "SIGKILL");
      // Node counts the life line among the streams that have to end before "close".
      child.stdio[3]?.destroy();
    });
    child.once("close", (code) => resolve(code ?? 137));
  });
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  // Only what has left the group can hold the pipes still.
  if (hasExited(child)) return closeStreams(child);
  signalGroup(pid, "SIGTERM");
  const timer = setTimeout(() => {
    signalGroup(pid, "SIGKILL");
    closeStreams(child);
  }, KILL_AFTER_MS);
  child.once("close", () => clearTimeout(timer));
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function closeStreams(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}

function signalGroup(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, name);
  } catch {
    // The group is gone already.
  }
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
