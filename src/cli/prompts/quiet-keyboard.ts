import type { Readable } from "node:stream";

/** A question is shown after this long without a key, in milliseconds. */
const QUIET_MS = 300;

/** Ctrl+C in raw mode. */
const CANCEL = "\u0003";

/**
 * Waits until no key is pressed, and discards the keys typed so far: a key that was meant for something else, or is held
 * down, must not answer a question that is not yet visible. Returns false when Ctrl+C was among the keys.
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
  // A closed input sends no more keys.
  const onEnd = (): void => resolve(true);
  signal?.addEventListener("abort", onAbort, { once: true });
  // The previous question has paused the input; adding a listener does not resume it.
  input.on("data", onData).once("end", onEnd).resume();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    input.off("data", onData).off("end", onEnd).pause();
    // In raw mode Ctrl+C would be an unread key. The next prompt enables raw mode itself.
    setRawMode(input, false);
  }
}

/** Without raw mode a terminal sends keys only at the end of a line. */
export function setRawMode(input: Readable, isRaw: boolean): void {
  const setMode: unknown = Reflect.get(input, "setRawMode");
  if (typeof setMode === "function") setMode.call(input, isRaw);
}
