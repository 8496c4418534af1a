import { raceAbort } from "../../../contracts/index.ts";

/**
 * Waits for work that takes no signal. Rejects with the signal's reason as soon as it is aborted, and calls `stop` to end
 * the work or to dispose of its result.
 */
export async function abortable<T>(
  start: () => Promise<T>,
  { signal, stop }: { readonly signal: AbortSignal; readonly stop: (work: Promise<T>) => Promise<void> },
): Promise<T> {
  signal.throwIfAborted();
  const work = start();
  try {
    return await raceAbort(work, signal);
  } catch (error) {
    // The abort wins over any error of `stop`.
    if (signal.aborted) stop(work).catch(() => undefined);
    throw error;
  }
}
