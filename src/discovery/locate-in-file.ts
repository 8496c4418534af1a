import { realPathOf } from "./real-path.ts";
import type { SourcePosition } from "./source-text.ts";

/** A line of a stack that names a file. */
export interface StackFrame extends SourcePosition {
  /** Without the query that identifies the module's version. */
  readonly path: string;
}

/**
 * The files in an error's stack, innermost first; empty without a stack. They are parsed from the text, because the
 * error's fields `line` and `sourceURL` name only the innermost frame, which may be a package's.
 */
export function listStackFrames(error: unknown): readonly StackFrame[] {
  if (!(error instanceof Error) || typeof error.stack !== "string") return [];
  return error.stack.split("\n").flatMap((text) => {
    const match = /^\s+at (?:async )?(?:.*\()?(?:file:\/\/)?(\/.*?|[A-Za-z]:[\\/].*?)(?:\?v=\w+)?:(\d+):(\d+)\)?$/.exec(
      text,
    );
    return match ? [{ path: match[1] ?? "", line: Number(match[2]), column: Number(match[3]) }] : [];
  });
}

/**
 * The place in a file where an error comes from: the file's innermost line in the error's stack, or in that of its cause.
 * Undefined when no stack names the file, by either of its paths.
 */
export function locateInFile(error: unknown, path: string): SourcePosition | undefined {
  const paths = [path, realPathOf(path)];
  const seen = new Set<unknown>();
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current);
    const frame = listStackFrames(current).find((candidate) => paths.includes(candidate.path));
    if (frame) return { line: frame.line, column: frame.column };
  }
  return undefined;
}
