import { useRef } from "react";

/** The lines of a question, and where they are visible. */
export interface SeenLines {
  /** Identifies how the lines are wrapped: lines that were wrapped otherwise are not seen yet. */
  readonly subject: string;
  readonly count: number;
  /** The visible lines. */
  readonly visible: readonly number[];
}

/** Returns how many lines were never visible. */
export function useUnseenLines({ subject, count, visible }: SeenLines): number {
  const seen = useRef({ subject, lines: new Set<number>() });
  if (seen.current.subject !== subject) seen.current = { subject, lines: new Set() };
  for (const line of visible) seen.current.lines.add(line);
  return count - seen.current.lines.size;
}
