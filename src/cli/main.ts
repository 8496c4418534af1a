import { homedir } from "node:os";
import process from "node:process";
import type { CliEnvironment, TextOutput } from "./environment.ts";
import { ExitCode } from "./exit-code.ts";
import { reportError, runCli } from "./run-cli.ts";
import { safeText } from "./safe-text.ts";
import { captureProcess } from "./user-code/capture-process.ts";
import { UserCode } from "./user-code/user-code.ts";

/** Signals that mean "stop, but clean up". */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function outputOf(stream: NodeJS.WriteStream): TextOutput {
  // A reader that left, such as `head`, must not turn into a crash.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // Code of workflows does not get to this one.
  const write = stream.write.bind(stream);
  return {
    write: (text) => void write(text),
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 80;
    },
    stream,
  };
}

/** The first signal asks to stop, the second one ends the process at once. */
function onSignal(listener: () => void): () => void {
  let count = 0;
  const hear = (): void => {
    count++;
    if (count > 1) process.exit(130);
    listener();
  };
  for (const name of SIGNALS) process.on(name, hear);
  return () => {
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

const stdout = outputOf(process.stdout);
const stderr = outputOf(process.stderr);
const userCode = new UserCode((text) => stderr.write(`${safeText(text)}\n`));
captureProcess(userCode, {
  onFatal: () => {
    tellLeftErrors();
    process.exit(ExitCode.failed);
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
  stdout,
  stderr,
  userCode,
  isInteractive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI,
  onSignal,
  interrupt,
};

process.exitCode = await runCli(environment);
tellLeftErrors();
