import type { ChangedLine } from "../../view/index.ts";
import { type Match, matchFrom } from "./search-rows.ts";
import { AT_END, type RowSpace, reveal, rowOf, type TranscriptCursor } from "./transcript-cursor.ts";

/** What the person does in the transcript view. */
export type TranscriptMode =
  | { readonly type: "reading" }
  | { readonly type: "searching" }
  | { readonly type: "commenting"; readonly line: ChangedLine };

/** The state of the transcript view. */
export interface TranscriptState {
  readonly cursor: TranscriptCursor;
  readonly mode: TranscriptMode;
  readonly query: string;
  /** Which match the person is at. */
  readonly matchIndex: number;
  /** Where the cursor was when the search started, so that each further letter searches from there. */
  readonly searchFrom: number;
}

/** Opened at the end of the conversation. */
export const OPENED: TranscriptState = {
  cursor: AT_END,
  mode: { type: "reading" },
  query: "",
  matchIndex: 0,
  searchFrom: 0,
};

/** The state when the person starts to type a search. */
export function startSearch(state: TranscriptState, space: RowSpace): TranscriptState {
  return { ...state, mode: { type: "searching" }, query: "", searchFrom: rowOf(state.cursor, space) };
}

/** The state with another search, at its first match from where it started. */
export function search(
  state: TranscriptState,
  query: string,
  { matches, space }: { readonly matches: readonly Match[]; readonly space: RowSpace },
): TranscriptState {
  const found = { ...state, query, matchIndex: matchFrom(matches, state.searchFrom) };
  return showMatch(found, matches, space);
}

/** The state at the next or the previous match; after the last one comes the first. */
export function stepMatch(
  state: TranscriptState,
  delta: number,
  { matches, space }: { readonly matches: readonly Match[]; readonly space: RowSpace },
): TranscriptState {
  if (matches.length === 0) return state;
  const matchIndex = (state.matchIndex + delta + matches.length) % matches.length;
  return showMatch({ ...state, matchIndex }, matches, space);
}

function showMatch(state: TranscriptState, matches: readonly Match[], space: RowSpace): TranscriptState {
  const match = matches[state.matchIndex];
  return match === undefined ? state : { ...state, cursor: reveal(state.cursor, match.row, space) };
}

/** Where the person is in the search: `3/17`, `no match`. Empty without a search. */
export function describeSearch({ query, matchIndex }: TranscriptState, matchCount: number): string {
  if (query === "") return "";
  return matchCount === 0 ? "no match" : `${matchIndex + 1}/${matchCount}`;
}
