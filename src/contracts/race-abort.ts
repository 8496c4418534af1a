/**
 * Resolves to the result of the work, or rejects with the signal's reason if it is aborted first. The abort does not stop
 * the work. An aborted signal wins over finished work, and over an error that the abort caused.
 */
export async function raceAbort<T>(work: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
