import { type BoxRenderable, type CliRenderer, StyledText, type TextChunk, TextRenderable } from "@opentui/core";
import { useRenderer, useTerminalDimensions } from "@opentui/react";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import { finishedPlace, splitEntries } from "./final-entries.ts";
import { coverScrollback } from "./keep-scrollback.ts";

/** One line as parts with colours, no wider than the columns and safe for a terminal. */
export type StyledLine = readonly TextChunk[];

/** Properties of {@link InlineChat}. */
export interface InlineChatProps {
  /** The lines of an entry, without indentation. */
  readonly formatEntry: (entry: ChatEntry, columns: number) => readonly StyledLine[];
  /** Whether an empty line separates two entries. @default always */
  readonly hasGapBefore?: (previous: ChatEntry | undefined, entry: ChatEntry) => boolean;
  /** Rows that the children need besides dialogs, input and status. @default 0 */
  readonly panelRows?: number;
  /** A screen that needs the whole terminal, such as a run. It covers the scrollback and leaves it as it was. */
  readonly fullScreen?: ReactNode;
  /** What is below the conversation: dialogs, input, status. */
  readonly children: ReactNode;
}

/** The empty row below the live part, the input and the status. A dialog shortens the live part further. */
const ROWS_BELOW = 5;

/** Rows of the live part in low windows. */
const MIN_LIVE_ROWS = 6;

/** For how long after a resize nothing of an unfinished answer is written to the scrollback, in milliseconds. */
const STEADY_MS = 1_000;

/** Rows of an entry that are written at once. */
const BATCH_ROWS = 40;

/** The indentation of the conversation, as in full screen. */
const INDENT = 2;

/**
 * The chat in the terminal's own scrollback: entries are written to it once they are final, and only what is in progress is
 * drawn again. Of an answer that is too long for this, the finished lines are written before its end. The terminal has to be
 * open in the mode `inline`.
 */
export function InlineChat({
  formatEntry,
  hasGapBefore = always,
  panelRows = 0,
  fullScreen,
  children,
}: InlineChatProps) {
  const renderer = useRenderer();
  const { width } = useTerminalDimensions();
  const { entries, conversation } = useChat().model;
  const columns = Math.max(1, width - 2 * INDENT);
  const isCovered = fullScreen !== undefined;
  const ref = useRef<PrintedEntries | undefined>(undefined);
  ref.current ??= new PrintedEntries();
  const printed = ref.current;
  printed.follow(conversation);
  const isSteady = useIsSteady(renderer);
  // In a window of half the width, every row takes two. Rows that leave the screen then stay in the scrollback as copies.
  const maxRows = Math.max(MIN_LIVE_ROWS, Math.floor(renderer.terminalHeight / 2) - ROWS_BELOW - panelRows);
  const format = { columns, formatEntry, hasGapBefore };
  const known = splitEntries(entries, ({ id }) => printed.lengthOf(id));
  const isLong = liveLines(known.live, format).length > maxRows;
  const { final, live } = isLong && isSteady ? splitEntries(entries, finishedPlace) : known;
  useFullScreen(renderer, isCovered);
  useEffect(() => {
    if (isCovered) return;
    writeLines(renderer, printed.take(final, { columns, formatEntry, hasGapBefore }));
  }, [renderer, printed, isCovered, final, columns, formatEntry, hasGapBefore]);
  if (isCovered) return fullScreen;
  return (
    <Footer renderer={renderer}>
      <LivePart lines={liveLines(live, format).slice(-maxRows)} />
      {children}
    </Footer>
  );
}

function always(): boolean {
  return true;
}

/** Whether the last resize was a while ago. What is written while the next one happens can get lost. */
function useIsSteady({ terminalWidth, terminalHeight }: CliRenderer): boolean {
  const { now } = useUi();
  const last = useRef({ terminalWidth, terminalHeight, at: Number.NEGATIVE_INFINITY });
  if (last.current.terminalWidth !== terminalWidth || last.current.terminalHeight !== terminalHeight) {
    last.current = { terminalWidth, terminalHeight, at: now() };
  }
  return now() - last.current.at >= STEADY_MS;
}

/**
 * As high as its content, at most the terminal without a row for the scrollback: then the live part is shortened at its start,
 * and what is below it stays whole. For components in it, the height of the renderer is that of the footer:
 * content that fills it, or depends on it, cannot also decide it.
 */
function Footer({ renderer, children }: { readonly renderer: CliRenderer; readonly children: ReactNode }) {
  const box = useRef<BoxRenderable>(null);
  const isFitting = useRef(false);
  const maxRows = Math.max(1, renderer.terminalHeight - 1);
  const fit = (): void => {
    const rows = box.current?.height ?? 0;
    // The new height may change the content's size, which must not end in an endless loop.
    if (rows === 0 || isFitting.current) return;
    isFitting.current = true;
    renderer.footerHeight = Math.min(rows, maxRows);
    isFitting.current = false;
  };
  useLayoutEffect(fit);
  return (
    <box ref={box} flexDirection="column" flexShrink={0} width="100%" maxHeight={maxRows} onSizeChange={fit}>
      {children}
    </box>
  );
}

function LivePart({ lines }: { readonly lines: readonly StyledLine[] }) {
  if (lines.length === 0) return;
  return (
    <box
      flexDirection="column"
      justifyContent="flex-end"
      flexShrink={1}
      minHeight={0}
      overflow="hidden"
      paddingX={INDENT}
      marginBottom={1}
    >
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity; each is drawn again with its content
        <text key={index} wrapMode="none" height={1} flexShrink={0} content={new StyledText([...line])} />
      ))}
    </box>
  );
}

type Format = Required<Pick<InlineChatProps, "formatEntry" | "hasGapBefore">> & { readonly columns: number };

function liveLines(live: readonly ChatEntry[], { columns, formatEntry, hasGapBefore }: Format): readonly StyledLine[] {
  const lines = live.flatMap((entry, index) => {
    const entryLines = formatEntry(entry, columns);
    return index > 0 && entryLines.length > 0 && hasGapBefore(live[index - 1], entry)
      ? [[], ...entryLines]
      : entryLines;
  });
  // OpenTUI leaves an empty row between the scrollback and the footer.
  const first = lines.findIndex((line) => line.some(({ text }) => text.trim() !== ""));
  return first === -1 ? [] : lines.slice(first);
}

/** Knows what of the entries is in the scrollback. */
class PrintedEntries {
  /** By entry, how many characters of its text. Of other entries, everything is there. */
  readonly #characters = new Map<string, number>();
  #last: ChatEntry | undefined;
  #conversation: number | undefined;

  /** Nothing of another conversation is there, whose entries have the same ids. */
  follow(conversation: number): void {
    if (this.#conversation !== conversation) this.#characters.clear();
    this.#conversation = conversation;
  }

  lengthOf(id: string): number {
    return this.#characters.get(id) ?? 0;
  }

  /** The lines that are not, which are then. */
  take(final: readonly ChatEntry[], { columns, formatEntry, hasGapBefore }: Format): readonly StyledLine[] {
    return final.flatMap((entry) => {
      const printed = this.#characters.get(entry.id);
      const length = entry.type === "text" ? entry.text.length : 0;
      if (printed !== undefined && printed >= length) return [];
      this.#characters.set(entry.id, length);
      if (printed !== undefined && entry.type === "text") {
        return formatEntry({ ...entry, text: entry.text.slice(printed) }, columns);
      }
      const lines = formatEntry(entry, columns);
      const hasGap = lines.length > 0 && hasGapBefore(this.#last, entry);
      this.#last = entry;
      return hasGap ? [[], ...lines] : lines;
    });
  }
}

function writeLines(renderer: CliRenderer, lines: readonly StyledLine[]): void {
  for (let start = 0; start < lines.length; start += BATCH_ROWS) {
    const batch = lines.slice(start, start + BATCH_ROWS);
    const chunks = batch.flatMap((line, index) => [
      ...(index === 0 ? [] : [plainChunk("\n")]),
      ...(line.length === 0 ? [] : [plainChunk(" ".repeat(INDENT)), ...line]),
    ]);
    renderer.writeToScrollback(({ renderContext, width }) => ({
      root: new TextRenderable(renderContext, {
        content: new StyledText(chunks),
        wrapMode: "none",
        width,
        height: batch.length,
      }),
      width,
      height: batch.length,
      startOnNewLine: true,
      trailingNewline: true,
    }));
  }
}

function plainChunk(text: string): TextChunk {
  return { __isChunk: true, text };
}

/** Changes between the footer and the whole terminal. */
function useFullScreen(renderer: CliRenderer, isFull: boolean): void {
  useLayoutEffect(() => (isFull ? coverScrollback(renderer) : undefined), [renderer, isFull]);
}
