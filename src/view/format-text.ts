import type { Usage, UsageByAgent } from "../contracts/index.ts";
import { padColumns, safeLine, safeText } from "./safe-text.ts";

/** `850ms`, `12s`, `3m 05s`, `2h 07m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.floor(milliseconds))}ms`;
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}

/** How long ago something was, in its largest unit: `10s`, `4m`, `3h`, `5d`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** A moment of ISO 8601, to the second. */
export function formatTime(moment: string): string {
  return moment.slice(0, 19).replace("T", " ");
}

/** `840 tokens`, `12.3k tokens`, `4.6M tokens`, with the cost if known; empty for none. */
export function formatUsage(usage: Usage): string {
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  if (tokens === 0) return "";
  const count = formatCount(tokens);
  return usage.costUsd === undefined || usage.costUsd === 0
    ? `${count} tokens`
    : `${count} tokens, $${usage.costUsd.toFixed(4)}`;
}

/** The longest name of an agent, in characters. */
const MAX_AGENT_LENGTH = 40;

/** A line for each agent, when several have used tokens: `  claude    12.3k tokens, $0.4200`. Empty for one agent. */
export function formatUsageByAgent(usageByAgent: UsageByAgent = {}): readonly string[] {
  const rows = Object.entries(usageByAgent)
    .map(([agent, usage]) => ({ agent: safeLine(agent, MAX_AGENT_LENGTH), text: formatUsage(usage) }))
    .filter(({ text }) => text !== "")
    .toSorted((left, right) => (left.agent < right.agent ? -1 : 1));
  if (rows.length < 2) return [];
  const width = Math.max(...rows.map(({ agent }) => Bun.stringWidth(agent)));
  return rows.map(({ agent, text }) => `  ${padColumns(agent, width)}  ${text}`);
}

/** `980`, `12.4k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  // 1000.0k becomes 1.0M.
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** `$0.42`; `<$0.01` for less than a cent. */
export function formatCost(costUsd: number): string {
  return costUsd > 0 && costUsd < 0.005 ? "<$0.01" : `$${costUsd.toFixed(2)}`;
}

/** Layout of a table. */
export interface TableStyle {
  /** Maximum width. Columns that do not fit move to further lines, indented. @default no maximum */
  readonly columns?: number;
}

/** Indentation of the further lines of a row, in columns. */
const TABLE_INDENT = 2;

/** The last column breaks between words rather than move to a further line, if it has at least this many columns. */
const MIN_LAST_COLUMNS = 30;

/** Rows under a header, columns aligned; the last column is not padded. Cells are made safe for a terminal. */
export function formatTable(
  header: readonly string[],
  cells: readonly (readonly string[])[],
  { columns = Number.POSITIVE_INFINITY }: TableStyle = {},
): string {
  const rows = cells.map((row) => row.map((cell) => safeText(cell).replace(/\s+/g, " ")));
  const widths = header.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? "")].map((cell) => Bun.stringWidth(cell))),
  );
  const lines = splitIntoLines(widths, columns);
  const formatRow = (row: readonly string[]): readonly string[] =>
    lines.flatMap(([from, to], line) => {
      const last = to - 1;
      const padded = row.slice(from, last).map((cell, index) => padColumns(cell, widths[from + index] ?? 0));
      const start = " ".repeat(line === 0 ? 0 : TABLE_INDENT) + padded.map((cell) => `${cell}  `).join("");
      const width = Bun.stringWidth(start);
      const [head = "", ...rest] = wrapWords(row[last] ?? "", columns - width);
      const text = `${start}${head}`.trimEnd();
      return line > 0 && text === "" ? [] : [text, ...rest.map((part) => " ".repeat(width) + part)];
    });
  return [header, ...rows].flatMap(formatRow).join("\n");
}

/** The ranges of a row's cells that share a line. */
function splitIntoLines(widths: readonly number[], columns: number): readonly (readonly [from: number, to: number])[] {
  const starts = [0];
  let used = 0;
  for (const [index, width] of widths.entries()) {
    const needed = index === widths.length - 1 ? Math.min(width, MIN_LAST_COLUMNS) : width;
    if (index > 0 && used + 2 + needed > columns) {
      starts.push(index);
      used = TABLE_INDENT + width;
    } else used += index === 0 ? width : 2 + width;
  }
  return starts.map((from, line) => [from, starts[line + 1] ?? widths.length]);
}

/** A command of Atomic at the end of a line, after a colon. */
export const FINAL_COMMAND = /(?<=: )atomic .*$/;
const NO_BREAK_SPACE = "\u00a0";

/**
 * Breaks a line between words, where the columns end, and keeps its indentation. A longer word stays whole, and so does a
 * command at the end: a break in it would be copied with it.
 */
export function wrapWords(line: string, columns: number): readonly string[] {
  if (Bun.stringWidth(line) <= columns) return [line];
  const text = line.trimStart();
  const indent = line.slice(0, line.length - text.length);
  const joined = text.replace(FINAL_COMMAND, (command) => command.replaceAll(" ", NO_BREAK_SPACE));
  const wrapped = Bun.wrapAnsi(joined, Math.max(1, columns - indent.length)).split("\n");
  return wrapped.map((part) => `${indent}${part.replaceAll(NO_BREAK_SPACE, " ").trimEnd()}`);
}
