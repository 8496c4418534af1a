import { describeCall, formatDuration, formatUsage, safeLine, safeText } from "../../view/index.ts";
import type { ChatEntry, NoticeEntry, ShellEntry, SubagentEntry, ToolEntry, TurnEndEntry } from "../chat/chat-entry.ts";
import type { ChatModel } from "../chat/chat-model.ts";
import { shellOutcome } from "../chat/shell-outcome.ts";
import { ASCII_GLYPHS } from "../theme/glyphs.ts";
import { finishedLength, markdownToLines } from "../transcript/markdown-to-lines.ts";
import { listToWords, toolListOf } from "../transcript/tool-lists.ts";

/** How much of an entry has been printed. */
type Progress =
  | { readonly type: "partly"; readonly characters: number }
  /** Its first line has been printed, its end has not. */
  | { readonly type: "started" }
  | { readonly type: "done" };

/** How the lines are made. */
export interface PlainLinesOptions {
  /** Whether the user's own messages are printed. A terminal has shown them already while they were typed. */
  readonly hasUserLines: boolean;
}

/** The longest line about a tool's input or a sub-agent's title, in columns. */
const ABOUT_COLUMNS = 160;

/** What is printed of a failed tool's or a command's output. */
const MAX_OUTPUT_LINES = 20;

/** Turns a conversation into lines that are only ever appended. Remembers what it has returned. */
export class PlainLines {
  readonly #options: PlainLinesOptions;
  readonly #progress = new Map<string, Progress>();
  #conversation: number | undefined;
  /** The user's messages of a stored conversation, which nobody typed here. */
  #stored = new Set<ChatEntry>();

  constructor(options: PlainLinesOptions) {
    this.#options = options;
  }

  /** The lines that are new since the last call, safe for a terminal. The label is that of the agent's text. */
  next({ entries, conversation }: Pick<ChatModel, "entries" | "conversation">, agentLabel: string): readonly string[] {
    if (this.#conversation !== conversation) {
      this.#progress.clear();
      this.#stored = new Set(this.#conversation === undefined ? [] : entries);
      this.#conversation = conversation;
    }
    return entries.flatMap((entry) => {
      const before = this.#progress.get(entry.id);
      if (before?.type === "done") return [];
      const [lines, after] = this.#print(entry, { before, agentLabel });
      this.#progress.set(entry.id, after);
      return lines;
    });
  }

  /** Like {@link PlainLines.next}, and of a text that still streams also the block that has no end yet. */
  rest({ entries, conversation }: Pick<ChatModel, "entries" | "conversation">, agentLabel: string): readonly string[] {
    const ended = entries.map((entry) => (entry.type === "text" ? { ...entry, isStreaming: false } : entry));
    return this.next({ entries: ended, conversation }, agentLabel);
  }

  #print(
    entry: ChatEntry,
    { before, agentLabel }: { readonly before: Progress | undefined; readonly agentLabel: string },
  ): readonly [readonly string[], Progress] {
    switch (entry.type) {
      case "text":
        return printText(entry.text, { isStreaming: entry.isStreaming, before, label: agentLabel });
      case "user":
        return [this.#options.hasUserLines || this.#stored.has(entry) ? labelled("you", userText(entry)) : [], DONE];
      case "thinking":
        return entry.endedAt === undefined ? [[], STARTED] : [thinkingLines(entry.endedAt - entry.at), DONE];
      case "tool":
        return printInTwo(before, toolLines(entry));
      case "subagent":
        return printInTwo(before, subagentLines(entry));
      case "shell":
        return printInTwo(before, shellLines(entry));
      case "notice":
        return [noticeLines(entry), DONE];
      case "turn-end":
        return [turnEndLines(entry), DONE];
    }
  }
}

const DONE: Progress = { type: "done" };
const STARTED: Progress = { type: "started" };

const NOTICE_LABELS: Readonly<Record<NoticeEntry["tone"], string>> = {
  info: "atomic",
  success: "atomic",
  warning: "warning",
  error: "error",
};

/** The start of a row that belongs to the one above: text of an agent, or the rest of a line that is wrapped. */
export const CONTINUED = "| ";

/** A text after its label. Further lines are indented, so that no line of a text looks like a label. */
export function labelled(label: string, text: string): readonly string[] {
  const [first = "", ...rest] = safeText(text).trim().split("\n");
  return [`${label}: ${first.trimEnd()}`, ...rest.map(indent)];
}

/** Text of an agent after a label. Indentation cannot be heard: its further lines have a sign in front. */
export function labelledMarked(label: string, text: string): readonly string[] {
  const [first = "", ...rest] = safeText(text).trim().split("\n");
  return [`${label}: ${first.trimEnd()}`, ...rest.map(mark)];
}

/** A line of at most so many columns. What is cut ends with three dots: all signs of this mode are in ASCII. */
export function plainLine(text: string, maxColumns: number): string {
  const line = safeLine(text, maxColumns);
  return line.endsWith("…") ? `${line.slice(0, -1)}...` : line;
}

function indent(line: string): string {
  return `  ${line}`.trimEnd();
}

function mark(line: string): string {
  return `${CONTINUED}${line}`.trimEnd();
}

function userText({ text, attachments }: Extract<ChatEntry, { type: "user" }>): string {
  const missing = attachments.filter((name) => !text.includes(name));
  return [text, ...missing].join("\n");
}

/** Nothing is cut or wrapped, a rule is an empty line, and all signs can be read aloud. */
const PLAIN_LAYOUT = {
  columns: Number.MAX_SAFE_INTEGER,
  glyphs: { ...ASCII_GLYPHS, horizontal: "", line: ">" },
  tables: "records",
} as const;

function plainMarkdown(text: string): readonly string[] {
  const lines = safeText(text).replace(/\n$/, "").split("\n");
  return markdownToLines(lines, PLAIN_LAYOUT).map((line) => line.text);
}

/** Markdown without its signs, after a label. The columns of a first line that is indented, such as code, stay. */
function labelledMarkdown(label: string, text: string, start: (line: string) => string): readonly string[] {
  const lines = plainMarkdown(text);
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  const [head = "", ...rest] = lines.slice(first);
  return head.startsWith(" ")
    ? [`${label}:`, start(head), ...rest.map(start)]
    : [`${label}: ${head.trimEnd()}`, ...rest.map(start)];
}

function noticeLines({ tone, text: written, isMarkdown }: NoticeEntry): readonly string[] {
  const text = written.replace(/…$/, "...");
  const label = NOTICE_LABELS[tone];
  if (isMarkdown) return labelledMarkdown(label, text.trim(), indent);
  // A problem often has the words of an agent in it.
  return tone === "warning" || tone === "error" ? labelledMarked(label, text) : labelled(label, text);
}

/** Whole blocks while the text streams; the rest when it has ended. */
function printText(
  text: string,
  options: { readonly isStreaming: boolean; readonly before: Progress | undefined; readonly label: string },
): readonly [readonly string[], Progress] {
  const { isStreaming, before, label } = options;
  const start = before?.type === "partly" ? before.characters : 0;
  const end = isStreaming ? start + finishedLength(text.slice(start)) : text.length;
  const after: Progress = isStreaming ? { type: "partly", characters: end } : DONE;
  if (end <= start) return [[], after];
  const part = text.slice(start, end);
  // Nothing has been printed yet, or only empty lines.
  if (text.slice(0, start).trim() === "") return [labelledMarkdown(label, part, mark), after];
  return [plainMarkdown(part).map(mark), after];
}

interface TwoParts {
  readonly start: readonly string[];
  /** Undefined while it runs. */
  readonly end: readonly string[] | undefined;
}

/** A line at the start, and one at the end, which repeats what it is about: other lines may be between them. */
function printInTwo(before: Progress | undefined, { start, end }: TwoParts): readonly [readonly string[], Progress] {
  const lines = before === undefined ? start : [];
  return end === undefined ? [lines, STARTED] : [[...lines, ...end], DONE];
}

function thinkingLines(milliseconds: number): readonly string[] {
  return milliseconds < 1_000 ? [] : [`thinking: ${formatDuration(milliseconds)}`];
}

function toolLines(entry: ToolEntry): TwoParts {
  const { toolName, input, status, output, reason, at, endedAt = at } = entry;
  const call = plainLine(`${toolName} ${describeCall(toolName, input)}`, ABOUT_COLUMNS);
  const start = [`tool: ${call}`];
  const list = toolListOf(entry);
  if (status === "running") return { start: list === undefined ? start : [], end: undefined };
  if (status === "done" && list !== undefined) return { start: [], end: listToWords(list) };
  const took = formatDuration(endedAt - at);
  if (status === "denied") return { start, end: labelledMarked("tool", `${call} was denied. ${reason ?? ""}`) };
  if (status === "failed") return { start, end: [`tool: ${call} failed after ${took}`, ...outputLines(output)] };
  return { start, end: [`tool: ${call} done in ${took}`] };
}

function subagentLines({ title, subagentType, status, result, at, endedAt = at }: SubagentEntry): TwoParts {
  const name = plainLine([title, subagentType].filter((part) => part !== undefined).join(", "), ABOUT_COLUMNS);
  const start = [`agent: ${name} started`];
  if (status === "running") return { start, end: undefined };
  const verb = status === "failed" ? "failed after" : "done in";
  const answer = plainMarkdown(result ?? "").join("\n");
  return { start, end: [`agent: ${name} ${verb} ${formatDuration(endedAt - at)}`, ...outputLines(answer)] };
}

function shellLines(entry: ShellEntry): TwoParts {
  const { command, output, ending, at, endedAt = at } = entry;
  const start = labelled("shell", command);
  const outcome = shellOutcome(entry);
  if (outcome === undefined) return { start, end: undefined };
  const end = `shell: ${outcome}${ending === "not-run" ? "" : ` after ${formatDuration(endedAt - at)}`}`;
  return { start, end: [...outputLines(output), end] };
}

function outputLines(output: string): readonly string[] {
  const text = safeText(output).trimEnd();
  if (text === "") return [];
  const lines = text.split("\n");
  const hidden = lines.length - MAX_OUTPUT_LINES;
  const shown = hidden > 0 ? [`(${hidden} lines before)`, ...lines.slice(hidden)] : lines;
  return shown.map((line) => mark(line.length > 2_000 ? plainLine(line, 2_000) : line));
}

function turnEndLines({ outcome, durationMs, usage }: TurnEndEntry): readonly string[] {
  const label = { completed: "done", aborted: "stopped", failed: "failed" }[outcome];
  const facts = [formatDuration(durationMs), formatUsage(usage)].filter((fact) => fact !== "");
  return [`${label}: ${facts.join(", ")}`];
}
