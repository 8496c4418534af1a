import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import process from "node:process";
import { safeText } from "../view/index.ts";
import type { CliEnvironment, TextOutput } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import { watchInterrupts } from "./interrupt-watch.ts";
import { reportError, runCli } from "./run-cli.ts";
import { OutputError } from "./unusable-place.ts";
import { captureProcess } from "./user-code/capture-process.ts";
import { UserCode } from "./user-code/user-code.ts";

/** Signals that mean "stop, but clean up". */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** One of the process's own outputs. */
interface ProcessOutput extends TextOutput {
  /** Resolves when all that was written has left the process, or has failed to. */
  drain(): Promise<void>;
}

/** @param onBroken called once, when the output cannot be written for another reason than that its reader left */
function outputOf(stream: NodeJS.WriteStream, onBroken: (error: Error) => void): ProcessOutput {
  let isBroken = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that left, such as `head`, wants no more; that is no failure.
    if (error.code !== "EPIPE" && !isBroken) onBroken(error);
    isBroken = true;
  });
  // Code of workflows does not get to this one.
  const write = stream.write.bind(stream);
  let written = Promise.resolve();
  return {
    write: (text) => {
      // Of an empty text Bun says at once that it is written, also when what was before it is not.
      if (isBroken || text === "") return;
      written = new Promise((resolve) => {
        write(text, () => resolve());
      });
    },
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 80;
    },
    stream,
    drain: () => written,
  };
}

/** The first signal asks to stop, the second one ends the process at once. */
function onSignal(listener: () => void, onLeave: () => void = () => undefined): () => void {
  let count = 0;
  const hear = (): void => {
    count++;
    if (count === 1) return listener();
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

function interrupt(pid: number): boolean {
  try {
    process.kill(pid, "SIGINT");
    return true;
  } catch {
    // The process is gone.
    return false;
  }
}

/** Programs hand over sockets as pipes; `/dev/null` is neither. */
function hasPipedInput(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile() || input.isSocket();
  } catch {
    // It is closed.
    return false;
  }
}

const stdout = outputOf(process.stdout, (cause) => {
  userCode.fail(new OutputError("Standard output", cause.message, { cause }));
});
// Of a broken standard error nobody can be told; what counts is on standard output, and in the exit code.
const stderr = outputOf(process.stderr, () => undefined);
const userCode: UserCode = new UserCode((text) => stderr.write(`${safeText(text)}\n`));
const leave = captureProcess(userCode, {
  onFatal: () => {
    tellLeftErrors();
    leave(ExitCode.failed);
  },
});

function tellLeftErrors(): void {
  userCode.onLeftError((error) => {
    reportError(environment, error);
    process.exitCode = ExitCode.failed;
  });
}

const environment: CliEnvironment = {
  args: process.argv.slice(2),
  env: process.env,
  workingDirectory: process.cwd(),
  userHomeDirectory: homedir(),
  pid: process.pid,
  startedAt: Date.now() - Math.round(process.uptime() * 1_000),
  stdin: process.stdin,
  hasPipedInput: hasPipedInput(),
  stdout,
  stderr,
  userCode,
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI,
  onSignal,
  interrupt,
};

// However the process ends, lines that were drawn again and again must not leave the terminal without a cursor.
if (process.stderr.isTTY && process.env.TERM !== "dumb") process.once("exit", () => stderr.write("\u001b[?25h"));

process.exitCode = await runCli(environment);
tellLeftErrors();
await stdout.drain();
// That writing has failed is told a moment later.
await new Promise<void>((resolve) => setImmediate(resolve));
await stderr.drain();
// A timer or a socket that code of workflows has left open would keep the process for ever.
leave();
