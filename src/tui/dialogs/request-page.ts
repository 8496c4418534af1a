import { keepInView } from "./list-window.ts";

/** How far somebody has read a request. */
export interface ReadState {
  readonly offset: number;
  /** The lines as they were wrapped then. */
  readonly lines: readonly unknown[];
  /** So many lines were in frames, from the first one on. */
  readonly seen: number;
  /** Whether all of them were. */
  readonly isRead: boolean;
}

/** The part of a request that is visible. */
export interface RequestPage extends ReadState {
  /** The rows for it. */
  readonly room: number;
  /** So many lines are below. */
  readonly left: number;
  /** Whether it has one page. */
  readonly isShort: boolean;
  /** Whether the terminal has room for a line of it and for the choices. */
  readonly canShow: boolean;
  /** Whether all lines are read once the page is in a frame. */
  readonly isLast: boolean;
}

/** What a page depends on besides how far somebody has read. */
export interface PageOptions extends Pick<RequestPage, "lines" | "room" | "canShow"> {
  /** A line that must be visible, read or not. @default any */
  readonly row?: number | undefined;
}

/**
 * What is visible of a request, and whether all of it was in frames. Lines count as seen only when those before them were;
 * wrapped at another width, they have to be seen again.
 */
export function pageOf(state: ReadState, { lines, room, canShow, row }: PageOptions): RequestPage {
  const isSame = state.lines === lines;
  const scrolled = isSame ? Math.min(state.offset, Math.max(0, lines.length - room)) : 0;
  const offset = row === undefined ? scrolled : keepInView(row, { offset: scrolled, size: room, count: lines.length });
  const seen = isSame ? state.seen : 0;
  const end = Math.min(lines.length, offset + room);
  const isRead = canShow && state.isRead;
  const isLast = canShow && (isRead || (offset <= seen && end >= lines.length));
  const left = lines.length - end;
  return { offset, lines, seen, isRead, room, left, isShort: lines.length <= room, canShow, isLast };
}

/** What was seen once a page is in a frame. The state itself when the frame had nothing new. */
export function readPage<State extends ReadState>(state: State, page: RequestPage): State {
  const { lines, room, canShow } = page;
  const { offset, seen: before } = pageOf(state, { lines, room, canShow });
  // The state can be ahead of the page that was drawn.
  if (!canShow || page.offset > before) return state;
  const seen = Math.max(before, Math.min(lines.length, page.offset + room));
  const isRead = state.isRead || seen >= lines.length;
  const isSame = state.lines === lines && state.seen === seen && state.isRead === isRead;
  return isSame ? state : { ...state, offset, lines, seen, isRead };
}

/** The state after scrolling by so many lines: before all was seen, never past a line that was not. */
export function scrollPage(page: RequestPage, state: ReadState, by: number): ReadState {
  const { lines, room } = page;
  // Several turns of the wheel can precede the next drawing.
  const { offset: from, seen, isRead } = pageOf(state, { lines, room, canShow: page.canShow });
  const end = Math.max(0, lines.length - room);
  const last = isRead ? end : Math.min(end, seen);
  return { offset: Math.max(0, Math.min(last, from + by)), lines, seen, isRead };
}
