import type { PermissionDecision } from "../../contracts/index.ts";
import type { ChangedLine } from "../../view/index.ts";
import {
  commentOn,
  type DiffComments,
  formatComments,
  NO_COMMENTS,
  withNeighbours,
  writeComment,
} from "../chat/diff-comments.ts";
import { type Keymap, type PressedKey, textOf } from "../keys/keymap.ts";
import { moveIndex } from "./list-window.ts";
import type { PermissionLine } from "./permission-lines.ts";

/** The comments that a person writes on the lines of a change before they answer. */
export interface CommentState {
  readonly comments: DiffComments;
  /** Which of the changed lines the cursor is on, from 0. Absent while the person does not choose a line. */
  readonly cursor: number | undefined;
  /** The comment that is being written on that line. */
  readonly draft: string | undefined;
}

/** Nothing is written yet. */
export const NOTHING_WRITTEN: CommentState = { comments: NO_COMMENTS, cursor: undefined, draft: undefined };

/** A line of a file that the request shows, and its first row. */
export interface CommentPlace {
  readonly row: number;
  readonly change: ChangedLine;
}

/** The lines that a person can comment on. A long line of a file has several rows. */
export function commentPlaces(lines: readonly PermissionLine[]): readonly CommentPlace[] {
  return lines.flatMap(({ change }, row) =>
    change === undefined || lines[row - 1]?.change === change ? [] : [{ row, change }],
  );
}

/** The place of the cursor. Where fewer lines are shown than before, the last one. */
export function cursorPlace(places: readonly CommentPlace[], { cursor }: CommentState): CommentPlace | undefined {
  return cursor === undefined ? undefined : places[Math.min(cursor, places.length - 1)];
}

/** The cursor on the first line that is visible from a row on, or on the last one. */
export function startCommenting(state: CommentState, places: readonly CommentPlace[], row: number): CommentState {
  if (places.length === 0) return state;
  const visible = places.findIndex((place) => place.row >= row);
  return { ...state, cursor: visible === -1 ? places.length - 1 : visible, draft: undefined };
}

/** The cursor so many lines further, within the lines. */
export function moveCursor(state: CommentState, places: readonly CommentPlace[], by: number): CommentState {
  return { ...state, cursor: moveIndex(state.cursor ?? 0, { by, count: places.length }) };
}

/** The comments with the one that is being written. The cursor stays. */
export function keepDraft(state: CommentState, places: readonly CommentPlace[]): CommentState {
  const place = cursorPlace(places, state);
  if (place === undefined || state.draft === undefined) return { ...state, draft: undefined };
  const line = withNeighbours(
    place.change,
    places.map(({ change }) => change),
  );
  return { ...state, comments: writeComment(state.comments, line, state.draft), draft: undefined };
}

interface CommentKeysOptions {
  readonly keymap: Keymap;
  readonly state: CommentState;
  readonly places: readonly CommentPlace[];
  /** The rows of a page. */
  readonly room: number;
}

/** What a key changes while the person chooses a line or writes. Undefined for a key of the text that is being written. */
export function stateAfterKey(key: PressedKey, options: CommentKeysOptions): CommentState | undefined {
  const { keymap, state, places, room } = options;
  const isStop = keymap.matches("stop", key);
  if (state.draft !== undefined) {
    if (isStop) return { ...state, draft: undefined };
    return key.name === "return" ? keepDraft(state, places) : undefined;
  }
  if (isStop) return { ...state, cursor: undefined };
  const back = keymap.matches("previous", key) || (key.name === "tab" && key.shift);
  if (back) return moveCursor(state, places, -1);
  if (keymap.matches("next", key) || key.name === "tab") return moveCursor(state, places, 1);
  if (keymap.matches("pageUp", key)) return moveCursor(state, places, -room);
  if (keymap.matches("pageDown", key) || key.name === "space") return moveCursor(state, places, room);
  const place = cursorPlace(places, state);
  if (place === undefined || (key.name !== "return" && textOf(key) !== "c")) return state;
  return { ...state, draft: commentOn(state.comments, place.change)?.text ?? "" };
}

/** A decision and what the person wrote: a "no" has the comments in its reason, after a "yes" they are a message. */
export function answerWith(
  decision: PermissionDecision,
  comments: DiffComments,
): { readonly decision: PermissionDecision; readonly message?: string } {
  if (comments.comments.length === 0) return { decision };
  const message = formatComments(comments);
  if (decision.type !== "deny") return { decision, message };
  return { decision: { ...decision, reason: `${decision.reason}\n\n${message}` } };
}
