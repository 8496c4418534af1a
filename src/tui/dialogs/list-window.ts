/** A part of a list that fits the screen. */
export interface ListWindow {
  /** The index of the first item that is shown. */
  readonly offset: number;
  /** How many items are shown. */
  readonly size: number;
  readonly count: number;
}

/** The window moved as little as possible, so that an item is in it. */
export function keepInView(selected: number, { offset, size, count }: ListWindow): number {
  const last = Math.max(0, count - size);
  const moved = selected < offset ? selected : selected >= offset + size ? selected - size + 1 : offset;
  return Math.min(last, Math.max(0, moved));
}

/** An index moved by some items, within the list. */
export function moveIndex(index: number, { by, count }: { readonly by: number; readonly count: number }): number {
  return Math.max(0, Math.min(count - 1, index + by));
}
