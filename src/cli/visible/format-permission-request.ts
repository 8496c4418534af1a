import type { PermissionRequest } from "../../contracts/index.ts";
import { formatDetails, type TextPart } from "./format-details.ts";
import {
  makeVisible,
  type TextKind,
  type VisibleOptions,
  type VisibleText,
  visibleLabel,
  visibleLine,
} from "./visible-text.ts";

/** Narrower terminals are written to as if they had so many columns. */
const MIN_COLUMNS = 8;

/** So much of a title is shown where the whole input stands below it, in characters. */
const MAX_SUMMARY_LENGTH = 120;

/** What stands in front of a line of the agent's text, and in front of what did not fit into that line. */
const LINE_START = "  │ ";
const CONTINUATION = "  ┆ ";

/**
 * All that a person has to see before they allow a call, as lines that fit a terminal: nothing is cut, and nothing of the
 * agent's text can pass for a line of Atomic's, because each of its lines begins with `│`, or with `┆` where the line
 * before did not fit. Pure.
 */
export function formatPermissionRequest(request: PermissionRequest, columns: number): readonly string[] {
  const { kind, toolName, command, step } = request;
  const title = summaryOf(request);
  const parts: readonly VisiblePart[] = [
    ...namesOf(request).map((part) => makePartVisible(part, { kind: "command" })),
    ...formatDetails(request).map((part) => makePartVisible(part, { kind: kindOfDetails(request) })),
  ];
  // A title may be all that tells what a shell or the network is given.
  const isCall = request.details?.type === "fetch" || (kind === "shell" && command === undefined);
  const shownTitle: VisibleOptions = { kind: isCall ? "command" : "prose" };
  const facts = [
    ...(step === undefined ? [] : [`Step: ${visibleLabel(step)}`]),
    ...(title === toolName || title.startsWith(`${toolName}:`) ? [] : [`Tool: ${visibleLine(toolName)}`]),
  ];
  const warnings = new Set([
    ...makeVisible(title, shownTitle).warnings,
    ...makeVisible(toolName).warnings,
    ...makeVisible(step ?? "", { kind: "prose" }).warnings,
    ...parts.flatMap((part) => part.warnings),
  ]);
  const named = title.startsWith(`${kind}:`) ? title : `${kind}: ${title}`;
  const head = `Allow ${makeVisible(named, shownTitle).lines.join("\\n").trimEnd()}`;
  return [
    ...wrap(head, { first: "", next: CONTINUATION, columns }),
    ...facts.flatMap((fact) => wrap(fact, { first: "  ", next: CONTINUATION, columns })),
    ...parts.flatMap((part) => formatPart(part, columns)),
    ...[...warnings].flatMap((warning) => wrap(`Warning: it ${warning}`, { first: "  ", next: "    ", columns })),
  ];
}

/** What a call names: its command, its files, the files that a search is limited to. */
function namesOf(request: PermissionRequest): readonly TextPart[] {
  const { command, paths, search } = request;
  return [
    ...(command === undefined ? [] : [{ heading: headingOfCommand(command), texts: [command] }]),
    ...(paths.length === 0 ? [] : [{ heading: headingOfPaths(request), texts: paths.map(keepInLine) }]),
    ...(search?.include === undefined ? [] : [{ heading: "Only files that match:", texts: [search.include] }]),
  ];
}

/** Files that no program runs, by their names. Programs read many a `.txt`, such as CMakeLists.txt. */
const PROSE_FILE = /\.md$/i;

/** What a shell or the network is given must be what it looks like; what programs run must tell where it is not. */
function kindOfDetails({ kind, details, paths }: PermissionRequest): TextKind {
  switch (details?.type) {
    case undefined:
    case "fetch":
      return "command";
    case "input":
      return kind === "shell" ? "command" : "code";
    case "write":
      return isProseOnly([...paths, details.path]) ? "prose" : "code";
    case "edit":
      return isProseOnly([...paths, ...details.changes.map(({ path }) => path)]) ? "prose" : "code";
    case "patch":
      return isProseOnly(paths) ? "prose" : "code";
  }
}

function isProseOnly(files: readonly string[]): boolean {
  return files.length > 0 && files.every((file) => PROSE_FILE.test(file));
}

interface VisiblePart extends VisibleText {
  readonly heading: string;
}

function makePartVisible({ heading, texts }: TextPart, options: VisibleOptions): VisiblePart {
  const shown = texts.map((text) => makeVisible(text, options));
  return {
    heading,
    lines: shown.flatMap(({ lines }) => lines),
    warnings: shown.flatMap(({ warnings }) => warnings),
  };
}

/** The title, without what is all of it or stands behind the tool's name, and is shown by itself. */
function summaryOf({ title, command, details }: PermissionRequest): string {
  switch (details?.type) {
    case "input": {
      const text = withoutEnd(title, JSON.stringify(details.input) ?? "");
      // Notes of Atomic's stand at the ends of titles about files only; these are short.
      return text.length > MAX_SUMMARY_LENGTH && !/\)$/.test(text) ? `${text.slice(0, MAX_SUMMARY_LENGTH)}…` : text;
    }
    case "fetch":
      return withoutEnd(title, details.address);
    default:
      return withoutEnd(title, command ?? "");
  }
}

function withoutEnd(title: string, shown: string): string {
  const [text, end] = [title.trim(), shown.trim()];
  if (end === "" || !text.endsWith(end)) return text;
  const before = text.slice(0, -end.length);
  return before === "" || /:\s*$/.test(before) ? before.replace(/:\s*$/, "") : text;
}

function formatPart({ heading, lines }: VisiblePart, columns: number): readonly string[] {
  return [
    ...wrap(heading, { first: "  ", next: "  ", columns }),
    ...lines.flatMap((line) => wrap(line, { first: LINE_START, next: CONTINUATION, columns })),
  ];
}

function headingOfCommand(command: string): string {
  const count = command.split("\n").length;
  return count === 1 ? "Command:" : `Command, ${count} lines:`;
}

function headingOfPaths({ paths, search }: PermissionRequest): string {
  if (search !== undefined) return "In and below:";
  return paths.length > 1 ? "Files:" : "File:";
}

/** A line break is a part of a file's name. */
function keepInLine(path: string): string {
  return path.replaceAll("\n", "\\n");
}

interface WrapOptions {
  readonly first: string;
  readonly next: string;
  readonly columns: number;
}

/** Breaks a line where the terminal ends, wherever that is: a break between words could hide spaces. */
function wrap(line: string, { first, next, columns }: WrapOptions): readonly string[] {
  const lines: string[] = [];
  // The last column stays empty, since terminals differ in what they do when it is written to.
  const width = Math.max(columns, MIN_COLUMNS) - 1;
  let current = first;
  let used = Bun.stringWidth(first);
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const segmentWidth = Bun.stringWidth(segment);
    if (used + segmentWidth > width) {
      lines.push(current);
      current = next;
      used = Bun.stringWidth(next);
    }
    current += segment;
    used += segmentWidth;
  }
  return [...lines, current];
}
