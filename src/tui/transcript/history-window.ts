import type { ChatEntry } from "../chat/chat-entry.ts";
import { sizeOf } from "./entry-size.ts";

/**
 * The part of a conversation that is mounted. Thousands of mounted entries cost seconds and hundreds of megabytes, and so do
 * a hundred long messages: only the end is mounted, and what a person scrolls to. Entries are limited by number and by size.
 */
export type HistoryWindow =
  /** The end, as it grows. */
  | { readonly type: "following" }
  /** A fixed part, because the person scrolled up. */
  | {
      readonly type: "browsing";
      readonly start: number;
      readonly end: number;
      /** How many entries there were when they scrolled up. */
      readonly seenCount: number;
    };

/** Entries from `start` to before `end`. */
export interface EntryRange {
  readonly start: number;
  readonly end: number;
}

/** The entries of a conversation, the oldest first. */
type Entries = readonly ChatEntry[];

/** How many entries, and of what size, {@link sizeOf}. */
interface Amount {
  readonly count: number;
  readonly size: number;
}

/** The least that is mounted while the view follows. All of it costs time in each frame. */
const FOLLOWED: Amount = { count: 40, size: 160 };

/** The number of entries may grow by so many more. */
const STEP = 20;

/** What is mounted while a view of so many rows follows: another view above it, also when each entry takes one row. */
function followedIn(rows: number): Amount {
  return { count: Math.max(FOLLOWED.count, 2 * rows), size: Math.max(FOLLOWED.size, 4 * rows) };
}

/** What is added at an end of the window. */
const LOADED: Amount = { count: 40, size: 250 };

/** The most that is mounted. */
const MAX_MOUNTED: Amount = { count: 240, size: 1_500 };

/** So many entries at the end that the person looks at stay mounted whatever their size. */
const KEPT_COUNT = 4;

/** The view at the end of the conversation. */
export const FOLLOWING: HistoryWindow = { type: "following" };

/**
 * The entries that are mounted. While following, the start moves in steps, so that few updates remove entries.
 *
 * @param rows the height of the view, or more
 */
export function rangeOf(window: HistoryWindow, entries: Entries, rows: number): EntryRange {
  const count = entries.length;
  if (window.type === "following") {
    const followed = followedIn(rows);
    const bySize = Math.min(startBefore(entries, { end: count, size: followed.size }), count - KEPT_COUNT);
    const byCount = Math.ceil((count - followed.count) / STEP - 1) * STEP;
    return { start: Math.max(0, byCount, bySize), end: count };
  }
  return clamp(window, entries);
}

/** The part of a fixed window that is still there. */
function clamp({ start, end }: EntryRange, { length }: Entries): EntryRange {
  return { start: Math.min(start, end, length), end: Math.min(end, length) };
}

/** The window when the person scrolls away from the end. */
export function browse(window: HistoryWindow, entries: Entries, rows: number): HistoryWindow {
  if (window.type === "browsing") return window;
  return { type: "browsing", ...rangeOf(window, entries, rows), seenCount: entries.length };
}

/** The window with earlier entries. The same object when there are none. */
export function loadEarlier(window: HistoryWindow, entries: Entries): HistoryWindow {
  if (window.type === "following") return window;
  const { start, end } = clamp(window, entries);
  if (start === 0) return window;
  const loaded = startBefore(entries, { end: start, size: LOADED.size });
  const earlier = Math.max(0, start - LOADED.count, loaded);
  const fitting = endAfter(entries, { start: earlier, size: MAX_MOUNTED.size });
  const last = Math.max(start + KEPT_COUNT, Math.min(earlier + MAX_MOUNTED.count, fitting));
  return { ...window, start: earlier, end: Math.min(end, last) };
}

/** The window with later entries. It follows again when there are none. */
export function loadLater(window: HistoryWindow, entries: Entries): HistoryWindow {
  if (window.type === "following") return window;
  const { start, end } = clamp(window, entries);
  if (end >= entries.length) return FOLLOWING;
  const later = Math.min(end + LOADED.count, endAfter(entries, { start: end, size: LOADED.size }));
  const fitting = startBefore(entries, { end: later, size: MAX_MOUNTED.size });
  const first = Math.min(end - KEPT_COUNT, Math.max(later - MAX_MOUNTED.count, fitting));
  return { ...window, start: Math.max(start, first), end: later };
}

/** The first of the entries before `end` that together are of a size; at least one entry. */
function startBefore(entries: Entries, { end, size }: { readonly end: number; readonly size: number }): number {
  let start = end;
  for (let left = size; start > 0; start--) {
    left -= sizeAt(entries, start - 1);
    if (left < 0 && start < end) break;
  }
  return start;
}

/** The end of the entries from `start` on that together are of a size; at least one entry. */
function endAfter(entries: Entries, { start, size }: { readonly start: number; readonly size: number }): number {
  let end = start;
  for (let left = size; end < entries.length; end++) {
    left -= sizeAt(entries, end);
    if (left < 0 && end > start) break;
  }
  return end;
}

function sizeAt(entries: Entries, index: number): number {
  const entry = entries[index];
  return entry === undefined ? 0 : sizeOf(entry);
}

/** How many entries the conversation has that were not there when the person scrolled up. */
export function newCount(window: HistoryWindow, count: number): number {
  return window.type === "following" ? 0 : Math.max(0, count - window.seenCount);
}
