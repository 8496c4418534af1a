import { Readable } from "node:stream";
import { toError } from "../../contracts/index.ts";
import { describeExit, FIRST_EXTRA_PIPE, type ProcessGroup, startProcessGroup } from "../../system/index.ts";
import type { OwnCommand } from "./own-command.ts";

/** Settings of {@link runOwnProgram}. */
export interface OwnProgramOptions extends OwnCommand {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Goes to standard input as JSON: code that the program executes could read its arguments. */
  readonly request: unknown;
  /** How long the program may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Receives all that the program has sent so far. Returns a new time limit from now on, if there is one. */
  readonly onResult?: (result: string) => number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a program ended. */
export interface OwnProgramEnd {
  /** What it sent through the extra pipe. */
  readonly result: string;
  /** The name of a signal, an exit code, or why it did not start. */
  readonly end: string;
  /** The end of what it printed. */
  readonly said: string;
  readonly isTimeUp: boolean;
}

/** A longer result is none. */
const MAX_RESULT_LENGTH = 1_000_000;

/** So much of what a program has printed is kept. */
const MAX_SAID = 300;

/**
 * Runs a program of Atomic's own that executes somebody's code: in a process group that has a time limit. Its result comes
 * through an extra pipe. Throws only the signal's reason.
 */
export async function runOwnProgram(options: OwnProgramOptions): Promise<OwnProgramEnd> {
  const { timeoutMs, onResult, signal } = options;
  signal?.throwIfAborted();
  const group = start(options);
  if (group instanceof Error) return { result: "", end: describeNoStart(group), said: "", isTimeUp: false };
  const stop = (): void => void group.stop();
  signal?.addEventListener("abort", stop, { once: true });
  const limit = limitOf(stop);
  limit.set(timeoutMs);
  let result = "";
  let said = "";
  const { leader } = group;
  const exited = new Promise<string>((resolve) => {
    leader.once("error", (error) => resolve(describeNoStart(error)));
    leader.once("exit", (code, signalName) => resolve(describeExit(code, signalName)));
  });
  leader.stdout?.resume();
  leader.stderr?.on("data", (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-MAX_SAID);
  });
  // The type knows the first five only.
  const pipe: unknown = Object.values(leader.stdio)[FIRST_EXTRA_PIPE];
  if (pipe instanceof Readable) {
    pipe.on("data", (chunk: Buffer) => {
      if (result.length < MAX_RESULT_LENGTH) result += chunk.toString();
      const furtherMs = onResult?.(result);
      if (furtherMs !== undefined) limit.set(furtherMs);
    });
  }
  const end = await exited;
  await group.ended;
  limit.clear();
  signal?.removeEventListener("abort", stop);
  signal?.throwIfAborted();
  return { result, end, said, isTimeUp: limit.hasPassed };
}

function start({ command, folder, env, request }: OwnProgramOptions): ProcessGroup | Error {
  try {
    const group = startProcessGroup(command, {
      workingDirectory: folder,
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      hasInput: true,
      extraPipes: 1,
      graceMs: 0,
    });
    // A program that has ended reads nothing; how it ended says more.
    group.leader.stdin?.on("error", () => undefined).end(JSON.stringify(request));
    return group;
  } catch (error) {
    return toError(error);
  }
}

function describeNoStart({ message }: Error): string {
  return `it cannot be started: ${message}`;
}

interface Limit {
  /** Whether the time was up. */
  hasPassed: boolean;
  set(timeoutMs: number): void;
  clear(): void;
}

function limitOf(stop: () => void): Limit {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit: Limit = {
    hasPassed: false,
    set(timeoutMs) {
      clearTimeout(timer);
      timer = setTimeout(() => {
        limit.hasPassed = true;
        stop();
      }, timeoutMs);
    },
    clear: () => clearTimeout(timer),
  };
  return limit;
}
