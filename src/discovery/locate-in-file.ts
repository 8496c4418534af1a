import { realPathOf } from "./real-path.ts";
import type { SourcePosition } from "./source-text.ts";

/** One line of a stack, as far as it names a file. */
export interface StackFrame extends SourcePosition {
  /** Without the query that tells versions of a module apart. */
  readonly path: string;
}

/**
 * The files an error's stack names, the place it was thrown at first. An error without a stack has none. Read from its text:
 * an error's own fields `line` and `sourceURL` name only the innermost frame, which may be a package's.
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
 * Where in a file an error comes from: the innermost line of the file in the error's stack, or in the stack of what
 * caused it. Undefined when no stack names the file, also by its real path.
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
