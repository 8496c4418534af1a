/** The replacement of a secret. With a group, so that `split` keeps it. */
export const LABEL = /(\[redacted(?::[\w.-]{1,100})?\])/;

/** The text for a secret; `name` is that of the variable or setting that it comes from. */
export function labelOf(name?: string): string {
  const safe = name?.replace(/[^\w.-]+/g, "_").slice(0, 100) ?? "";
  return safe === "" ? "[redacted]" : `[redacted:${safe}]`;
}
