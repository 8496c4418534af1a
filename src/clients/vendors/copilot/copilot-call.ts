import path from "node:path";
import {
  isRecord,
  type PermissionRequest,
  quoteForShell,
  recordOf,
  stringOf,
  type ToolKind,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { toDetails } from "../../policy/call-details.ts";
import { inputKey } from "../../policy/input-key.ts";
import { formatPaths } from "../../policy/rules/format-paths.ts";
import { COPILOT_TOOLS } from "./runtime/copilot-tool-table.ts";

/** A tool call that Copilot is about to make. */
export interface CopilotCall {
  readonly id: string;
  readonly toolName: string;
  readonly input: unknown;
  /** Whether an MCP server or Atomic offers the tool. */
  readonly isForeign: boolean;
}

/** Where a call is made. */
export interface CopilotCallPlace {
  readonly sessionId: string;
  /** The absolute folder that Copilot resolves relative paths in. */
  readonly workingDirectory: string;
}

/** The fields of a request that depend on the tool. */
type CallReading = Pick<PermissionRequest, "kind" | "paths"> &
  Partial<Pick<PermissionRequest, "search" | "command">> & { readonly subject: string };

/**
 * The permission that a call needs, from its tool and input alone. Pure. A call that cannot be parsed is `other`, which
 * only a person or a rule about all kinds can allow.
 *
 * Copilot uses paths as they are: it neither trims them nor expands `~`, `$HOME` and `file:`. Relative paths start from the
 * working directory. Only searches split a text that names no folder at its white space.
 */
export function toCallRequest(call: CopilotCall, place: CopilotCallPlace): PermissionRequest {
  const { id, toolName, input } = call;
  const { subject, kind, paths, search, command } = readCall(call, place.workingDirectory);
  const details = toDetails({ kind, input, paths });
  return {
    id,
    sessionId: place.sessionId,
    kind,
    toolName,
    title: `${toolName}: ${subject}`,
    paths,
    ...(search === undefined ? {} : { search }),
    ...(command === undefined ? {} : { command }),
    ...(details === undefined ? {} : { details }),
    ...(kind === "edit" || kind === "other" ? { key: inputKey([toolName, input]) } : {}),
  };
}

/** Whether a call of this tool needs no approval if no rule matches. */
export function isQuietTool({ toolName, isForeign }: Pick<CopilotCall, "toolName" | "isForeign">): boolean {
  return !isForeign && COPILOT_TOOLS.get(toolName)?.isQuiet === true;
}

/** The input of a search without a glob, with these file names excluded. */
export function excludeFiles(input: unknown, names: readonly string[]): UnknownRecord {
  return { ...recordOf(input), glob: `!{${names.join(",")}}` };
}

function readCall({ toolName, input, isForeign }: CopilotCall, workingDirectory: string): CallReading {
  const whole = (kind: ToolKind): CallReading => ({ kind, paths: [], subject: JSON.stringify(input ?? {}) });
  if (isForeign) return whole("mcp");
  const known = COPILOT_TOOLS.get(toolName);
  if (known === undefined) return whole("other");
  if (known.isQuiet) return whole(known.kind);
  switch (known.kind) {
    case "shell":
      return readShell(toolName, input) ?? whole("other");
    case "read":
      return (
        (toolName === "view" ? readFile(input, "read") : readSearch(toolName, input))?.(workingDirectory) ??
        whole("other")
      );
    case "edit":
      return readEdit(toolName, input)?.(workingDirectory) ?? whole("other");
    case "fetch": {
      const url = stringOf(recordOf(input).url);
      return url === "" ? whole("fetch") : { kind: "fetch", paths: [], subject: url };
    }
    default:
      return whole(known.kind);
  }
}

function readShell(toolName: string, input: unknown): CallReading | undefined {
  const { command, shellId, input: typed } = recordOf(input);
  if (toolName.startsWith("write_")) {
    // The typed text may go to any program, so only a rule about this tool may allow it, while every rule can deny it.
    const line = `${toolName} ${quoteForShell(stringOf(shellId))} ${quoteForShell(stringOf(typed))}`;
    return { kind: "shell", paths: [], command: line, subject: `${stringOf(shellId)} ${stringOf(typed)}` };
  }
  if (typeof command !== "string") return undefined;
  return { kind: "shell", paths: [], command, subject: command };
}

/** Parses a call, given the working directory. */
type Placed = (workingDirectory: string) => CallReading;

function readFile(input: unknown, kind: "read" | "edit"): Placed | undefined {
  const { path: file } = recordOf(input);
  return typeof file === "string" && file !== "" ? placePaths([file], kind) : undefined;
}

function placePaths(named: readonly string[], kind: "read" | "edit"): Placed {
  return (workingDirectory) => {
    const paths = [...new Set(named.map((file) => path.resolve(workingDirectory, file)))];
    return { kind, paths, subject: formatPaths(paths, workingDirectory) };
  };
}

function readEdit(toolName: string, input: unknown): Placed | undefined {
  if (toolName === "apply_patch") {
    const files = filesOfPatch(input);
    return files.length === 0 ? undefined : placePaths(files, "edit");
  }
  const isView = toolName === "str_replace_editor" && recordOf(input).command === "view";
  return readFile(input, isView ? "read" : "edit");
}

/** The files that a patch names, wherever its text is in the input. */
function filesOfPatch(input: unknown): readonly string[] {
  const texts = isRecord(input) ? Object.values(input) : [input];
  return texts.flatMap((text) =>
    [...stringOf(text).matchAll(/\*\*\*\s*(?:(?:Add|Update|Delete)\s+File|Move\s+to)\s*:[ \t]*([^\r\n]+)/gi)].flatMap(
      ([, name = ""]) => (name.trim() === "" ? [] : [name.trim()]),
    ),
  );
}

/** The known arguments of a search; a search with others counts as one of all files. */
const SEARCH_ARGUMENTS: ReadonlySet<string> = new Set([
  ...["pattern", "path", "paths", "output_mode", "glob", "type", "head_limit", "multiline"],
  ...["-i", "-A", "-B", "-C", "-n"],
]);

function readSearch(toolName: string, input: unknown): Placed | undefined {
  if (!isRecord(input)) return undefined;
  const named = [input.path, input.paths].flat().filter((one) => one !== undefined && one !== null);
  if (!named.every((one) => typeof one === "string")) return undefined;
  const isPlain = Object.keys(input).every((name) => SEARCH_ARGUMENTS.has(name));
  const pattern = stringOf(input.pattern);
  const glob = toolName === "glob" ? pattern : stringOf(input.glob);
  return (workingDirectory) => {
    const starts = (named.length === 0 ? ["."] : named).flatMap((text) => foldersIn(text, workingDirectory));
    const base = toolName === "glob" ? fixedFolder(pattern) : ".";
    const paths = [...new Set(starts.map((start) => path.resolve(workingDirectory, start, base)))];
    const canExclude = toolName !== "glob" && isPlain && input.glob === undefined;
    const search = {
      ...(isPlain && glob !== "" ? { include: glob } : {}),
      ...(canExclude ? { canExclude } : {}),
      ...(toolName === "glob" && isPlain ? { listsNames: true } : {}),
    };
    const limit = toolName === "glob" || glob === "" ? "" : ` (${glob})`;
    return { kind: "read", paths, search, subject: `${pattern} in ${formatPaths(paths, workingDirectory)}${limit}` };
  };
}

/** A text names one folder, or several separated by white space; a working directory with white space is one name. */
function foldersIn(text: string, workingDirectory: string): readonly string[] {
  const isBlank = /\s/;
  if (!isBlank.test(text)) return [text];
  const pieces = text
    .replaceAll(workingDirectory, "\0")
    .split(/\s+/)
    .filter((piece) => piece !== "");
  return [...new Set([text, ...pieces.map((piece) => piece.replaceAll("\0", workingDirectory))])];
}

/** The leading folders of a glob that contain no wildcard. */
function fixedFolder(pattern: string): string {
  const segments = pattern.split("/");
  const count = segments.findIndex((segment) => !/^[\w-][\w.-]*$/.test(segment));
  return segments.slice(0, count === -1 ? segments.length - 1 : count).join("/") || ".";
}
