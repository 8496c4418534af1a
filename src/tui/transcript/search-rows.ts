import type { TranscriptRow } from "./transcript-rows.ts";

/** A place where a text was found. */
export interface Match {
  readonly row: number;
  /** In characters of the row's text. */
  readonly start: number;
  readonly end: number;
}

/** More than anybody steps through. */
const MAX_MATCHES = 9_999;

/** Where a text is in the rows, without regard to case. A text that two rows share is not found. */
export function searchRows(rows: readonly TranscriptRow[], query: string): readonly Match[] {
  if (query === "") return [];
  const pattern = new RegExp(RegExp.escape(query), "giu");
  const matches: Match[] = [];
  for (const [row, { line }] of rows.entries()) {
    for (const { index, 0: found } of line.text.matchAll(pattern)) {
      matches.push({ row, start: index, end: index + found.length });
      if (matches.length === MAX_MATCHES) return matches;
    }
  }
  return matches;
}

/** The first match at or after a row, from the start again when there is none. */
export function matchFrom(matches: readonly Match[], row: number): number {
  const index = matches.findIndex((match) => match.row >= row);
  return index === -1 ? 0 : index;
}
