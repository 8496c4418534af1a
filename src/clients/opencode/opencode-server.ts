import { type ChildProcess, spawn } from "node:child_process";
import { constants, platform } from "node:os";
import { kill } from "node:process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCrashedError, superviseCommand } from "../../contracts/index.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";

/** Settings of {@link startOpenCodeServer}. */
export interface StartOpenCodeServerOptions {
  readonly binaryPath: string;
  /** The server's complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Give up waiting for the server's address after this long, in milliseconds. */
  readonly startTimeoutMs: number;
}

/** A running `opencode serve`. */
export interface OpenCodeServer {
  readonly url: string;
  /** Resolves when the process has ended, by itself or by `stop`. */
  readonly ended: Promise<AgentCrashedError>;
  /** Ends the process and everything it started in its group. Idempotent. */
  stop(): Promise<void>;
}

/** How long the process may take to end after SIGTERM, in milliseconds. */
const STOP_GRACE_MS = 3_000;

/** How long killed processes may take to disappear, in milliseconds. */
const LIFE_LINE_GRACE_MS = 2_000;

const KEPT_LINES = 20;

/**
 * Starts `opencode serve` on a free port of 127.0.0.1, in a process group of its own that ends together with this
 * process.
 * @throws AgentCrashedError when it ends, or says no address, within `startTimeoutMs`
 */
export async function startOpenCodeServer(options: StartOpenCodeServerOptions): Promise<OpenCodeServer> {
  const { binaryPath, env, workingDirectory, startTimeoutMs } = options;
  const command: [string, ...string[]] = [binaryPath, "serve", "--hostname=127.0.0.1", "--port=0"];
  const isPosix = platform() !== "win32";
  const [file, ...args] = isPosix ? superviseCommand(command) : command;
  // The fourth pipe is the life line of the supervisor: it is never written to.
  const stdio = isPosix ? (["ignore", "pipe", "pipe", "pipe"] as const) : (["ignore", "pipe", "pipe"] as const);
  const child = spawn(file, args, { cwd: workingDirectory, env: { ...env }, detached: isPosix, stdio: [...stdio] });
  const lastLines: string[] = [];
  // stdio says "pipe" for both, so the streams exist.
  collectLines(child.stderr as Readable, lastLines);
  const ended = waitForEnd(child, lastLines);
  const stop = createStop(child, ended);
  try {
    return { url: await waitForAddress(child, { ended, lastLines, startTimeoutMs }), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function collectLines(stream: Readable, lines: string[]): void {
  createInterface({ input: stream }).on("line", (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  });
}

/** Never rejects: a program that could not be started has ended, too. */
function waitForEnd(child: ChildProcess, lastLines: readonly string[]): Promise<AgentCrashedError> {
  return new Promise((resolve) => {
    const end = (ending: string) => resolve(new AgentCrashedError(AGENT_TYPE, ending, [...lastLines]));
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(describeEnding(code, signal)));
  });
}

/** The supervising shell reports a signal as 128 plus its number. */
function describeEnding(code: number | null, signal: string | null): string {
  if (signal !== null) return `signal ${signal}`;
  const name = Object.entries(constants.signals).find(([, number]) => number + 128 === code)?.[0];
  return name === undefined ? `exit code ${code}` : `signal ${name}`;
}

async function waitForAddress(
  child: ChildProcess,
  options: {
    readonly ended: Promise<AgentCrashedError>;
    readonly lastLines: readonly string[];
    readonly startTimeoutMs: number;
  },
): Promise<string> {
  const { ended, lastLines, startTimeoutMs } = options;
  const timeout = new AbortController();
  // stdio says "pipe", so the stream exists. It is read to the end, so that the server never blocks on a full pipe.
  const lines = createInterface({ input: child.stdout as Readable });
  const address = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const url = /listening on (http\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  try {
    return await Promise.race([
      address,
      ended.then((error) => Promise.reject(error)),
      sleep(startTimeoutMs, undefined, { signal: timeout.signal }).then(() => {
        throw new AgentCrashedError(AGENT_TYPE, `no address within ${startTimeoutMs} ms`, [...lastLines]);
      }),
    ]);
  } finally {
    timeout.abort();
  }
}

/** Leaves nothing of the group behind, however its leader ended. */
async function cleanUp(child: ChildProcess, ended: Promise<AgentCrashedError>): Promise<void> {
  // The pipes close when the server itself has ended, which can be later than its supervisor.
  const closed = Promise.all([waitForClose(child.stdout), waitForClose(child.stderr)]);
  const lifeLineClosed = waitForClose(child.stdio[3]);
  await ended;
  await Promise.race([closed, sleep(STOP_GRACE_MS, undefined, { ref: false })]);
  signalGroup(child, "SIGKILL");
  // The supervisor's own processes hold the other end of the life line: its close is the proof of their death.
  await Promise.race([lifeLineClosed, sleep(LIFE_LINE_GRACE_MS, undefined, { ref: false })]);
  child.stdio[3]?.destroy();
}

/** Never rejects; a stream that does not exist is closed. */
function waitForClose(stream: ChildProcess["stdio"][number] | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!(stream instanceof Readable) || stream.closed) {
      resolve();
      return;
    }
    stream.on("error", () => {}).once("close", () => resolve());
    stream.resume();
  });
}

function createStop(child: ChildProcess, ended: Promise<AgentCrashedError>): () => Promise<void> {
  const cleanedUp = cleanUp(child, ended);
  return async () => {
    signalGroup(child, "SIGTERM");
    const timer = setTimeout(() => signalGroup(child, "SIGKILL"), STOP_GRACE_MS);
    await cleanedUp;
    clearTimeout(timer);
  };
}

function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  if (platform() === "win32") {
    child.kill(signal);
    return;
  }
  try {
    kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}
