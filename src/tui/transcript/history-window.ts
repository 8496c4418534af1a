/**
 * The part of a conversation that is mounted. Thousands of mounted entries cost seconds and hundreds of megabytes, so only
 * the end is, and what a person scrolls to.
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

/** How many entries are mounted at least while the view follows, and by how many more it may grow. */
const FOLLOWED = 100;
const STEP = 20;

/** How many entries are added at an end of the window. */
const LOADED = 40;

/** The most entries that are mounted. */
const MAX_MOUNTED = 240;

/** The view at the end of the conversation. */
export const FOLLOWING: HistoryWindow = { type: "following" };

/** The entries that are mounted. While following, the start moves in steps, so that few updates remove entries. */
export function rangeOf(window: HistoryWindow, count: number): EntryRange {
  if (window.type === "following") {
    return { start: Math.max(0, Math.ceil((count - FOLLOWED) / STEP - 1) * STEP), end: count };
  }
  const end = Math.min(window.end, count);
  return { start: Math.min(window.start, end), end };
}

/** The window when the person scrolls away from the end. */
export function browse(window: HistoryWindow, count: number): HistoryWindow {
  return window.type === "browsing" ? window : { type: "browsing", ...rangeOf(window, count), seenCount: count };
}

/** The window with earlier entries. The same object when there are none. */
export function loadEarlier(window: HistoryWindow, count: number): HistoryWindow {
  if (window.type === "following") return window;
  const { start, end } = rangeOf(window, count);
  if (start === 0) return window;
  const earlier = Math.max(0, start - LOADED);
  return { ...window, start: earlier, end: Math.min(end, earlier + MAX_MOUNTED) };
}

/** The window with later entries. It follows again when there are none. */
export function loadLater(window: HistoryWindow, count: number): HistoryWindow {
  if (window.type === "following") return window;
  const { start, end } = rangeOf(window, count);
  if (end >= count) return FOLLOWING;
  const later = Math.min(count, end + LOADED);
  return { ...window, start: Math.max(start, later - MAX_MOUNTED), end: later };
}

/** How many entries the conversation has that were not there when the person scrolled up. */
export function newCount(window: HistoryWindow, count: number): number {
  return window.type === "following" ? 0 : Math.max(0, count - window.seenCount);
}
