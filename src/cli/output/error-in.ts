import { safeText } from "../../view/index.ts";

/** An error that a call of Atomic printed for people. */
export interface PrintedError {
  readonly code: string;
  readonly message: string;
}

/** What `formatError` puts before each further line. */
const INDENT = "       ";

/**
 * The error that a call printed, after its warnings: what `formatError` was called with. Without one, the whole output, with
 * the code `RUN_NOT_STARTED`. Pure.
 */
export function errorIn(output: string): PrintedError {
  const text = safeText(output);
  const start = text.search(/^error: /m);
  if (start < 0) return { code: "RUN_NOT_STARTED", message: text.trim() };
  const [first = "", ...rest] = text.slice(start + "error: ".length).split("\n");
  const end = rest.findIndex((line) => !line.startsWith(INDENT));
  const lines = rest.slice(0, end < 0 ? undefined : end).map((line) => line.slice(INDENT.length));
  const codeAt = lines.findIndex((line) => /^\([A-Z][A-Z0-9_]*\)$/.test(line));
  const message = [first, ...(codeAt < 0 ? lines : lines.slice(0, codeAt))].reduce(joinLines);
  return { code: lines[codeAt]?.slice(1, -1) ?? "RUN_NOT_STARTED", message };
}

/** Sentences of one line were printed as lines of their own. */
function joinLines(before: string, line: string): string {
  return `${before}${/[.?]$/.test(before) && /^[A-Z]/.test(line) ? " " : "\n"}${line}`;
}
