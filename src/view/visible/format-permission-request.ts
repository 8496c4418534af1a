import type { PermissionRequest } from "../../contracts/index.ts";
import type { ChangedLine } from "../changed-line.ts";
import { escapeInexact } from "./exact-width.ts";
import { formatDetails, type TextPart } from "./format-details.ts";
import { CONTINUATION, markLines, wrapLine } from "./mark-lines.ts";
import {
  makeVisible,
  type TextKind,
  type VisibleOptions,
  type VisibleText,
  visibleLabel,
  visibleLine,
} from "./visible-text.ts";

/** Longer titles are cut when the whole input is below, in characters. */
const MAX_SUMMARY_LENGTH = 120;

/** Everything that a person must see before they allow a call, without hidden characters. */
export interface PermissionDescription {
  /** What it is about: `Allow shell: npm test`. */
  readonly head: string;
  /** Facts of Atomic: the step, the working directory, the tool. */
  readonly facts: readonly string[];
  /** Texts from the agent, each under a heading of Atomic. */
  readonly parts: readonly PermissionPart[];
  /** Warnings about hidden characters, one sentence each. */
  readonly warnings: readonly string[];
}

/** A text from the agent under a heading of Atomic. */
export interface PermissionPart {
  readonly heading: string;
  readonly lines: readonly string[];
  /** Whether its lines start with `+` where they are new and with `-` where they are old. */
  readonly isDiff: boolean;
  /** The line of a file that each of its lines shows, where that is certain. @default unknown */
  readonly changes?: readonly ChangedLine[];
}

/** Describes everything that a person must see before they allow a call. Nothing that the call does is cut. Pure. */
export function describePermissionRequest(request: PermissionRequest): PermissionDescription {
  const { kind, toolName, command, step, workingDirectory, details } = request;
  const title = summaryOf(request);
  const parts = [
    ...namesOf(request).map((part) => makePartVisible(part, { kind: "command" })),
    ...formatDetails(request).map((part) => makePartVisible(part, { kind: kindOfDetails(request) })),
  ];
  // The title may be the only text that shows what a shell or the network receives.
  const isCall = details?.type === "fetch" || (kind === "shell" && command === undefined);
  const shownTitle: VisibleOptions = { kind: isCall ? "command" : "prose" };
  const verb = request.isDeletion === true ? "delete" : kind;
  const named = title.startsWith(`${verb}:`) ? title : `${verb}: ${title}`;
  const warnings = new Set([
    ...makeVisible(title, shownTitle).warnings,
    ...makeVisible(toolName).warnings,
    ...makeVisible(step ?? "", { kind: "prose" }).warnings,
    ...parts.flatMap((part) => part.warnings),
  ]);
  return {
    head: escapeInexact(`Allow ${makeVisible(named, shownTitle).lines.join("\\n").trimEnd()}`),
    facts: [
      ...(step === undefined ? [] : [`Step: ${visibleLabel(step)}`]),
      ...(workingDirectory === undefined ? [] : [`Working directory: ${visibleLine(workingDirectory)}`]),
      ...(title === toolName || title.startsWith(`${toolName}:`) ? [] : [`Tool: ${visibleLine(toolName)}`]),
    ].map(escapeInexact),
    parts: parts.map(({ heading, lines, isDiff, changes }) => ({
      ...{ heading, lines: lines.map(escapeInexact), isDiff },
      ...(changes === undefined ? {} : { changes }),
    })),
    warnings: [...warnings].map((warning) => escapeInexact(`Warning: it ${warning}`)),
  };
}

/**
 * Formats everything that a person must see before they allow a call, wrapped for a terminal. Text from the agent cannot
 * imitate a line of Atomic: each of its lines starts with `│`, or with `┆` when it is wrapped. Pure.
 */
export function formatPermissionRequest(request: PermissionRequest, columns: number): readonly string[] {
  const { head, facts, parts, warnings } = describePermissionRequest(request);
  return [
    ...wrapLine(head, { first: "", next: CONTINUATION, columns }),
    ...facts.flatMap((fact) => wrapLine(fact, { first: "  ", next: CONTINUATION, columns })),
    ...parts.flatMap((part) => formatPart(part, columns)),
    ...warnings.flatMap((warning) => wrapLine(warning, { first: "  ", next: "    ", columns })),
  ];
}

/** The command and files of a call, and the files that a search is limited to. */
function namesOf(request: PermissionRequest): readonly TextPart[] {
  const { command, paths, search } = request;
  return [
    ...(command === undefined ? [] : [{ heading: headingOfCommand(command), texts: [command] }]),
    ...(paths.length === 0 ? [] : [{ heading: headingOfPaths(request), texts: paths.map(keepInLine) }]),
    ...(search?.include === undefined ? [] : [{ heading: "Only files that match:", texts: [search.include] }]),
  ];
}

/** Names of files that no program runs. It leaves out `.txt`, because programs read files such as CMakeLists.txt. */
const PROSE_FILE = /\.md$/i;

/** All look-alikes are marked in what a shell or the network receives; code may have words of other scripts. */
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

function makePartVisible(
  { heading, texts, isDiff = false, changes }: TextPart,
  options: VisibleOptions,
): PermissionPart & VisibleText {
  const shown = texts.map((text) => makeVisible(text, options));
  const lines = shown.flatMap((text) => text.lines);
  return {
    ...{ heading, isDiff, lines },
    ...(changes?.length === lines.length ? { changes } : {}),
    warnings: shown.flatMap(({ warnings }) => warnings),
  };
}

/** The title without the input, address or command at its end, which is shown separately. */
function summaryOf({ title, command, details }: PermissionRequest): string {
  switch (details?.type) {
    case "input": {
      const text = withoutEnd(title, JSON.stringify(details.input) ?? "");
      // Notes from Atomic end only the titles of file calls, which are short.
      return text.length > MAX_SUMMARY_LENGTH && !/\)$/.test(text) ? `${text.slice(0, MAX_SUMMARY_LENGTH)}…` : text;
    }
    case "fetch":
      return withoutEnd(title, details.address);
    default:
      return (command === undefined ? undefined : beforeCutCommand(title, command)) ?? withoutEnd(title, command ?? "");
  }
}

function withoutEnd(title: string, shown: string): string {
  const [text, end] = [title.trim(), shown.trim()];
  if (end === "" || !text.endsWith(end)) return text;
  const before = text.slice(0, -end.length);
  return before === "" || /:\s*$/.test(before) ? before.replace(/:\s*$/, "") : text;
}

/** The title before a command that is so long that the title has only its start: the whole is below. */
function beforeCutCommand(title: string, command: string): string | undefined {
  const [, start, shown = ""] = /^([^:]{0,200}): ([\s\S]+)… [\d,]+ more characters/.exec(title) ?? [];
  return start !== undefined && command.startsWith(shown) ? start : undefined;
}

function formatPart({ heading, lines }: PermissionPart, columns: number): readonly string[] {
  return [
    ...wrapLine(heading, { first: "  ", next: "  ", columns }),
    ...lines.flatMap((line) => markLines(line, columns)),
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

/** A file name may contain a line break. */
function keepInLine(path: string): string {
  return path.replaceAll("\n", "\\n");
}
