import path from "node:path";
import { type PermissionRequest, recordOf, stringOf } from "../../contracts/index.ts";
import { formatPaths } from "./rules/format-paths.ts";

/** A line of a patch that names a file, in every spelling that agents accept. */
const FILE_LINE = /\*\*\*\s*((?:Add|Update|Delete)\s+File|Move\s+to)\s*:[ \t]*([^\r\n]+)/gi;

/** The names of the files that a patch moves, wherever in a tool's input the patch is. Pure. */
export function movedFilesOf(input: unknown): readonly string[] {
  const texts = typeof input === "string" ? [input] : Object.values(recordOf(input)).map(stringOf);
  return texts.flatMap((text) => {
    const lines = [...text.matchAll(FILE_LINE)].map(([, verb = "", name = ""]) => ({ verb, name: name.trim() }));
    return lines.flatMap(({ verb }, index) => {
      const before = lines[index - 1]?.name ?? "";
      return /^move/i.test(verb) && before !== "" ? [before] : [];
    });
  });
}

/**
 * The reading that a move requires: a moved file can be read under its new name, so reading it must be allowed. Undefined
 * for a change that moves no file. Pure.
 */
export function readingOfMoved(
  request: PermissionRequest,
  { input, workingDirectory }: { readonly input: unknown; readonly workingDirectory: string },
): PermissionRequest | undefined {
  if (request.kind !== "edit") return undefined;
  const paths = [...new Set(movedFilesOf(input).map((name) => path.resolve(workingDirectory, name)))];
  if (paths.length === 0) return undefined;
  const { id, sessionId, toolName } = request;
  const title = `${toolName}: ${formatPaths(paths, workingDirectory)} (is moved, and can be read under its new name)`;
  return { id, sessionId, toolName, kind: "read", title, paths };
}
