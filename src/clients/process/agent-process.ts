import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCrashedError } from "../../contracts/index.ts";
import { FIRST_EXTRA_PIPE, type ProcessGroup, startProcessGroup } from "../../system/index.ts";
import type { ProcessSandbox } from "./process-sandbox.ts";

/** Settings of {@link startAgentProcess}. */
export interface AgentProcessOptions {
  /** The agent's name in errors. */
  readonly agentType: string;
  readonly command: readonly [file: string, ...args: string[]];
  /** The complete environment; nothing else is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Whether Atomic writes to the agent's standard input. @default false */
  readonly hasInput?: boolean;
  /**
   * Texts that no other process may read. Each has its own pipe; the environment variable of this name contains the pipe's
   * file descriptor. Not on Windows. @default none
   */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Ends the process as `stop` does. @default none */
  readonly signal?: AbortSignal | undefined;
  /** Encloses the process, and is released when the process has ended. @default none */
  readonly sandbox?: ProcessSandbox | undefined;
}

/** A vendor's running program. */
export interface AgentProcess {
  /** Present if the options requested it. */
  readonly stdin: Writable | undefined;
  /** Must be read to the end, or the agent blocks. */
  readonly stdout: Readable;
  /** The last lines of its standard error, the newest last. Grows while it runs. */
  readonly lastLines: readonly string[];
  /** Resolves when the process has ended, by itself or by `stop`. Never rejects. */
  readonly ended: Promise<AgentCrashedError>;
  /** Ends the process and everything it started in its group. Idempotent. */
  stop(): Promise<void>;
}

/** How long the process may take to end after SIGTERM, in milliseconds. */
const STOP_GRACE_MS = 3_000;

/** How long the last lines of an ended process may take to arrive, in milliseconds. */
const LAST_LINES_GRACE_MS = 200;

const KEPT_LINES = 20;

/**
 * Starts a vendor's program in its own process group, which ends together with this process, even on `kill -9`. A program
 * that cannot be started counts as ended.
 * @throws the reason of the signal if it is already aborted
 */
export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { agentType, hasInput = false, signal, sandbox } = options;
  if (signal?.aborted === true) void sandbox?.release();
  signal?.throwIfAborted();
  const { command, env, workingDirectory, secrets = {} } = sandbox?.enclose(options) ?? options;
  const names = Object.keys(secrets);
  const descriptors = Object.fromEntries(names.map((name, index) => [name, String(FIRST_EXTRA_PIPE + index)]));
  const group = startProcessGroup(command, {
    workingDirectory,
    env: { ...env, ...descriptors },
    hasInput,
    extraPipes: names.length,
    graceMs: STOP_GRACE_MS,
    leftoverGraceMs: STOP_GRACE_MS,
  });
  const child = group.leader;
  for (const [index, text] of Object.values(secrets).entries()) handOver(text, child.stdio[FIRST_EXTRA_PIPE + index]);
  const lastLines: string[] = [];
  // stdio says "pipe" for both, so the streams exist.
  const linesEnded = collectLines(child.stderr as Readable, lastLines);
  const ended = waitForEnd(child, { agentType, lastLines, linesEnded });
  // What is written to an ended agent is lost, and `ended` reports that; without a listener it would end Atomic.
  child.stdin?.on("error", () => {});
  const stop = createStop(group, ended, sandbox);
  const onAbort = () => void stop();
  signal?.addEventListener("abort", onAbort, { once: true });
  void ended.then(() => signal?.removeEventListener("abort", onAbort));
  return {
    stdin: child.stdin ?? undefined,
    stdout: child.stdout as Readable,
    lastLines,
    ended,
    stop,
  };
}

/** Writes a secret and closes the pipe, so that it can be read once. */
function handOver(secret: string, pipe: ChildProcess["stdio"][number] | undefined): void {
  if (!(pipe instanceof Writable)) return; // the program could not be started
  pipe.on("error", () => {}); // the program has ended, which `ended` reports
  pipe.end(secret, () => pipe.destroy());
}

/** Resolves when the stream has ended. */
function collectLines(stream: Readable, lines: string[]): Promise<void> {
  const reader = createInterface({ input: stream }).on("line", (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  });
  return new Promise((resolve) => reader.once("close", () => resolve()));
}

/** Never rejects: a program that could not be started has ended, too. */
async function waitForEnd(
  child: ChildProcess,
  details: {
    readonly agentType: string;
    readonly lastLines: readonly string[];
    readonly linesEnded: Promise<void>;
  },
): Promise<AgentCrashedError> {
  const { agentType, lastLines, linesEnded } = details;
  const ending = await new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(describeEnding(code, signal)));
  });
  // Its last output may still arrive; a process that it left can keep the pipe open.
  await Promise.race([linesEnded, sleep(LAST_LINES_GRACE_MS, undefined, { ref: false })]);
  return new AgentCrashedError(agentType, ending, [...lastLines]);
}

/** The supervising shell reports a signal as 128 plus its number. */
function describeEnding(code: number | null, signal: string | null): string {
  if (signal !== null) return `signal ${signal}`;
  const name = Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
  return name === undefined ? `exit code ${code}` : `signal ${name}`;
}

/** A stream that nobody reads would never close. */
function discardUnread(stream: ChildProcess["stdio"][number]): void {
  if (stream instanceof Readable && stream.readableFlowing === null) stream.resume();
}

function createStop(
  group: ProcessGroup,
  ended: Promise<AgentCrashedError>,
  sandbox: ProcessSandbox | undefined,
): () => Promise<void> {
  void ended.then(() => {
    for (const stream of group.leader.stdio) discardUnread(stream);
  });
  const released = group.ended.then(() => sandbox?.release());
  return async () => {
    await group.stop();
    await released;
  };
}
