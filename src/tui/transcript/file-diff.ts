import { structuredPatch } from "diff";
import type { FileChange } from "../chat/file-changes.ts";
import { type DiffLine, parsePatchText } from "./parse-patch-text.ts";

/** The changes of one file. */
export interface FileDiff {
  readonly path: string;
  readonly lines: readonly DiffLine[];
  readonly addedCount: number;
  readonly removedCount: number;
}

/** The longest text that is compared, in characters. A longer one is shown as removed and added. */
const MAX_COMPARED = 200_000;

/** Lines without a change around one. */
const CONTEXT_LINES = 3;

/**
 * The changes of a tool call, by file, as a unified diff. The tool's output shows where in the file a replaced text is,
 * where it lists the changed lines with their numbers.
 */
export function diffChanges(changes: readonly FileChange[], output = ""): readonly FileDiff[] {
  return mergeFiles(changes.flatMap((change) => diffChange(change, output)));
}

function diffChange(change: FileChange, output: string): readonly FileDiff[] {
  switch (change.type) {
    case "patch":
      return parsePatchText(change.text).map(({ path, lines }) => countLines(path, lines));
    case "write":
      return [
        countLines(
          change.path,
          linesOf(change.text).map((text, index) => addedLine(text, index + 1)),
        ),
      ];
    case "replace": {
      const { place, oldText, newText } = change;
      if (place !== undefined) {
        const { line, before, after } = place;
        return [countLines(change.path, compare(before + oldText + after, before + newText + after, line))];
      }
      const start = findStart(change.newText, output);
      return [countLines(change.path, compare(change.oldText, change.newText, start))];
    }
  }
}

function addedLine(text: string, number: number): DiffLine {
  return { type: "added", number, text };
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function compare(oldText: string, newText: string, start: number | undefined): readonly DiffLine[] {
  if (oldText.length + newText.length > MAX_COMPARED) {
    const removed = linesOf(oldText).map((text): DiffLine => ({ type: "removed", text }));
    return [...removed, ...linesOf(newText).map((text): DiffLine => ({ type: "added", text }))];
  }
  // Without a line break at the end, the last lines of two texts can differ only in that.
  const end = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
  const { hunks } = structuredPatch("", "", end(oldText), end(newText), "", "", { context: CONTEXT_LINES });
  return hunks.flatMap(({ oldStart, newStart, lines }, index) => {
    let oldNumber = oldStart + (start ?? 1) - 1;
    let newNumber = newStart + (start ?? 1) - 1;
    const shown = lines.flatMap((line): readonly DiffLine[] => {
      if (line.startsWith("\\")) return [];
      const type = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "context";
      const number = type === "removed" ? oldNumber : newNumber;
      if (type !== "added") oldNumber++;
      if (type !== "removed") newNumber++;
      return [{ type, text: line.slice(1).replace(/\r$/, ""), ...(start === undefined ? {} : { number }) }];
    });
    return index === 0 ? shown : [{ type: "gap", text: "" } as const, ...shown];
  });
}

/** Numbered lines in a tool's output: `    41→code`, `41: code`, `41|code`. */
const NUMBERED_LINE = /^\s*(\d+)(?:→|\t|: ?|\|)(.*)$/;

/** The longest output in which a line is looked for, in characters. */
const MAX_OUTPUT = 100_000;

/** The number of a text's first line, from an output that lists it. */
function findStart(newText: string, output: string): number | undefined {
  const lines = linesOf(newText);
  const index = lines.findIndex((line) => line.trim() !== "");
  const wanted = lines[index]?.trim();
  if (wanted === undefined) return undefined;
  for (const line of output.slice(0, MAX_OUTPUT).split("\n")) {
    const [, number, text] = NUMBERED_LINE.exec(line) ?? [];
    if (number !== undefined && text?.trim() === wanted) return Number(number) - index;
  }
  return undefined;
}

function countLines(path: string, lines: readonly DiffLine[]): FileDiff {
  const count = (wanted: DiffLine["type"]): number => lines.filter(({ type }) => type === wanted).length;
  return { path, lines, addedCount: count("added"), removedCount: count("removed") };
}

/** Several changes of the same file are one diff. */
function mergeFiles(diffs: readonly FileDiff[]): readonly FileDiff[] {
  return [...Map.groupBy(diffs, ({ path }) => path)].map(([path, same]) =>
    countLines(
      path,
      same.flatMap(({ lines }, index) => (index === 0 ? lines : [{ type: "gap", text: "" } as const, ...lines])),
    ),
  );
}
