import { formatDuration, safeText } from "../../view/index.ts";
import { type ChatEntry, type ShellEntry, type ToolEntry, wholeTextOf } from "../chat/chat-entry.ts";
import { shellOutcome } from "../chat/shell-outcome.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { demoteHeadings } from "./demote-headings.ts";
import { describeEntry, diffOf } from "./describe-entry.ts";
import type { FileDiff } from "./file-diff.ts";
import { listToMarkdown, toolListOf } from "./tool-lists.ts";

/** The facts of a conversation besides its entries. */
export interface TranscriptFacts {
  /** @default "Conversation" */
  readonly title?: string | undefined;
  readonly agentType?: string | undefined;
  readonly modelName?: string | undefined;
  /** The summary of the last compaction. */
  readonly compactionSummary?: string | undefined;
  /** Paths of the project are written without it. */
  readonly workingDirectory?: string | undefined;
}

/** A conversation as Markdown, for a file. Nothing of it can act on a terminal that shows the file. */
export function formatTranscript(entries: readonly ChatEntry[], facts: TranscriptFacts = {}): string {
  const { title = "Conversation", agentType, modelName, compactionSummary, workingDirectory } = facts;
  const who = [agentType, modelName].filter((fact) => fact !== undefined).join(" · ");
  const parts = [
    `# ${oneLine(title)}`,
    ...(who === "" ? [] : [oneLine(who)]),
    ...(compactionSummary === undefined ? [] : [`## Summary of the compaction\n\n${messageOf(compactionSummary)}`]),
    ...entries.map((entry) => formatEntry(entry, workingDirectory)).filter((text) => text !== ""),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** An entry as Markdown, whole. Empty when there is nothing to read in it. */
export function formatEntry(entry: ChatEntry, workingDirectory?: string): string {
  switch (entry.type) {
    case "user":
      return [
        `## You\n\n${messageOf(wholeTextOf(entry))}`,
        ...entry.attachments.map((name) => `- ${safeText(name)}`),
      ].join("\n");
    case "text":
      return messageOf(entry.text);
    case "thinking":
      return detailsOf("Thinking", messageOf(entry.text));
    case "tool":
      return formatTool(entry, workingDirectory);
    case "subagent": {
      const { title, subagentType = "Agent", task, result, status } = entry;
      const body = [task, result].flatMap((text) => (text === undefined ? [] : [quote(safeText(text).trim())]));
      const head = `**${oneLine(subagentType)}** ${oneLine(title)}${status === "failed" ? " (failed)" : ""}`;
      return [head, ...body].join("\n\n");
    }
    case "notice":
      if (entry.isMarkdown) return messageOf(entry.text);
      // The output of a command, such as /doctor, has its lines.
      return entry.text.trim().includes("\n") ? fence(entry.text).trimStart() : `*${oneLine(entry.text)}*`;
    case "shell":
      return `**!** ${code(entry.command)}${exitOf(entry)}${fence(entry.output)}`;
    case "turn-end":
      return entry.outcome === "completed" ? "" : `*${entry.outcome} after ${formatDuration(entry.durationMs)}*`;
  }
}

/** What is copied of an entry: what was said, without a heading. */
export function copyTextOf(entry: ChatEntry): string {
  switch (entry.type) {
    case "user":
    case "thinking":
    case "notice":
      return safeText(entry.text);
    case "text":
      return safeText(entry.text).trim();
    default:
      return formatEntry(entry);
  }
}

/** What was said, below the heading of the conversation and those of its speakers. */
function messageOf(text: string): string {
  return demoteHeadings(safeText(text).trim(), { levels: 2 });
}

function formatTool(entry: ToolEntry, workingDirectory: string | undefined): string {
  const options = { glyphs: UNICODE_GLYPHS, isOpen: false, now: entry.endedAt ?? entry.at };
  const card = describeEntry(entry, workingDirectory === undefined ? options : { ...options, workingDirectory });
  const outcome = card.outcome === "" ? "" : ` ${card.outcome}`;
  const head = `**${card.verb}**${card.object === "" ? "" : ` ${code(card.object)}`}${outcome}`;
  const reason = entry.reason === undefined ? "" : `\n\n${quote(safeText(entry.reason))}`;
  const list = toolListOf(entry);
  if (list !== undefined) {
    const listed = listToMarkdown(list);
    const failure = entry.status === "failed" ? fence(entry.output) : "";
    return `${head}${reason}${listed === "" ? "" : `\n\n${listed}`}${failure}`;
  }
  const diffs = diffOf(entry);
  const body = diffs.length > 0 ? diffs.map((diff) => fence(formatDiff(diff), "diff")).join("") : fence(entry.output);
  return head + reason + body;
}

const SIGNS = { added: "+", removed: "-", context: " ", gap: "" } as const;

function formatDiff({ path, lines }: FileDiff): string {
  const shown = lines.map(({ type, text }) =>
    type === "gap" ? "@@ @@" : SIGNS[type] + safeText(text).replaceAll("\n", " "),
  );
  return [`--- ${path}`, `+++ ${path}`, ...shown].join("\n");
}

function oneLine(text: string): string {
  return safeText(text).replace(/\s+/g, " ").trim();
}

function quote(text: string): string {
  return text.replace(/^/gm, "> ");
}

function code(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  if (longest === 0) return `\`${line}\``;
  const ticks = "`".repeat(longest + 1);
  return `${ticks} ${line} ${ticks}`;
}

/** A code block whose fence nothing in the text can end. Empty for an empty text. */
function fence(text: string, language = "text"): string {
  const content = safeText(text).trimEnd();
  if (content.trim() === "") return "";
  const longest = [...content.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const ticks = "`".repeat(longest + 1);
  return `\n\n${ticks}${language}\n${content}\n${ticks}`;
}

function detailsOf(summary: string, text: string): string {
  return text === "" ? "" : `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`;
}

function exitOf(entry: ShellEntry): string {
  const outcome = shellOutcome(entry);
  return outcome === undefined || entry.exitCode === 0 ? "" : ` ${outcome}`;
}
