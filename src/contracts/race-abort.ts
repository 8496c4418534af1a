/**
 * What the work resolves to, or the reason of the signal when that is aborted first; the work is not stopped by it. An
 * aborted signal wins over work that is done already, and over the error that the abort made the work throw.
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
