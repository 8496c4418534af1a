import { setLongTimer } from "../../system/index.ts";
import type { RunClock } from "./run-timers.ts";

/** What a {@link NodeTimer} is made of. */
export interface NodeTimerOptions {
  readonly clock: Pick<RunClock, "elapsedMs" | "setTimer">;
  /** The node's `timeoutMs`. */
  readonly limitMs: number;
  /** Called once, unless the timer is stopped first. */
  readonly onTimeout: () => void;
}

/** The time limit of one attempt of a node. Starts at once. Pauses nest: time counts only while none is open. */
export class NodeTimer {
  readonly #clock: NodeTimerOptions["clock"];
  readonly #onTimeout: () => void;
  #leftMs: number;
  #pauseCount = 0;
  #isOver = false;
  #running: { readonly startedMs: number; readonly cancel: () => void } | undefined;

  constructor({ clock, limitMs, onTimeout }: NodeTimerOptions) {
    this.#clock = clock;
    this.#leftMs = limitMs;
    this.#onTimeout = onTimeout;
    this.#start();
  }

  /** Pauses the timer. Returns a function that ends the pause; the timer continues with the time left. */
  pause(): () => void {
    this.#pauseCount++;
    this.#halt();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#pauseCount--;
      if (this.#pauseCount === 0) this.#start();
    };
  }

  /** Stops the timer for good: the end of a pause does not start it again. */
  stop(): void {
    this.#isOver = true;
    this.#halt();
  }

  #start(): void {
    if (this.#isOver) return;
    const { elapsedMs, setTimer } = this.#clock;
    const fire = (): void => {
      this.stop();
      this.#onTimeout();
    };
    this.#running = { startedMs: elapsedMs(), cancel: setTimer(fire, this.#leftMs) };
  }

  #halt(): void {
    if (this.#running === undefined) return;
    const { startedMs, cancel } = this.#running;
    this.#running = undefined;
    cancel();
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.elapsedMs() - startedMs));
  }
}

/** A time limit that can be paused. */
export type TimeLimit = Pick<NodeTimer, "pause" | "stop">;

/** Starts a time limit in real time. Without a number it never ends. */
export function startTimeLimit(limitMs: number | undefined, onTimeout: (limitMs: number) => void): TimeLimit {
  if (limitMs === undefined) return { pause: () => () => {}, stop: () => {} };
  const setTimer = (action: () => void, delayMs: number): (() => void) => setLongTimer(action, delayMs);
  const clock = { elapsedMs: () => performance.now(), setTimer };
  return new NodeTimer({ clock, limitMs, onTimeout: () => onTimeout(limitMs) });
}

/** Pauses several time limits. Returns a function that ends the pauses. */
export function pauseAll(pauses: readonly ((() => () => void) | undefined)[]): () => void {
  const resumes = pauses.map((pause) => pause?.());
  return () => {
    for (const resume of resumes) resume?.();
  };
}
