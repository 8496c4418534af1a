/** A duration for people, in seconds if it is a whole number of them. */
export function formatMs(durationMs: number): string {
  return durationMs % 1_000 === 0 ? `${durationMs / 1_000} s` : `${durationMs} ms`;
}
