import { isListOfTools, isOwnField } from "./definition-fields.ts";

/** Fields of a definition that are in no frontmatter. */
export interface MisplacedHead {
  /** The line of the first one, counted from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Also of quotes, and of fields after tabs. */
const FIELD = /^[\s\u200b\ufeff]*["']?([A-Za-z_][\w-]*)["']?[ \t]*:(?:\s|$)/;

/** What a person may have meant as the line before or after the fields, such as `----` or `+++`. */
const FENCE_LIKE = /^[\s\u200b\ufeff]*(?:[-–—=]{2,}|—|\+{3,}|-{3,}[ \t]*\w+)\s*$/;

/** Belongs to the field before it. */
const CONTINUED = /^(?:[ \t]+\S|- |#|\s*$)/;

/** How many lines are searched: a head that is further down is an example. */
const MAX_LINES = 200;

/**
 * Finds fields that were meant to be a frontmatter in a file that has none: without the line before them, with another one
 * than `---`, after a comment or a title, or in a block of code that is the whole file. Pure.
 */
export function findMisplacedHead(text: string): MisplacedHead | undefined {
  const lines = text.split("\n", MAX_LINES);
  const start = skipWrapping(lines);
  const own = readBlock(lines, start);
  const isWrapped = start > lines.findIndex((line) => !isBlank(line));
  if (own !== undefined && (own.isClosed || isWrapped || own.fields.length > 1)) return own;
  const title = lines.findIndex((line) => line.startsWith("```") || /^---[ \t\r]*$/.test(line));
  if (title === -1 || lines[title]?.startsWith("```")) return undefined;
  const later = readBlock(lines, title + 1);
  return later?.isClosed && (later.fields.length > 1 || later.fields.some(isListOfTools)) ? later : undefined;
}

/** The index of the first line after comments, the beginning of a block of code, and a fence. */
function skipWrapping(lines: readonly string[]): number {
  let at = 0;
  let isComment = false;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const begins: boolean = isComment || /^[\s\ufeff]*<!--/.test(line);
    isComment = begins && !line.includes("-->");
    if (!begins && !isBlank(line) && !FENCE_LIKE.test(line) && !/^\s*(?:```|~~~)/.test(line)) break;
  }
  return at;
}

interface Block extends MisplacedHead {
  /** Whether a fence follows. */
  readonly isClosed: boolean;
}

/** The fields that Atomic reads, from one line to the first that belongs to none. */
function readBlock(lines: readonly string[], start: number): Block | undefined {
  const fields: string[] = [];
  let first = start;
  let isClosed = false;
  for (const [index, line] of lines.entries()) {
    if (index < start) continue;
    isClosed = FENCE_LIKE.test(line);
    const name = FIELD.exec(line)?.[1];
    if (isClosed || (name === undefined && !CONTINUED.test(line))) break;
    if (name === undefined || !isLikeOwn(name)) continue;
    if (fields.length === 0) first = index;
    fields.push(name);
  }
  return fields.length === 0 ? undefined : { line: first + 1, fields, isClosed };
}

/** Also in capital letters. */
function isLikeOwn(name: string): boolean {
  return isOwnField(name) || isOwnField(name.toLowerCase());
}

function isBlank(line: string): boolean {
  return /^[\s\u200b\ufeff]*$/.test(line);
}
