import { raceAbort } from "../contracts/index.ts";

/** The longest time, in milliseconds, that a timer of JavaScript can wait: with more it fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls an action after so many milliseconds, unless the function it returns is called before. */
export type SetTimer = (action: () => void, delayMs: number) => () => void;

const setJavaScriptTimer: SetTimer = (action, delayMs) => {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
};

/**
 * Calls an action after a time of any length, `Infinity` included, unless the function it returns is called before.
 * @param setTimer never asked for more than {@link MAX_TIMER_MS}. @default the process's own timers
 */
export function setLongTimer(action: () => void, delayMs: number, setTimer = setJavaScriptTimer): () => void {
  let stop = (): void => {};
  const wait = (leftMs: number): void => {
    stop =
      leftMs <= MAX_TIMER_MS ? setTimer(action, leftMs) : setTimer(() => wait(leftMs - MAX_TIMER_MS), MAX_TIMER_MS);
  };
  wait(delayMs);
  return () => stop();
}

/** Waits for a time of any length. @throws the signal's reason when that is aborted first, or already */
export async function sleep(durationMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = (): void => {};
  const over = new Promise<void>((resolve) => {
    stop = setLongTimer(resolve, durationMs);
  });
  try {
    await raceAbort(over, signal);
  } finally {
    stop();
  }
}
