import { safeLine } from "../../view/index.ts";

/** Fewer columns of a hint say nothing. */
const MIN_COLUMNS = 4;

/** Where the hint is drawn. */
export interface GhostPlace {
  /** The column of the cursor in the text field. */
  readonly column: number;
  /** The width of the text field. */
  readonly fieldColumns: number;
  /** Whether there is a space before the cursor. */
  readonly isAfterSpace: boolean;
}

/**
 * The hint after the cursor, as wide as the row has room. Without a space before the cursor, it starts one column later:
 * it does not move when the space is typed. Undefined when there is no room.
 */
export function fitGhost(
  hint: string,
  { column, fieldColumns, isAfterSpace }: GhostPlace,
): { readonly text: string; readonly column: number } | undefined {
  const start = isAfterSpace ? column : column + 1;
  const room = fieldColumns - start;
  return hint === "" || room < MIN_COLUMNS ? undefined : { text: safeLine(hint, room), column: start };
}

/** What an empty input says: as many of the parts as fit. */
export function fitPlaceholder(parts: readonly string[], columns: number): string {
  return parts.reduce((line, part) => {
    const longer = line === "" ? part : `${line}   ${part}`;
    return longer.length <= columns ? longer : line;
  }, "");
}
