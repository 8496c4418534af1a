import type { CommandDefinition } from "../commands/command.ts";
import type { HistoryMatch } from "./input-history.ts";
import type { MentionMatch } from "./mention-index.ts";

/** What is listed under the input. */
export type PromptList =
  | { readonly type: "none" }
  | { readonly type: "commands"; readonly rows: readonly CommandDefinition[] }
  | { readonly type: "mentions"; readonly rows: readonly MentionMatch[]; readonly isLoading: boolean }
  | { readonly type: "search"; readonly rows: readonly HistoryMatch[] };

/** Nothing is listed. */
export const NO_LIST: PromptList = { type: "none" };

/** The number of rows that can be selected. */
export function rowCountOf(list: PromptList): number {
  return list.type === "none" ? 0 : list.rows.length;
}

/** The part of a long list that is visible, with the selected row in it. */
export function visibleRows<Row>(
  rows: readonly Row[],
  { selected, maxRows }: { readonly selected: number; readonly maxRows: number },
): { readonly first: number; readonly rows: readonly Row[] } {
  const first = Math.max(0, Math.min(selected - Math.floor(maxRows / 2), rows.length - maxRows));
  return { first, rows: rows.slice(first, first + maxRows) };
}

/** The widths of a suggestion's columns; 0 for a column that does not fit. */
export interface SuggestionColumns {
  readonly name: number;
  readonly hint: number;
  readonly description: number;
}

const NAME_COLUMNS = 20;
const HINT_COLUMNS = 25;
/** Narrower terminals show no description. */
const MIN_COLUMNS_WITH_DESCRIPTION = 60;

/**
 * Name 20, hint 25, the description the rest. Below 60 columns there is no description, and no hint where it does not fit.
 *
 * @param columns of the terminal
 * @param roomColumns of them for the row
 */
export function suggestionColumns(columns: number, roomColumns: number): SuggestionColumns {
  if (columns >= MIN_COLUMNS_WITH_DESCRIPTION) {
    return {
      name: NAME_COLUMNS,
      hint: HINT_COLUMNS,
      description: Math.max(0, roomColumns - NAME_COLUMNS - HINT_COLUMNS),
    };
  }
  if (roomColumns >= NAME_COLUMNS + HINT_COLUMNS) {
    return { name: NAME_COLUMNS, hint: roomColumns - NAME_COLUMNS, description: 0 };
  }
  return { name: roomColumns, hint: 0, description: 0 };
}

/** A hint in its column: one longer than 23 characters ends after 20 with `...`. */
export function shortHint(hint: string): string {
  return hint.length > HINT_COLUMNS - 2 ? `${hint.slice(0, HINT_COLUMNS - 5)}...` : hint;
}
