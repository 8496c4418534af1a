import {
  type PermissionDetails,
  recordOf,
  recordsOf,
  stringOf,
  type TextChange,
  type ToolKind,
  type UnknownRecord,
} from "../../contracts/index.ts";

/** What the readers of all vendors' calls know about one. */
export interface DetailedCall {
  readonly kind: ToolKind;
  /** As the tool receives it. */
  readonly input: unknown;
  /** The absolute files that the call names. */
  readonly paths: readonly string[];
}

/** The fields in which agents name a tool's file. */
const FILE_FIELDS = ["filePath", "file_path", "path", "notebook_path", "absolute_path"];

/**
 * What a person must see of a call besides its title, command and files. Reads a change from the fields that the editing
 * tools of all agents share; shows a call with other fields with its whole input. Pure.
 */
export function toDetails({ kind, input, paths }: DetailedCall): PermissionDetails | undefined {
  switch (kind) {
    case "edit":
      return toEdit(input, paths[0] ?? "") ?? { type: "input", input };
    case "fetch": {
      const { url, ...others } = recordOf(input);
      const isAll = Object.keys(others).every((name) => FETCH_FIELDS.has(name));
      return stringOf(url) !== "" && isAll ? { type: "fetch", address: stringOf(url) } : { type: "input", input };
    }
    case "read":
    case "shell":
      return undefined;
    case "mcp":
    case "agent":
    case "other":
      return { type: "input", input };
  }
}

/** How the answer reaches the model. These values send nothing to another machine. */
const FETCH_FIELDS: ReadonlySet<string> = new Set(["format", "timeout", "raw", "max_length", "start_index"]);

/** Each reader accepts a call only when it knows all of its fields: a hidden field could change what the call does. */
function toEdit(input: unknown, only: string): PermissionDetails | undefined {
  if (typeof input === "string") return { type: "patch", text: input };
  const fields = recordOf(input);
  const path = fileIn(fields) ?? only;
  // The tool decides which of two files is meant.
  if (FILE_FIELDS.filter((name) => fields[name] !== undefined).length > 1) return undefined;
  const names = Object.keys(fields).filter((name) => !FILE_FIELDS.includes(name) && fields[name] !== undefined);
  const hasOnly = (known: readonly string[]): boolean => names.every((name) => known.includes(name));
  const content = [fields.content, fields.file_text].find((text) => typeof text === "string");
  if (typeof content === "string" && hasOnly(WRITE_FIELDS)) return { type: "write", path, text: content };
  const patch = [fields.patchText, fields.patch, fields.input].find((text) => typeof text === "string");
  if (typeof patch === "string" && names.length === 1) return { type: "patch", text: patch };
  if (Array.isArray(fields.edits) && names.length === 1) {
    const edits = recordsOf(fields.edits);
    const changes = edits.flatMap((edit) => toChange(edit, path));
    const isWhole = changes.length > 0 && changes.length === fields.edits.length;
    return isWhole ? { type: "edit", changes } : undefined;
  }
  const changes = toChange(fields, path);
  return changes.length === 0 ? undefined : { type: "edit", changes };
}

function fileIn(fields: UnknownRecord): string | undefined {
  return FILE_FIELDS.map((name) => stringOf(fields[name])).find((name) => name !== "");
}

const WRITE_FIELDS = ["content", "file_text"];
const OLD_FIELDS = ["old_string", "oldString", "old_str"];
const NEW_FIELDS = ["new_string", "newString", "new_str"];
const EVERYWHERE_FIELDS = ["replace_all", "replaceAll"];
const CHANGE_FIELDS = [...OLD_FIELDS, ...NEW_FIELDS, ...EVERYWHERE_FIELDS, ...FILE_FIELDS];

/** The change that the fields describe. Undefined if there are other fields, too. */
function toChange(fields: UnknownRecord, file: string): readonly TextChange[] {
  const textIn = (names: readonly string[]): string | undefined =>
    names.map((name) => fields[name]).find((value) => typeof value === "string");
  const [oldText, newText] = [textIn(OLD_FIELDS), textIn(NEW_FIELDS)];
  const isKnown = Object.keys(fields).every((name) => CHANGE_FIELDS.includes(name));
  if (oldText === undefined || newText === undefined || !isKnown) return [];
  const path = fileIn(fields) ?? file;
  const isEverywhere = EVERYWHERE_FIELDS.some((name) => fields[name] === true);
  return [{ path, oldText, newText, ...(isEverywhere ? { isEverywhere } : {}) }];
}
