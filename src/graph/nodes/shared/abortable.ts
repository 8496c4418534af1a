import { raceAbort } from "../../../contracts/index.ts";

/**
 * Waits for work that takes no signal: rejects with the signal's reason as soon as it is aborted, and has `stop` end the
 * work, or what comes of it.
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
    // Whatever goes wrong with it, the abort is what counts.
    if (signal.aborted) stop(work).catch(() => undefined);
    throw error;
  }
}
