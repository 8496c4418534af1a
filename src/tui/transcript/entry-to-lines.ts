import { columnsOf, formatCost, formatCount, formatDuration, safeLine } from "../../view/index.ts";
import {
  type ChatEntry,
  type ShellEntry,
  type SubagentEntry,
  type ToolEntry,
  type TurnEndEntry,
  type UserEntry,
  wholeTextOf,
} from "../chat/chat-entry.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { fitCard, formatCard } from "./card.ts";
import { type ClipOptions, clipText } from "./clip-text.ts";
import { type CardEntry, describeEntry, diffOf, isCard, isRunning } from "./describe-entry.ts";
import { diffToLines } from "./diff-to-lines.ts";
import { markdownToLines } from "./markdown-to-lines.ts";
import { isListOpenAtFirst, listToLines, toolListOf } from "./tool-lists.ts";
import { indentLine, type LineTone, type TranscriptLine, wrapColumns } from "./transcript-line.ts";

/** How an entry is shown. */
export interface EntryLayout {
  /** The width, without the indentation of the conversation. */
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** Whether a tool, a thought or a sub-agent shows its details. @default {@link isOpenAtFirst} */
  readonly isOpen?: boolean;
  /** The current time, for what is in progress. @default when the entry started */
  readonly now?: number;
  /** In front of paths of the project, which are shown without it. */
  readonly workingDirectory?: string;
  /** Whether pasted texts are shown in place of their labels. @default false */
  readonly hasPastes?: boolean;
  /** How much of a tool's output and of a message is shown. @default 200 lines, 20,000 characters */
  readonly clip?: Pick<ClipOptions, "maxLines" | "maxCharacters">;
}

/** What is shown of one entry in the conversation. */
export const ENTRY_CLIP = { maxLines: 200, maxCharacters: 20_000 } as const;

/** What is shown of a command in progress. */
const RUNNING_LINES = 3;

/** The longest diff that is open before anybody opens it, in lines. */
const MAX_OPEN_DIFF = 26;

/** The indentation of a card's details. */
const DETAIL_INDENT = "    ";

/** Whether an entry shows its details before anybody opens or folds it: failures, and changes that are not long. */
export function isOpenAtFirst(entry: ChatEntry): boolean {
  switch (entry.type) {
    case "tool": {
      const list = toolListOf(entry);
      if (list !== undefined && isListOpenAtFirst(list, entry.status)) return true;
      const diffLines = diffOf(entry).reduce((sum, { lines }) => sum + lines.length, 0);
      return entry.status === "failed" || (diffLines > 0 && diffLines <= MAX_OPEN_DIFF);
    }
    case "subagent":
      return entry.status === "failed";
    case "shell":
      return true;
    default:
      return false;
  }
}

/** Whether a turn's end is worth a line: it was long, or it did not complete. */
export function isInteresting({ outcome, durationMs }: TurnEndEntry): boolean {
  return outcome !== "completed" || durationMs > 10_000;
}

/** Whether an empty line separates an entry from the one before. Calls of tools that follow each other are a group. */
export function hasGapBefore(previous: ChatEntry | undefined, entry: ChatEntry): boolean {
  if (previous === undefined || (entry.type === "turn-end" && !isInteresting(entry))) return false;
  return !(isCard(previous) && isCard(entry) && previous.type !== "shell" && entry.type !== "shell");
}

/** An entry as lines that are safe for a terminal and no wider than the columns, without the empty line before it. */
export function entryToLines(entry: ChatEntry, layout: EntryLayout): readonly TranscriptLine[] {
  const { columns, glyphs, clip = ENTRY_CLIP } = layout;
  switch (entry.type) {
    case "user":
      return userToLines(entry, layout);
    case "text": {
      const { lines, hidden } = clipText(entry.text, clip);
      return [...markdownToLines(lines, { columns, glyphs }), ...moreLine(hidden, glyphs)];
    }
    case "notice": {
      const { lines, hidden } = clipText(entry.text, clip);
      const tone = NOTICE_TONES[entry.tone];
      const sign = noticeSign(entry.tone, glyphs);
      const room = columns - columnsOf(sign);
      const wrapped = entry.isMarkdown
        ? markdownToLines(lines, { columns: room, glyphs })
        : lines.flatMap((line) => wrapColumns(line, room)).map((text) => ({ text, tone }));
      const indent = " ".repeat(columnsOf(sign));
      const signed = wrapped.map((line, index) => indentLine(line, index === 0 ? sign : indent));
      return [...signed, ...moreLine(hidden, glyphs)];
    }
    case "turn-end":
      return isInteresting(entry) ? [turnEndLine(entry, glyphs)] : [];
    default:
      return [
        { text: formatCard(describeEntry(entry, cardOptions(entry, layout)), columns), tone: toneOf(entry) },
        ...detailLines(entry, layout),
      ];
  }
}

const NOTICE_TONES = { info: "muted", success: "success", warning: "warning", error: "error" } as const;

/** The sign before a notice, which says without colour what it is. */
export function noticeSign(tone: keyof typeof NOTICE_TONES, glyphs: Glyphs): string {
  const signs = { info: glyphs.separator, success: glyphs.done, warning: "!", error: glyphs.failed };
  return `${signs[tone]} `;
}

/** The tone of a card's line, where only one is possible. */
function toneOf(entry: CardEntry): LineTone {
  switch (entry.type) {
    case "thinking":
      return "muted";
    case "tool":
    case "subagent":
      return entry.status === "failed" ? "error" : entry.status === "denied" ? "warning" : "text";
    case "shell":
      return (entry.exitCode ?? 0) === 0 && entry.ending === undefined ? "user" : "error";
  }
}

function cardOptions(entry: CardEntry, layout: EntryLayout) {
  const { glyphs, isOpen = isOpenAtFirst(entry), now = entry.at, workingDirectory } = layout;
  return { glyphs, isOpen, now, ...(workingDirectory === undefined ? {} : { workingDirectory }) };
}

function userToLines(
  entry: UserEntry,
  { columns, clip = ENTRY_CLIP, glyphs, hasPastes = false }: EntryLayout,
): readonly TranscriptLine[] {
  const { text, attachments, isSteering } = entry;
  const { lines, hidden } = clipText(hasPastes ? wholeTextOf(entry) : text, clip);
  const wrapped = lines.flatMap((line) => wrapColumns(line, columns - 2));
  const said = wrapped.map((line, index) => ({ text: `${index === 0 ? "> " : "  "}${line}`, tone: "user" }) as const);
  const names = attachments.filter((name) => !text.includes(name)).map((name) => safeLine(name, columns));
  const facts = [...names, ...(isSteering ? ["sent during the turn"] : [])];
  const below = facts.length === 0 ? [] : wrapColumns(facts.join("  "), columns - 2);
  return [
    ...said,
    ...below.map((line) => ({ text: `  ${line}`, tone: "muted" }) as const),
    ...moreLine(hidden, glyphs),
  ];
}

/** The line that says what is left out. */
function moreLine(hidden: string | undefined, { ellipsis }: Glyphs): readonly TranscriptLine[] {
  return hidden === undefined ? [] : [{ text: `${ellipsis} ${hidden} more`, tone: "muted" }];
}

function turnEndLine({ outcome, durationMs, usage }: TurnEndEntry, glyphs: Glyphs): TranscriptLine {
  const start = { completed: "", aborted: "stopped", failed: "failed" }[outcome];
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cost = usage.costUsd === undefined ? "" : formatCost(usage.costUsd);
  const spent = tokens === 0 ? "" : `${formatCount(tokens)} tokens`;
  const facts = [start, formatDuration(durationMs), spent, cost].filter((fact) => fact !== "");
  return { text: facts.join(` ${glyphs.separator} `), tone: outcome === "failed" ? "error" : "muted" };
}

/** What is below a card's line. While a command runs, the end of its output; otherwise nothing unless it is open. */
export function detailLines(entry: CardEntry, layout: EntryLayout): readonly TranscriptLine[] {
  const { isOpen = isOpenAtFirst(entry), glyphs, clip = ENTRY_CLIP } = layout;
  const columns = Math.max(8, layout.columns - DETAIL_INDENT.length);
  const inner = { ...layout, columns, clip, glyphs };
  const isTail = isRunning(entry) && !isOpen;
  const lines =
    isTail || (entry.type === "shell" && isRunning(entry))
      ? tailOf(entry, inner)
      : isOpen
        ? openLines(entry, inner)
        : reasonOf(entry, columns);
  return lines.map((line) => indentLine(line, DETAIL_INDENT));
}

function isCommand(entry: ShellEntry | ToolEntry): boolean {
  return entry.type === "shell" || entry.kind === "shell";
}

/** A text in the details of an entry. */
interface TextLayout extends Pick<EntryLayout, "columns" | "glyphs"> {
  readonly clip: Pick<ClipOptions, "maxLines" | "maxCharacters" | "isOverwritten">;
}

type InnerLayout = EntryLayout & Required<Pick<EntryLayout, "clip">>;

function tailOf(entry: CardEntry, { columns }: InnerLayout): readonly TranscriptLine[] {
  if ((entry.type !== "shell" && entry.type !== "tool") || !isCommand(entry)) return [];
  const clip = { maxLines: RUNNING_LINES, maxCharacters: 4_000, keep: "end", isOverwritten: true } as const;
  const { lines } = clipText(entry.output, clip);
  return lines.map((line) => ({ text: safeLine(line, columns), tone: "muted" }));
}

function reasonOf(entry: CardEntry, columns: number): readonly TranscriptLine[] {
  if (entry.type !== "tool" || entry.status !== "denied" || entry.reason === undefined) return [];
  return textLines(entry.reason, "muted", { columns, clip: ENTRY_CLIP });
}

function openLines(entry: CardEntry, layout: InnerLayout): readonly TranscriptLine[] {
  const { columns, glyphs } = layout;
  switch (entry.type) {
    case "thinking":
      return textWithMore(entry.text, layout);
    case "shell":
      return outputLines(entry, layout);
    case "subagent":
      return subagentLines(entry, layout);
    case "tool": {
      const diffs = diffOf(entry);
      const { maxLines } = layout.clip;
      const list = toolListOf(entry);
      if (list !== undefined) {
        const lines = listToLines(list, { columns, glyphs });
        const more = lines.length > maxLines ? `${lines.length - maxLines} lines` : undefined;
        const failure = entry.status === "failed" ? outputLines(entry, layout) : [];
        return [...lines.slice(0, maxLines), ...moreLine(more, glyphs), ...failure, ...reasonOf(entry, columns)];
      }
      const options = { columns, glyphs, maxLines, hasName: diffs.length > 1 };
      const changed = diffs.flatMap((diff) => diffToLines(diff, options));
      const output = diffs.length === 0 || entry.status === "failed" ? outputLines(entry, layout) : [];
      return [...commandLines(entry, layout), ...changed, ...output, ...reasonOf(entry, columns)];
    }
  }
}

/** A command that has several lines, or is too long for its card. */
function commandLines(entry: ToolEntry, layout: InnerLayout): readonly TranscriptLine[] {
  if (entry.kind !== "shell") return [];
  const card = describeEntry(entry, cardOptions(entry, layout));
  const named: unknown =
    typeof entry.input === "object" && entry.input !== null ? Reflect.get(entry.input, "command") : undefined;
  const command = entry.request?.command ?? (typeof named === "string" ? named : "");
  const isWhole = fitCard(card, layout.columns + DETAIL_INDENT.length).object.trimEnd() === command.trim();
  return isWhole ? [] : textLines(command, "text", layout);
}

function subagentLines({ task, result }: SubagentEntry, layout: InnerLayout): readonly TranscriptLine[] {
  const asked = task === undefined ? [] : textLines(task, "muted", layout);
  if (result === undefined) return asked;
  const { lines, hidden } = clipText(result, layout.clip);
  const answer = [...markdownToLines(lines, layout), ...moreLine(hidden, layout.glyphs)];
  return asked.length === 0 ? answer : [...asked, { text: "", tone: "text" }, ...answer];
}

/** The output of a command as a terminal shows it: progress bars overwrite their lines. */
function outputLines(entry: ShellEntry | ToolEntry, layout: InnerLayout): readonly TranscriptLine[] {
  const clip = { ...layout.clip, isOverwritten: isCommand(entry) };
  return textWithMore(entry.output, { ...layout, clip });
}

function textWithMore(text: string, layout: TextLayout): readonly TranscriptLine[] {
  const { hidden } = clipText(text, layout.clip);
  return [...textLines(text, "muted", layout), ...moreLine(hidden, layout.glyphs)];
}

function textLines(
  text: string,
  tone: LineTone,
  { columns, clip }: Pick<TextLayout, "columns" | "clip">,
): readonly TranscriptLine[] {
  return clipText(text, clip)
    .lines.flatMap((line) => wrapColumns(line, columns))
    .map((line) => ({ text: line, tone }));
}
