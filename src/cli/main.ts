import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import process from "node:process";
import type { Writable } from "node:stream";
import { createRedactor, secretsOfEnvironment } from "../contracts/index.ts";
import { safeText } from "../view/index.ts";
import { type CliEnvironment, isJsonWanted, type StopSignal, type TextOutput } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import { watchInterrupts } from "./interrupt-watch.ts";
import { reportError, runCli } from "./run-cli.ts";
import { OutputError } from "./unusable-place.ts";
import { captureProcess } from "./user-code/capture-process.ts";
import { takeStandardOutput } from "./user-code/take-standard-output.ts";
import { UserCode } from "./user-code/user-code.ts";

/** Signals that stop the process after a clean-up. */
const SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** How long listeners of the process's end may take, in milliseconds. */
const EXIT_TIMEOUT_MS = 5_000;

/** One of the process's own outputs. */
interface ProcessOutput extends TextOutput {
  /** Resolves when everything is written, or writing has failed. */
  drain(): Promise<void>;
}

/** A stream that may be a terminal. */
type OutputStream = Writable & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;

/** @param onBroken called once if writing fails, unless the reader left */
function outputOf(stream: OutputStream, onBroken: (error: Error) => void): ProcessOutput {
  let isBroken = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that left, such as `head`, is no failure.
    if (error.code !== "EPIPE" && !isBroken) onBroken(error);
    isBroken = true;
  });
  // Bound before workflow code gets a redirected one.
  const write = stream.write.bind(stream);
  let written = Promise.resolve();
  return {
    write: (text) => {
      // Bun reports an empty text as written before earlier text is.
      if (isBroken || text === "") return;
      written = new Promise((resolve) => {
        write(text, () => resolve());
      });
    },
    isTTY: stream.isTTY === true,
    get columns() {
      // 0 in a terminal whose size nobody has set.
      return stream.columns || 80;
    },
    stream,
    drain: () => written,
  };
}

/**
 * The first signal stops the call, the second one ends the process immediately. A closed terminal may send SIGHUP several
 * times: through the shell, and itself.
 */
function onSignal(listener: (signal: StopSignal) => void, onLeave: () => void = () => undefined): () => void {
  let count = 0;
  const hear = (signal: StopSignal): void => {
    if (signal === "SIGHUP" && count > 0) return;
    count++;
    if (count === 1) return listener(signal);
    try {
      onLeave();
    } finally {
      leave(ExitCode.cancelled);
    }
  };
  for (const name of SIGNALS) process.on(name, hear);
  const isInTerminal = process.stdin.isTTY || process.stderr.isTTY;
  const stopWatching = isInTerminal ? watchInterrupts(process) : () => undefined;
  return () => {
    stopWatching();
    for (const name of SIGNALS) process.off(name, hear);
  };
}

function interrupt(pid: number, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // The process is gone.
    return false;
  }
}

/** Some programs pass a socket instead of a pipe. `/dev/null` is neither. */
function hasPipedInput(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    // It is closed.
    return false;
  }
}

/** That of the process, before workflow code gets a redirected one. */
const ownWrite = process.stdout.write;

function lendOutput(): () => void {
  const redirected = process.stdout.write;
  process.stdout.write = ownWrite;
  return () => {
    process.stdout.write = redirected;
  };
}

const args = process.argv.slice(2);
const taken = isJsonWanted({ args }) && process.stdout.isTTY !== true ? await takeStandardOutput() : undefined;
const stdout = outputOf(taken ?? process.stdout, (cause) => {
  userCode.fail(new OutputError("Standard output", cause.message, { cause }));
});
// Nothing can report a broken standard error. Standard output and the exit code have the result.
const stderr = outputOf(process.stderr, () => undefined);
const redactor = createRedactor({ secrets: secretsOfEnvironment(process.env) });
const userCode: UserCode = new UserCode((text) => stderr.write(`${safeText(redactor.text(text))}\n`));
const leave = captureProcess(userCode, {
  onFatal: () => {
    reportLeftErrors();
    leave(ExitCode.failed);
  },
});

function reportLeftErrors(): void {
  userCode.onLeftError((error) => {
    reportError(environment, error);
    process.exitCode = ExitCode.failed;
  });
}

const environment: CliEnvironment = {
  args,
  env: process.env,
  workingDirectory: process.cwd(),
  userHomeDirectory: homedir(),
  pid: process.pid,
  startedAt: Date.now() - Math.round(process.uptime() * 1_000),
  stdin: process.stdin,
  hasPipedInput: hasPipedInput(),
  stdout,
  stderr,
  redactor,
  userCode,
  screen: { lendOutput, leave },
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI,
  onSignal,
  interrupt,
};

// The live display hides the cursor. Show it again, however the process ends.
if (process.stderr.isTTY && process.env.TERM !== "dumb") process.once("exit", () => stderr.write("\u001b[?25h"));

const ownExitListeners = process.listenerCount("exit");
process.exitCode = await runCli(environment);
reportLeftErrors();
await stdout.drain();
// A write error is reported one tick later.
await new Promise<void>((resolve) => setImmediate(resolve));
await stderr.drain();
// An open timer or socket of workflow code would keep the process alive, and a listener of its end may never return.
if (process.listenerCount("exit") === ownExitListeners) leave();
const { leaveWithin } = await import("./loading/leave-within.ts");
await leaveWithin(EXIT_TIMEOUT_MS, leave, environment);
