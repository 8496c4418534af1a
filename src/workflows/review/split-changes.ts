import { basename } from "node:path/posix";
import { isSecretName } from "../../contracts/index.ts";
import type { FileChange } from "./parse-diff.ts";

/** Lines of a change that belong into one prompt, by their numbers in {@link renderChange}; `to` is exclusive. */
export interface ChangePiece {
  /** The position of the change in the list; a path can occur twice, as where a link replaces a file. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** What one prompt contains of a diff. */
export interface DiffPart {
  /** From 1. */
  readonly number: number;
  readonly pieces: readonly ChangePiece[];
}

/** A file, or a part of one, that no reviewer reads. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** Limits of {@link splitChanges}. */
export interface SplitLimits {
  /** How much of the diff a prompt contains, in characters. */
  readonly maxDiffLength: number;
  /** How many prompts the diff is split into. */
  readonly maxParts: number;
}

/** The longest line in a prompt, in characters. */
const MAX_LINE_LENGTH = 2_000;

const GENERATED_NAMES = new Set([
  ...["bun.lock", "Cargo.lock", "composer.lock", "Gemfile.lock", "go.sum", "npm-shrinkwrap.json", "package-lock.json"],
  ...["pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock"],
]);
const GENERATED_ENDINGS = /\.(?:min\.(?:js|css)|map|snap)$/;

/** Splits a diff into the parts of which each fits into a prompt, and says what is left out. Pure. */
export function splitChanges(
  files: readonly FileChange[],
  { maxDiffLength, maxParts }: SplitLimits,
): { readonly parts: readonly DiffPart[]; readonly leftOut: readonly LeftOut[] } {
  const parts: ChangePiece[][] = [];
  const leftOut: LeftOut[] = [];
  let room = 0;
  for (const [index, file] of files.entries()) {
    const reason = reasonToLeaveOut(file);
    if (reason !== undefined) {
      leftOut.push({ path: file.path, reason });
      continue;
    }
    const lengths = renderChange(file).map((line) => line.length + 1);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    // A file is only divided if it does not fit into a prompt of its own.
    const isDivided = total > maxDiffLength;
    let from = 0;
    let used = 0;
    let isLeftOut = false;
    const close = (to: number): void => {
      if (to > from) parts.at(-1)?.push({ index, from, to });
      from = to;
    };
    for (const [line, length] of lengths.entries()) {
      const needed = isDivided || line > 0 ? length : total;
      if (needed > room - used) {
        close(line);
        if (parts.length >= maxParts) {
          leftOut.push({ path: file.path, reason: describeRest(line) });
          isLeftOut = true;
          break;
        }
        parts.push([]);
        room = maxDiffLength;
        used = 0;
      }
      used += length;
    }
    if (!isLeftOut) close(lengths.length);
    room -= used;
  }
  const filled = parts.filter((pieces) => pieces.length > 0);
  return { parts: filled.map((pieces, index) => ({ number: index + 1, pieces })), leftOut };
}

/** How much of the prompts a change takes, in characters: nothing if no reviewer reads it. */
export function promptLengthOf(change: FileChange): number {
  if (reasonToLeaveOut(change) !== undefined) return 0;
  return renderChange(change).reduce((sum, line) => sum + line.length + 1, 0);
}

function describeRest(line: number): string {
  return line === 0 ? "the diff is too large" : "the diff is too large: only the start of this file was read";
}

/** Why no reviewer reads a file. */
export function reasonToLeaveOut({ path, isBinary }: Pick<FileChange, "path" | "isBinary">): string | undefined {
  const name = basename(path);
  if (isBinary) return "binary file";
  if (isSecretName(name)) return "its name suggests secrets";
  return GENERATED_NAMES.has(name) || GENERATED_ENDINGS.test(name) ? "generated file" : undefined;
}

/** A change as agents read it: one line per line, with the line numbers of the new version. */
export function renderChange(change: FileChange): readonly string[] {
  const { path, oldPath, status, hunks } = change;
  const lines = [`=== ${path} (${oldPath === undefined ? status : `renamed from ${oldPath}`})`];
  for (const { start, lines: changed } of hunks) {
    let number = start;
    lines.push("@@");
    for (const line of changed) {
      const text = line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}… (shortened)` : line;
      lines.push(`${(line.startsWith("-") ? "" : String(number++)).padStart(6)} ${text}`);
    }
  }
  return lines;
}

/** The text of some pieces of a diff. */
export function renderPieces(files: readonly FileChange[], pieces: readonly ChangePiece[]): string {
  return pieces
    .flatMap(({ index, from, to }) => {
      const file = files[index];
      if (file === undefined) return [];
      const lines = renderChange(file);
      // The name of the file is in its first line only.
      return [...(from === 0 ? [] : [`${lines[0]}, continued`]), ...lines.slice(from, to)];
    })
    .join("\n");
}
