import type { PermissionRequest } from "../../contracts/index.ts";
import type { ChangedLine } from "../../view/index.ts";
import {
  describePermissionRequest,
  describeRemembered,
  mostColumnsOf,
  type PermissionPart,
} from "../../view/permissions.ts";
import { occurrenceCounter } from "../chat/diff-comments.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { wrapExactly, wrapText } from "./wrap-text.ts";

/** A line of a permission request. Text from the agent is indented: no line of it can imitate one of Atomic. */
export interface PermissionLine {
  readonly tone: "fact" | "agent" | "added" | "removed" | "warning";
  readonly text: string;
  /** The line of a file that it shows, of which it may be a part. */
  readonly change?: ChangedLine;
}

/** The start of a line of the agent's text. */
const INDENT = "  ";

/** Longer steps are cut in the dialog's title, and are shown in a line of their own. */
const MAX_STEP_LENGTH = 20;

/** Settings of {@link permissionLines}. */
export interface PermissionLinesOptions {
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** Sentences of Atomic about the request, before everything else. @default none */
  readonly notes?: readonly string[];
}

/**
 * Everything that a person must see before they allow a call, wrapped; the last lines say what a longer answer would cover.
 * Nothing that the call does is cut.
 */
export function permissionLines(
  request: PermissionRequest,
  { columns, glyphs, notes = [] }: PermissionLinesOptions,
): readonly PermissionLine[] {
  const { head, facts, parts, warnings } = describePermissionRequest(request);
  const count = occurrenceCounter();
  const { step = "", isOnce = false } = request;
  const write = (tone: PermissionLine["tone"], text: string): readonly PermissionLine[] =>
    wrapText(text, columns).map((line) => ({ tone, text: line }));
  // It contains names from the agent: no further row of it may look like a line of Atomic.
  const writeNamed = (text: string): readonly PermissionLine[] =>
    wrapText(text, columns - INDENT.length).map((line, index) => ({
      tone: "fact",
      text: index === 0 ? line : `${glyphs.wrapped} ${line}`,
    }));
  const agent = (tone: PermissionLine["tone"], text: string, change?: ChangedLine): readonly PermissionLine[] =>
    wrapExactly(text, columns - INDENT.length).map((line, index) => ({
      tone,
      text: `${index === 0 ? INDENT : `${glyphs.wrapped} `}${line}`,
      ...(change === undefined ? {} : { change }),
    }));
  const counted = (change: ChangedLine | undefined): ChangedLine | undefined => change && count(change);
  const showPart = (part: PermissionPart): readonly PermissionLine[] => {
    const { heading, lines, isDiff, changes } = part;
    const short = `${heading} ${lines.join()}`;
    if (lines.length === 1 && !isDiff && mostColumnsOf(short) <= columns && !isNamedByTitle(part, request)) {
      return [{ tone: "agent", text: short }];
    }
    const named = isNamedByTitle(part, request) ? [] : write("fact", heading);
    return [...named, ...lines.flatMap((line, index) => agent(toneOf(line, part), line, counted(changes?.[index])))];
  };
  return [
    ...notes.flatMap((note) => write("warning", note)),
    ...(isKnown(head, request) ? [] : agent("agent", head.replace(/^Allow /, ""))),
    ...warnings.flatMap((warning) => write("warning", warning)),
    ...facts.filter((fact) => !fact.startsWith("Step: ") || step.length > MAX_STEP_LENGTH).flatMap(writeNamed),
    ...parts.flatMap(showPart),
    ...(isOnce ? [] : writeNamed(`a and p allow ${describeRemembered(request)}.`)),
  ];
}

/** Whether the title of the dialog says what the heading would. */
function isNamedByTitle({ heading }: PermissionPart, { kind, details }: PermissionRequest): boolean {
  return (kind === "shell" && heading === "Command:") || (details?.type === "fetch" && heading === "Address:");
}

/** Whether the request's title adds nothing to the dialog's title and to what is below. */
function isKnown(head: string, { kind, toolName, paths, isDeletion = false }: PermissionRequest): boolean {
  const summary = head
    .replace(/^Allow /, "")
    .replace(`${isDeletion ? "delete" : kind}:`, "")
    .trim()
    .replace(`${toolName}:`, "")
    .trim();
  const isPath = paths.some((path) => path === summary || path.endsWith(`/${summary}`));
  return summary === "" || summary === toolName || summary === kind || isPath;
}

function toneOf(line: string, { isDiff }: PermissionPart): PermissionLine["tone"] {
  if (!isDiff) return "agent";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "agent";
}
