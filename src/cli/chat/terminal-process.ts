import { readFileSync, writeSync } from "node:fs";
import type { TerminalProcess } from "../../tui/index.ts";

/** Events of failures that nothing else handles. */
const FAILURES = ["uncaughtException", "unhandledRejection"] as const;

/** What {@link createTerminalProcess} takes besides the process. */
export interface TerminalProcessOptions {
  /** Ends the process. @default process.exit */
  readonly exit?: (code: number) => void;
}

/** The process and its terminal, for the UI. */
export function createTerminalProcess(process: NodeJS.Process, options: TerminalProcessOptions = {}): TerminalProcess {
  const { exit = (code) => process.exit(code) } = options;
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    env: process.env,
    writeNow: (text) => writeAll(process.stdout.fd, text),
    readSize: () => readSize(process.stdout),
    isInForeground,
    writeError: (line) => writeAll(process.stderr.fd, `${line}\n`),
    onExit: (listener) => {
      process.on("exit", listener);
      return () => process.off("exit", listener);
    },
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    onFailure: (listener) => {
      const hear = (error: unknown): void => listener(error);
      for (const event of FAILURES) process.on(event, hear);
      return () => {
        for (const event of FAILURES) process.off(event, hear);
      };
    },
    withoutOwnFailureListeners: (action) => withoutOwnFailureListeners(process, action),
    stop: () => stop(process),
    exit: (code) => (isInForeground() ? exit(code) : endInBackground(process, code)),
  };
}

function readSize(stdout: NodeJS.WriteStream): readonly [columns: number, rows: number] | undefined {
  if (stdout.isTTY !== true) return undefined;
  // The cast is true for Bun and Node: terminals have this method, and without it `columns` change only with the signal.
  (stdout as unknown as { readonly _refreshSize: () => void })._refreshSize();
  return [stdout.columns, stdout.rows];
}

/** Linux only: the group of the process is that which the terminal serves. */
function isInForeground(): boolean {
  let stat: string;
  try {
    stat = readFileSync("/proc/self/stat", "utf8");
  } catch {
    return true;
  }
  // After the name, which can hold parentheses: state, parent, group, session, terminal, and the terminal's group.
  const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return terminalGroup === "-1" || group === terminalGroup;
}

async function withoutOwnFailureListeners<Result>(
  process: NodeJS.EventEmitter,
  action: () => Promise<Result>,
): Promise<Result> {
  const before = new Map(FAILURES.map((event) => [event, process.listeners(event)]));
  try {
    return await action();
  } finally {
    for (const [event, known] of before) {
      for (const listener of process.listeners(event))
        if (!known.includes(listener)) removeListener(process, { event, listener });
    }
  }
}

function removeListener(
  process: NodeJS.EventEmitter,
  {
    event,
    listener,
  }: { readonly event: string; readonly listener: ReturnType<NodeJS.EventEmitter["listeners"]>[number] },
): void {
  // The cast is true: every listener is a function of this form.
  process.off(event, listener as (...args: unknown[]) => void);
}

/** A listener of the signal would keep the process running. The shell waits for the whole group. */
function stop(process: NodeJS.Process): void {
  const listeners = process.listeners("SIGTSTP");
  process.removeAllListeners("SIGTSTP");
  process.kill(0, "SIGTSTP");
  // The process has been continued.
  for (const listener of listeners) process.on("SIGTSTP", listener);
}

/** Bun restores the terminal's modes when a process exits. In the background, that would stop the process for good. */
function endInBackground(process: NodeJS.Process, code: number): void {
  const signal = code === 129 ? "SIGHUP" : code === 130 ? "SIGINT" : "SIGTERM";
  // Without a listener, the signal has its default action.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Writes all of a text, also where the descriptor does not block. A terminal that has gone is no error. */
function writeAll(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  // A terminal that takes nothing for a while, because its user stopped it with Ctrl+S, must not block the exit for ever.
  for (let attempts = 0; rest.length > 0 && attempts < 1_000; attempts++) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // The cast is true: errors of system calls have a code.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
