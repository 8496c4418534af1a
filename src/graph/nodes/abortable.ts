/**
 * Waits for work that takes no signal: rejects with the signal's reason as soon as it is aborted, and has `stop` end the
 * work.
 */
export async function abortable<T>(
  start: () => Promise<T>,
  { signal, stop }: { readonly signal: AbortSignal; readonly stop: () => Promise<void> },
): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => {
    aborted.reject(signal.reason);
    // Whatever goes wrong with it, the abort is what counts.
    stop().catch(() => undefined);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, start()]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
