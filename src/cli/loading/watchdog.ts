import { Worker } from "node:worker_threads";
import { LIBC_NAMES } from "../user-code/take-standard-output.ts";

/** A watchdog acts after the other limit of the same work, which can say more. */
export const WATCHDOG_MARGIN_MS = 500;

/** What the process says when it ends itself, and where. */
export interface LastWords {
  readonly descriptor: number;
  readonly text: string;
}

/** Settings of {@link withWatchdog}. */
export interface WatchdogOptions {
  /** Ends the process when the work has not returned after this long, in milliseconds. */
  readonly timeoutMs: number;
  readonly lastWords: LastWords;
}

/** The part that runs beside the process's own thread, which may be in a loop and hear of nothing. */
const WATCH = `
const { workerData: { state, timeoutMs, descriptor, text } } = require("node:worker_threads");
if (Atomics.wait(state, 0, 0, timeoutMs) === "timed-out") {
  try { require("node:fs").writeSync(descriptor, text); } catch {}
  // A thread cannot end its process with an exit code; the system's function can.
  const { dlopen } = require("bun:ffi");
  for (const name of ${JSON.stringify(LIBC_NAMES)}) {
    try { dlopen(name, { _exit: { args: ["i32"], returns: "void" } }).symbols._exit(1); } catch {}
  }
  process.kill(process.pid, "SIGKILL");
}
`;

/**
 * Does work of which the code may never return. JavaScript cannot interrupt an endless loop, so a second thread ends the
 * process with exit code 1. Work that waits for something is not ended early, but just as well: give it a shorter limit.
 */
export async function withWatchdog<T>(work: () => T | Promise<T>, options: WatchdogOptions): Promise<T> {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(WATCH, {
    eval: true,
    workerData: { state, timeoutMs: options.timeoutMs, ...options.lastWords },
  });
  // Without a second thread everything works but for such loops.
  worker.on("error", () => undefined);
  worker.unref();
  try {
    return await work();
  } finally {
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
  }
}
