/** A span of time as an outline or a report shows it: in seconds where they are whole ones. */
export function formatMs(durationMs: number): string {
  return durationMs % 1_000 === 0 ? `${durationMs / 1_000} s` : `${durationMs} ms`;
}
