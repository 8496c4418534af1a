import { useState } from "react";

/** The lines that a person must see, and which of them are visible. */
export interface SeenLinesOptions {
  /** Identifies what the lines are about: those of another subject are not seen yet. */
  readonly subject: string;
  /** Identifies each line that must be seen. */
  readonly needed: readonly string[];
  /** The lines that the next frame will have. */
  readonly visible: readonly string[];
}

/** What a person has seen. */
export interface SeenLines {
  /** The lines that were never in a frame. */
  readonly unseen: readonly string[];
  /** How many will be left once the visible lines are in a frame. */
  readonly leftCount: number;
  /** The visible lines are in a frame. */
  readonly noteFrame: () => void;
}

interface Seen {
  readonly subject: string;
  readonly lines: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** Remembers which lines were in a frame: what was only rendered, nobody has seen. */
export function useSeenLines({ subject, needed, visible }: SeenLinesOptions): SeenLines {
  const [seen, setSeen] = useState<Seen>({ subject, lines: NOTHING });
  const linesOf = (state: Seen): ReadonlySet<string> => (state.subject === subject ? state.lines : NOTHING);
  const unseen = needed.filter((line) => !linesOf(seen).has(line));
  const noteFrame = (): void =>
    setSeen((before) => {
      const fresh = visible.filter((line) => !linesOf(before).has(line));
      return fresh.length === 0 ? before : { subject, lines: new Set([...linesOf(before), ...fresh]) };
    });
  return { unseen, leftCount: unseen.filter((line) => !visible.includes(line)).length, noteFrame };
}
