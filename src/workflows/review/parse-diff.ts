import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from "diff";
import { messageOf } from "../../contracts/index.ts";
import { shorten } from "./finding.ts";
import { InvalidReviewInputError } from "./review-errors.ts";

/** A run of lines in a diff. */
export interface DiffHunk {
  /** The number of its first line in the new version of the file. */
  readonly start: number;
  /** The lines with their first character: a space, `+` or `-`. */
  readonly lines: readonly string[];
}

/** The change of one file. */
export interface FileChange {
  /** The path in the new version; that of the old version for a deleted file. */
  readonly path: string;
  /** The path before, where the file was renamed. */
  readonly oldPath?: string;
  readonly status: "added" | "deleted" | "modified" | "renamed";
  readonly isBinary: boolean;
  readonly hunks: readonly DiffHunk[];
}

/**
 * Parses a unified diff, as git, `diff -u` and `git format-patch` write it. A text without any has no files.
 *
 * @throws InvalidReviewInputError
 */
export function parseDiff(text: string): readonly FileChange[] {
  try {
    return parsePatch(simplify(text)).flatMap((patch) => toChange(patch) ?? []);
  } catch (error) {
    throw new InvalidReviewInputError([`diff: ${shorten(messageOf(error), MAX_MESSAGE_LENGTH)}`]);
  }
}

/** The message of the parser quotes the line. */
const MAX_MESSAGE_LENGTH = 200;

/** Removes what the parser does not know: the version of git at the end of a mail, and the content of binary files. */
function simplify(text: string): string {
  return text.replace(/^-- \r?\n(?=\d)/gm, "").replace(/^GIT binary patch\r?$/gm, "Binary files differ");
}

/** Undefined for what names no file. */
function toChange({ oldFileName, newFileName, isBinary = false, ...patch }: StructuredPatch): FileChange | undefined {
  const oldPath = pathOf(oldFileName, "a/");
  const newPath = pathOf(newFileName, "b/");
  const path = newPath ?? oldPath;
  if (path === undefined) return undefined;
  const about = { isBinary, hunks: patch.hunks.map(toHunk) };
  if (patch.isCreate === true || oldPath === undefined) return { path, status: "added", ...about };
  if (patch.isDelete === true || newPath === undefined) return { path, status: "deleted", ...about };
  return oldPath === path ? { path, status: "modified", ...about } : { path, oldPath, status: "renamed", ...about };
}

function pathOf(name: string | undefined, prefix: string): string | undefined {
  if (name === "/dev/null") return undefined;
  return name?.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function toHunk({ newStart: start, lines }: StructuredPatchHunk): DiffHunk {
  return {
    start,
    lines: lines
      // It says that the line before it has no line break.
      .filter((line) => !line.startsWith("\\"))
      // Editors and mail remove the space of an empty line.
      .map((line) => (line === "" ? " " : line)),
  };
}
