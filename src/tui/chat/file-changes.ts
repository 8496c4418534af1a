import type { PermissionDetails, TextPlace } from "../../contracts/index.ts";
import type { ToolEntry } from "./chat-entry.ts";

/** A change of a file, as a tool call describes it. */
export type FileChange =
  | {
      readonly type: "replace";
      readonly path: string;
      readonly oldText: string;
      readonly newText: string;
      readonly place?: TextPlace;
    }
  /** The whole new content. */
  | { readonly type: "write"; readonly path: string; readonly text: string }
  /** A patch of one or several files. */
  | { readonly type: "patch"; readonly text: string };

/** The changes of files that a tool call makes. Empty when it makes none, or they are not known. */
export function fileChangesOf({ kind, request, input, places = [] }: ToolEntry): readonly FileChange[] {
  const approved = request?.details === undefined ? [] : changesOfDetails(request.details);
  const changes = approved.length > 0 ? approved : kind === "edit" ? changesOfInput(input) : [];
  return changes.map((change, index) => {
    const place = places[index];
    return change.type !== "replace" || place === undefined || place === null ? change : { ...change, place };
  });
}

function changesOfDetails(details: PermissionDetails): readonly FileChange[] {
  switch (details.type) {
    case "edit":
      return details.changes.map(({ path, oldText, newText }) => ({ type: "replace", path, oldText, newText }));
    case "write":
      return [{ type: "write", path: details.path, text: details.text }];
    case "patch":
      return [{ type: "patch", text: details.text }];
    default:
      return [];
  }
}

/** The names that vendors' tools have for the same argument. */
const PATH_NAMES = ["file_path", "filePath", "path", "filename"];
const OLD_NAMES = ["old_string", "oldString", "old_str", "oldText"];
const NEW_NAMES = ["new_string", "newString", "new_str", "newText"];
const CONTENT_NAMES = ["content", "contents", "file_text", "text"];
const PATCH_NAMES = ["patchText", "patch", "diff"];

function changesOfInput(input: unknown): readonly FileChange[] {
  if (typeof input !== "object" || input === null) return [];
  const patch = textOf(input, PATCH_NAMES);
  if (patch !== undefined) return [{ type: "patch", text: patch }];
  const path = textOf(input, PATH_NAMES);
  if (path === undefined) return [];
  const edits: unknown = Reflect.get(input, "edits");
  if (Array.isArray(edits)) return edits.flatMap((edit: unknown) => replacementOf(edit, path));
  const replaced = replacementOf(input, path);
  if (replaced.length > 0) return replaced;
  const text = textOf(input, CONTENT_NAMES);
  return text === undefined ? [] : [{ type: "write", path, text }];
}

function replacementOf(input: unknown, path: string): readonly FileChange[] {
  if (typeof input !== "object" || input === null) return [];
  const oldText = textOf(input, OLD_NAMES);
  const newText = textOf(input, NEW_NAMES);
  return oldText === undefined && newText === undefined
    ? []
    : [{ type: "replace", path, oldText: oldText ?? "", newText: newText ?? "" }];
}

function textOf(input: object, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value: unknown = Reflect.get(input, name);
    if (typeof value === "string") return value;
  }
  return undefined;
}
