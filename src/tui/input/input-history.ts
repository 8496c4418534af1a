import type { Attachment } from "../chat/chat-state.ts";
import { type MarkedPart, type MarkOptions, markText } from "./marked-text.ts";

/** What is in the input, with everything that was attached to it. */
export interface Draft {
  readonly text: string;
  /** In UTF-16 units. */
  readonly cursor: number;
  /** Also those whose label was deleted: an undo brings the label back. */
  readonly attachments: readonly Attachment[];
}

/** An input without text. */
export const EMPTY_DRAFT: Draft = { text: "", cursor: 0, attachments: [] };

/** A text as a draft, with the cursor at its end. */
export function draftOf(text: string, attachments: readonly Attachment[] = []): Draft {
  return { text, cursor: text.length, attachments };
}

/** A walk through earlier messages. */
export interface HistoryWalk {
  /** The messages, the oldest first, and what was in the input before the walk. What was changed on the way is kept. */
  readonly drafts: readonly Draft[];
  readonly index: number;
}

/** Earlier messages, each text once, where it was sent last. The oldest first. */
export function foldDuplicates(drafts: readonly Draft[]): readonly Draft[] {
  const last = new Map(drafts.map(({ text }, index) => [text, index]));
  return drafts.filter(({ text }, index) => text.trim() !== "" && last.get(text) === index);
}

/** Starts a walk from what is in the input. */
export function startWalk(history: readonly Draft[], current: Draft): HistoryWalk {
  const drafts = [...foldDuplicates(history), current];
  return { drafts, index: drafts.length - 1 };
}

/** A step to the older (-1) or the newer (1) message. Undefined at the end. */
export function stepWalk(
  walk: HistoryWalk,
  { by, current }: { readonly by: -1 | 1; readonly current: Draft },
): HistoryWalk | undefined {
  const index = walk.index + by;
  if (walk.drafts[index] === undefined) return undefined;
  return { drafts: walk.drafts.with(walk.index, current), index };
}

/** A message that contains what is searched. */
export interface HistoryMatch {
  readonly draft: Draft;
  /** The first match. */
  readonly from: number;
  readonly to: number;
}

/** The messages that contain a text, without regard to case, the newest first, each once. */
export function searchHistory(history: readonly Draft[], query: string): readonly HistoryMatch[] {
  const wanted = query.toLowerCase();
  return foldDuplicates(history)
    .toReversed()
    .map((draft) => {
      const from = draft.text.toLowerCase().indexOf(wanted);
      return { draft, from, to: from + wanted.length };
    })
    .filter(({ from }) => from !== -1);
}

/** The columns before a match that is far from the start of its message. */
const COLUMNS_BEFORE_MATCH = 12;

/** A match in one line, shortened at the start when the match would not be visible, and at the end. */
export function lineOfMatch(
  { draft, from, to }: HistoryMatch,
  { maxColumns, ellipsis }: Pick<MarkOptions, "maxColumns" | "ellipsis">,
): readonly MarkedPart[] {
  const isFar = to > maxColumns - COLUMNS_BEFORE_MATCH;
  const start = isFar ? Math.max(0, from - COLUMNS_BEFORE_MATCH) : 0;
  const lead = start === 0 ? "" : ellipsis;
  const text = lead + draft.text.slice(start).replace(/\s/g, " ");
  const positions = Array.from({ length: to - from }, (_, index) => lead.length + from - start + index);
  return markText(text, { positions, maxColumns, ellipsis });
}
