import { raceAbort } from "../contracts/index.ts";

/** The longest delay of a JavaScript timer, in milliseconds: a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls an action after a number of milliseconds, unless the returned function is called before. */
export type SetTimer = (action: () => void, delayMs: number) => () => void;

const setJavaScriptTimer: SetTimer = (action, delayMs) => {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
};

/**
 * Calls an action after a delay of any length, `Infinity` included, unless the returned function is called before.
 * @param setTimer never called with more than {@link MAX_TIMER_MS}. @default the process's own timers
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

/** Waits for any length of time. @throws the signal's reason when it is aborted */
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
