import type { Readable } from "node:stream";

/** How long no key may have been pressed before a question is shown, in milliseconds. */
const QUIET_MS = 300;

/** What Ctrl+C sends in raw mode. */
const CANCEL = "\u0003";

/**
 * Waits until nobody presses a key, and forgets what was typed until then: a key that was meant for something else, or is
 * held down, must not answer a question that nobody has seen. False when Ctrl+C was among the keys.
 */
export async function waitForQuietKeyboard(input: Readable, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return true;
  setRawMode(input, true);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let timer = setTimeout(() => resolve(true), QUIET_MS);
  const onData = (chunk: unknown): void => {
    if (String(chunk).includes(CANCEL)) resolve(false);
    clearTimeout(timer);
    timer = setTimeout(() => resolve(true), QUIET_MS);
  };
  const onAbort = (): void => resolve(true);
  // An input that has ended presses no keys.
  const onEnd = (): void => resolve(true);
  signal?.addEventListener("abort", onAbort, { once: true });
  // The question before has paused it, and no listener ends that.
  input.on("data", onData).once("end", onEnd).resume();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    input.off("data", onData).off("end", onEnd).pause();
    // In raw mode Ctrl+C would be a key that nobody reads: a prompt that follows turns it on for itself.
    setRawMode(input, false);
  }
}

/** Without it a terminal hands keys over a line at a time, and those before a line's end later. */
export function setRawMode(input: Readable, isRaw: boolean): void {
  const setMode: unknown = Reflect.get(input, "setRawMode");
  if (typeof setMode === "function") setMode.call(input, isRaw);
}
