import path from "node:path";
import { type PermissionRequest, recordOf, recordsOf, stringOf, type ToolKind } from "../../../contracts/index.ts";
import { boundTitle, isTooLong } from "../../policy/bound-title.ts";
import { toDetails } from "../../policy/call-details.ts";
import { inputKey } from "../../policy/input-key.ts";
import { OPENCODE_TOOLS } from "./opencode-tools.ts";

/** A tool call that waits for Atomic's decision, as the plugin sends it. */
export interface OpenCodeCall {
  /** OpenCode's session, which may be that of a sub-agent. */
  readonly sessionId: string;
  readonly callId: string;
  /** OpenCode's name for the tool. */
  readonly tool: string;
  readonly input: unknown;
  /** The absolute folder in which the tool works. */
  readonly directory: string;
  /** Whether an MCP server offers the tool. Known only for tools that are not OpenCode's own. */
  readonly isMcp: boolean;
}

/** Parses a call that the plugin sends. */
export function parseOpenCodeCall(raw: unknown): OpenCodeCall {
  const { sessionID, callID, tool, args, directory, isMcp } = recordOf(raw);
  return {
    sessionId: stringOf(sessionID),
    callId: stringOf(callID),
    tool: stringOf(tool),
    input: args,
    directory: stringOf(directory),
    isMcp: isMcp === true,
  };
}

/** What is known about the conversation that a call belongs to. */
export interface CallContext {
  /** The session that subscribers know. */
  readonly sessionId: string;
  /** The tool's name for subscribers. */
  readonly toolName: string;
}

/** What a tool call does. */
export function kindOfCall({ tool, isMcp }: Pick<OpenCodeCall, "tool" | "isMcp">): ToolKind {
  return OPENCODE_TOOLS.get(tool)?.kind ?? (isMcp ? "mcp" : "other");
}

/** The permission that a call needs, from the tool's name and arguments alone. Pure. */
export function toCallRequest(call: OpenCodeCall, { sessionId, toolName }: CallContext): PermissionRequest {
  const kind = kindOfCall(call);
  const command = kind === "shell" ? commandOfCall(call) : undefined;
  const paths = pathsOfCall(call, kind);
  const search = searchOfCall(call);
  // An edit that names no files could change any, so no rule about files matches it.
  const isUnclear = kind === "edit" && paths.length === 0;
  const input = JSON.stringify(call.input) ?? "";
  const named = subjectOfCall(call) ?? (paths.length > 0 ? namesOf(paths, call.directory) : input);
  const isOutside = paths.some((file) => isOutsideOf(call.directory, file));
  const subject = command ?? named;
  const judged = isUnclear ? "other" : kind;
  const details = toDetails({ kind: judged, input: call.input, paths });
  const title = `${toolName}: ${subject}${isOutside ? " (outside of the working directory)" : ""}`;
  const isWhole = named === input && !isTooLong(title);
  return {
    id: call.callId,
    sessionId,
    kind: judged,
    toolName,
    title: boundTitle(title),
    paths,
    ...(search === undefined ? {} : { search }),
    ...(command === undefined ? {} : { command }),
    ...(details === undefined ? {} : { details }),
    ...(command === undefined && paths.length === 0 && !isWhole ? { key: inputKey(call.input) } : {}),
  };
}

/** `cd FOLDER && LINE` if the call names a folder: in another folder the same line does something else. */
function commandOfCall({ input, directory }: OpenCodeCall): string {
  const { command, workdir } = recordOf(input);
  const folder = path.resolve(directory, stringOf(workdir));
  const step = folder === path.resolve(directory) ? "" : `cd ${quote(folder)} && `;
  return `${step}${stringOf(command)}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The absolute files that a call names, as OpenCode resolves them: from its folder, with nothing expanded. */
function pathsOfCall({ tool, input, directory }: OpenCodeCall, kind: ToolKind): readonly string[] {
  if (kind !== "read" && kind !== "edit") return [];
  const fields = recordOf(input);
  const resolveAll = (names: readonly string[]) => [
    ...new Set(names.filter((name) => name !== "").map((name) => path.resolve(directory, name))),
  ];
  switch (tool) {
    case "glob":
    case "grep":
    case "list":
      return resolveAll([stringOf(fields.path) || "."]);
    case "skill":
      return [];
    default:
      return resolveAll([
        stringOf(fields.filePath),
        ...textsOf(fields.filePaths),
        ...recordsOf(fields.edits).map((edit) => stringOf(edit.filePath)),
        ...filesOfPatch(stringOf(fields.patchText)),
      ]);
  }
}

/** Every file that a patch adds, changes, deletes or moves to; possibly more than OpenCode finds in it, never fewer. */
export function filesOfPatch(patch: string): readonly string[] {
  return patch.split("\n").flatMap((line) => {
    const name = /^\s*\*\*\* (?:Add File|Delete File|Update File|Move to):(.*)$/s.exec(line)?.[1]?.trim();
    return name === undefined || name === "" ? [] : [name];
  });
}

function searchOfCall({ tool, input }: OpenCodeCall): PermissionRequest["search"] {
  const { pattern, include } = recordOf(input);
  switch (tool) {
    case "glob": {
      // An unknown pattern could list more than the folder that it starts in.
      const limit = includeOf(pattern);
      return limit.include === undefined ? limit : { ...limit, listsNames: true };
    }
    case "grep":
      // Grep takes one glob, which can exclude files if the call does not use it.
      return stringOf(include) === "" ? { canExclude: true } : includeOf(include);
    case "list":
      return { listsNames: true };
    default:
      return undefined;
  }
}

/**
 * A glob as ripgrep reads it: without a slash it matches files in any folder. A glob that ripgrep reads differently from
 * Atomic (`[a-z]`, `\\`, `!`, `#`, nested braces, `**` in a name) counts as absent: then every file is searched.
 */
function includeOf(raw: unknown): NonNullable<PermissionRequest["search"]> {
  const glob = stringOf(raw);
  const isPlain = /^[\w.*?,{}/@+=~-]+$/.test(glob) && !/\{[^}]*\{|[^/]\*\*|\*\*[^/]/.test(glob);
  if (!isPlain) return {};
  return { include: glob.includes("/") ? glob.replace(/^\/+/, "") : `**/${glob}` };
}

/** The arguments of a search that excludes these files. */
export function withoutFiles(input: unknown, exclude: readonly string[]): unknown {
  const [only, ...others] = exclude;
  if (only === undefined) return input;
  return { ...recordOf(input), include: `!**/${others.length === 0 ? only : `{${exclude.join(",")}}`}` };
}

function subjectOfCall({ tool, input }: OpenCodeCall): string | undefined {
  const fields = recordOf(input);
  switch (tool) {
    case "webfetch":
      return stringOf(fields.url) || undefined;
    case "websearch":
    case "codesearch":
      return stringOf(fields.query) || undefined;
    case "glob":
    case "grep":
      return stringOf(fields.pattern) || undefined;
    case "skill":
      return stringOf(fields.name) || undefined;
    case "task":
      return `${stringOf(fields.description)} (${stringOf(fields.subagent_type)}): ${stringOf(fields.prompt)}`;
    default:
      return undefined;
  }
}

function isOutsideOf(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
}

function namesOf(paths: readonly string[], directory: string): string {
  return paths.map((file) => (isOutsideOf(directory, file) ? file : path.relative(directory, file) || ".")).join(", ");
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
