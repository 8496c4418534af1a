import { type BoxRenderable, type CliRenderer, StyledText, type TextChunk, TextRenderable } from "@opentui/core";
import { useRenderer, useTerminalDimensions } from "@opentui/react";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import type { ChatEntry } from "../chat/chat-entry.ts";
import { useChat } from "../ui/ui-context.ts";
import { splitEntries } from "./final-entries.ts";
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

/** Rows that the live part leaves to the input and the status. A dialog shortens it further. */
const ROWS_BELOW = 10;

/** Rows of an entry that are written at once. */
const BATCH_ROWS = 40;

/** The indentation of the conversation, as in full screen. */
const INDENT = 2;

/**
 * The chat in the terminal's own scrollback: entries are written to it once they are final, and only what is in progress is
 * drawn again. The terminal has to be open in the mode `inline`.
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
  const { entries } = useChat().model;
  const { final, live } = splitEntries(entries);
  const columns = Math.max(1, width - 2 * INDENT);
  const isCovered = fullScreen !== undefined;
  const printed = useRef<PrintedEntries | undefined>(undefined);
  printed.current ??= new PrintedEntries();
  useFullScreen(renderer, isCovered);
  useEffect(() => {
    if (isCovered) return;
    const lines = printed.current?.take(final, { columns, formatEntry, hasGapBefore }) ?? [];
    writeLines(renderer, lines);
  }, [renderer, isCovered, final, columns, formatEntry, hasGapBefore]);
  if (isCovered) return fullScreen;
  const maxRows = Math.max(1, renderer.terminalHeight - ROWS_BELOW - panelRows);
  return (
    <Footer renderer={renderer}>
      <LivePart lines={liveLines(live, { columns, formatEntry, hasGapBefore }).slice(-maxRows)} />
      {children}
    </Footer>
  );
}

function always(): boolean {
  return true;
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
  return live.flatMap((entry, index) => {
    const lines = formatEntry(entry, columns);
    // OpenTUI leaves an empty row between the scrollback and the footer.
    return index > 0 && lines.length > 0 && hasGapBefore(live[index - 1], entry) ? [[], ...lines] : lines;
  });
}

/** Knows which entries are in the scrollback. */
class PrintedEntries {
  readonly #ids = new Set<string>();
  #last: ChatEntry | undefined;

  /** The lines of those that are not, which are then. */
  take(final: readonly ChatEntry[], { columns, formatEntry, hasGapBefore }: Format): readonly StyledLine[] {
    return final.flatMap((entry) => {
      if (this.#ids.has(entry.id)) return [];
      this.#ids.add(entry.id);
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
