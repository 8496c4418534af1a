import type { Renderable, ScrollBoxRenderable } from "@opentui/core";
import { useRenderer } from "@opentui/react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { browse, FOLLOWING, type HistoryWindow, loadEarlier, loadLater } from "./history-window.ts";

/** The entry at the top of the view, and how many rows above the view it starts. */
interface Anchor {
  readonly child: Renderable;
  readonly offset: number;
}

/** Columns and rows of the terminal. */
interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The mounted part of the conversation, and what moves it. */
export interface History {
  readonly window: HistoryWindow;
  readonly scroll: RefObject<ScrollBoxRenderable | null>;
  /** Called after each frame. */
  readonly onFrame: () => void;
  /** Shows the end again. */
  readonly follow: () => void;
  /** The width of the conversation in columns. */
  readonly width: number;
}

/**
 * Mounts more of the history where the person scrolls, and keeps what they look at in its place:
 * 1. A frame records the entry at the top of the view.
 * 2. When other entries are mounted, or the height of the content changes, the position is set so that this entry stays
 *    where it was. This happens before the frame is drawn.
 * 3. Entries are only loaded after a frame, so that 1 knows where the person scrolled.
 */
export function useHistory(entries: readonly ChatEntry[], terminal: TerminalSize): History {
  const renderer = useRenderer();
  const [window, setWindow] = useState<HistoryWindow>(FOLLOWING);
  const [width, setWidth] = useState(terminal.width);
  const scroll = useRef<ScrollBoxRenderable>(null);
  const anchor = useRef<Anchor | undefined>(undefined);
  const latest = useRef({ window, entries, width, rows: terminal.height, isChanging: false });
  latest.current = { window, entries, width, rows: terminal.height, isChanging: latest.current.isChanging };

  useLayoutEffect(() => {
    latest.current.isChanging = false;
    const box = scroll.current;
    if (box === null) return;
    if (window.type === "following") return box.scrollTo(box.scrollHeight);
    // As many entries can be added as are removed: the height stays the same then, and nothing is reported.
    renderer.root.calculateLayout();
    restore(box, anchor.current);
  }, [window, renderer]);
  useEffect(() => {
    const box = scroll.current;
    const onResize = (): void => {
      if (box !== null && latest.current.window.type === "browsing") restore(box, anchor.current);
    };
    box?.content.on("resize", onResize);
    return () => void box?.content.off("resize", onResize);
  }, []);

  const change = (next: HistoryWindow): void => {
    if (next === latest.current.window) return;
    latest.current.isChanging = true;
    setWindow(next);
  };
  // The same function at each render: a property that changes costs a layout.
  const [onFrame] = useState(() => () => {
    const box = scroll.current;
    if (box === null) return;
    if (box.viewport.width !== latest.current.width) setWidth(box.viewport.width);
    anchor.current = findAnchor(box);
    if (!latest.current.isChanging) change(nextWindow(box, latest.current));
  });
  return { window, scroll, width, onFrame, follow: () => change(FOLLOWING) };
}

function restore(box: ScrollBoxRenderable, anchor: Anchor | undefined): void {
  if (anchor === undefined || anchor.child.isDestroyed) return;
  box.scrollTop = anchor.child.getLayoutNode().getComputedLayout().top - anchor.offset;
}

function findAnchor(box: ScrollBoxRenderable): Anchor | undefined {
  const top = box.viewport.y;
  const child = box.content.getChildren().find(({ y, height }) => y + height > top);
  return child === undefined ? undefined : { child, offset: child.y - top };
}

function nextWindow(
  box: ScrollBoxRenderable,
  {
    window,
    entries,
    rows,
  }: { readonly window: HistoryWindow; readonly entries: readonly ChatEntry[]; readonly rows: number },
): HistoryWindow {
  const page = box.viewport.height;
  const isAtEnd = box.scrollTop >= box.scrollHeight - page;
  if (window.type === "following") return isAtEnd ? window : browse(window, entries, rows);
  if (isAtEnd) return loadLater(window, entries);
  return box.scrollTop < page ? loadEarlier(window, entries) : window;
}
