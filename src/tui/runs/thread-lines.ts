import type { ChatModel } from "../chat/chat-model.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { entryToLines, hasGapBefore } from "../transcript/entry-to-lines.ts";
import { type LineTone, splitMarks, type TranscriptLine } from "../transcript/transcript-line.ts";
import { fitLine, type Line, span, type Tone } from "./line.ts";

/** How a thread is drawn. */
export interface ThreadLayout {
  readonly columns: number;
  readonly rows: number;
  /** How many lines it is scrolled up from its end. */
  readonly scroll: number;
  readonly glyphs: Glyphs;
  readonly now: number;
  /** Whether prompts are shown in full. @default false */
  readonly isFull?: boolean;
}

/** A prompt is context in a small pane: a workflow wrote it. */
const SHORT_PROMPT = { maxLines: 2, maxCharacters: 600 } as const;

const TONES: Readonly<Record<LineTone, Tone>> = {
  text: "text",
  user: "muted",
  muted: "muted",
  accent: "accent",
  success: "success",
  warning: "warning",
  error: "error",
  added: "success",
  removed: "error",
  heading: "accent",
  code: "text",
};

/**
 * The last lines of an agent's thread, and how far it can be scrolled up: at least that far, because only the entries that
 * are needed are laid out.
 */
export function threadLines(
  model: ChatModel,
  layout: ThreadLayout,
): { readonly lines: readonly Line[]; readonly scroll: number } {
  const { columns, rows, scroll, glyphs, now, isFull = false } = layout;
  const wanted = rows + scroll;
  const { entries } = model;
  let collected: Line[] = [];
  for (let index = entries.length - 1; index >= 0 && collected.length < wanted; index--) {
    const entry = entries[index];
    if (entry === undefined) break;
    const clip = entry.type === "user" && !isFull ? { clip: SHORT_PROMPT } : {};
    const lines = entryToLines(entry, { columns, glyphs, now, ...clip });
    if (lines.length === 0) continue;
    const gap = hasGapBefore(entries[index - 1], entry) ? [fitLine([], [], columns)] : [];
    const drawn = lines.map((line) => fitLine(spansOf(line), [], columns));
    collected = [...gap, ...drawn, ...collected];
  }
  const possible = Math.max(0, Math.min(scroll, collected.length - rows));
  const end = collected.length - possible;
  return { lines: collected.slice(Math.max(0, end - rows), end), scroll: possible };
}

/** A line with its marks, as in the chat. */
function spansOf(line: TranscriptLine): Line {
  const { text, tone } = line;
  return splitMarks(line, { start: 0, end: text.length }).map((part) =>
    span(part.text, TONES[tone], {
      isBold: tone === "heading" || part.tones.includes("strong"),
      isItalic: part.tones.includes("emphasis"),
      isUnderlined: part.tones.includes("link"),
      isCode: tone === "code" || part.tones.includes("code"),
    }),
  );
}
