/** How far somebody has read a request. */
export interface ReadState {
  readonly offset: number;
  /** The lines as they were wrapped then. */
  readonly lines: readonly unknown[];
  /** So many lines were visible before, from the first one on. */
  readonly seen: number;
  /** Whether all of them were visible before. */
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
}

/**
 * What is visible of a request, and whether all of it was. Lines count as seen only when those before them were; wrapped at
 * another width, they have to be seen again.
 */
export function pageOf(
  state: ReadState,
  { lines, room, canShow }: { readonly lines: readonly unknown[]; readonly room: number; readonly canShow: boolean },
): RequestPage {
  const isSame = state.lines === lines;
  const offset = isSame ? Math.min(state.offset, Math.max(0, lines.length - room)) : 0;
  const before = isSame ? state.seen : 0;
  const end = Math.min(lines.length, offset + room);
  const seen = canShow && offset <= before ? Math.max(before, end) : before;
  const isRead = canShow && (state.isRead || seen >= lines.length);
  return { offset, lines, seen, isRead, room, left: lines.length - end, isShort: lines.length <= room, canShow };
}

/** The state after scrolling by so many lines: before all was seen, never past a line that was not. */
export function scrollPage(
  { lines, room, offset, seen, isRead }: RequestPage,
  state: ReadState,
  by: number,
): ReadState {
  // Several turns of the wheel can precede the next drawing.
  const from = state.lines === lines ? state.offset : offset;
  const end = Math.max(0, lines.length - room);
  const last = isRead ? end : Math.min(end, seen);
  return { offset: Math.max(0, Math.min(last, from + by)), lines, seen, isRead };
}
