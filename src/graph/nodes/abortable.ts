/**
 * Waits for work that takes no signal: rejects with the signal's reason as soon as it is aborted, and has `stop` end the
 * work, or what comes of it.
 */
export async function abortable<T>(
  start: () => Promise<T>,
  { signal, stop }: { readonly signal: AbortSignal; readonly stop: (work: Promise<T>) => Promise<void> },
): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const work = start();
  const onAbort = (): void => {
    aborted.reject(signal.reason);
    // Whatever goes wrong with it, the abort is what counts.
    stop(work).catch(() => undefined);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
