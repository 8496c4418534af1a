import { spawn } from "node:child_process";
import { constants } from "node:os";

/** How a command ended. */
export interface CommandResult {
  /** The exit code, or 128 plus the number of the signal that ended the command, as a shell reports it. */
  readonly exitCode: number;
  /** Both outputs as they came; only the end of them when they are long. */
  readonly output: string;
}

/** Settings of {@link runCommand}. */
export interface RunCommandOptions {
  readonly workingDirectory: string;
  /** Kills the command and everything it started. */
  readonly signal: AbortSignal;
  /** @default 1_048_576 */
  readonly maxOutputBytes?: number;
}

/**
 * Runs a command with `sh -c` in a process group of its own. When it settles, every process of the group has ended or
 * was killed: after an abort, which rejects with the signal's reason, as after a normal end.
 */
export async function runCommand(command: string, options: RunCommandOptions): Promise<CommandResult> {
  const { workingDirectory, signal, maxOutputBytes = 1_048_576 } = options;
  signal.throwIfAborted();
  const child = spawn("sh", ["-c", command], {
    cwd: workingDirectory,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = new OutputTail(maxOutputBytes);
  child.stdout.on("data", (chunk: Buffer) => output.add(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.add(chunk));
  const killGroup = (): void => killProcessGroup(child.pid);
  signal.addEventListener("abort", killGroup);
  child.once("exit", killGroup); // what still runs in the background would keep the pipes open
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signalName) => resolve(code ?? 128 + signalNumber(signalName)));
    });
    signal.throwIfAborted();
    return { exitCode, output: output.text };
  } finally {
    signal.removeEventListener("abort", killGroup);
  }
}

class OutputTail {
  #bytes = Buffer.alloc(0);

  constructor(readonly maxBytes: number) {}

  get text(): string {
    return this.#bytes.toString("utf8");
  }

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-this.maxBytes);
  }
}

function killProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // the group has ended by itself
  }
}

function signalNumber(name: NodeJS.Signals | null): number {
  return name === null ? 0 : constants.signals[name];
}
