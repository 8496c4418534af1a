import type { Usage } from "../contracts/index.ts";
import { padColumns, safeText } from "./safe-text.ts";

/** `850ms`, `12s`, `3m 05s`, `2h 07m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.floor(milliseconds))}ms`;
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
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

function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  // 1000.0k becomes 1.0M.
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Layout of a table. */
export interface TableStyle {
  /** Maximum width. Columns that do not fit move to further lines, indented. @default no maximum */
  readonly columns?: number;
}

/** Indentation of the further lines of a row, in columns. */
const TABLE_INDENT = 2;

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
      const text = row
        .slice(from, to)
        .map((cell, index) => padColumns(cell, widths[from + index] ?? 0))
        .join("  ")
        .trimEnd();
      return line === 0 ? [text] : text === "" ? [] : [" ".repeat(TABLE_INDENT) + text];
    });
  return [header, ...rows].flatMap(formatRow).join("\n");
}

/** The ranges of a row's cells that share a line. */
function splitIntoLines(widths: readonly number[], columns: number): readonly (readonly [from: number, to: number])[] {
  const starts = [0];
  let used = 0;
  for (const [index, width] of widths.entries()) {
    if (index > 0 && used + 2 + width > columns) {
      starts.push(index);
      used = TABLE_INDENT + width;
    } else used += index === 0 ? width : 2 + width;
  }
  return starts.map((from, line) => [from, starts[line + 1] ?? widths.length]);
}
