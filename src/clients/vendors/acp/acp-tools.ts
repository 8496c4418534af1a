import path from "node:path";
import { fileURLToPath } from "node:url";
import {
  isRecord,
  recordOf,
  recordsOf,
  stringOf,
  type TextChange,
  type ToolKind,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { joinCommand } from "./program/acp-command-line.ts";

/** Everything that the agent has reported about a tool call. */
export interface AcpToolCall {
  readonly id: string;
  /** The tool's own name where the agent reports it, else its kind. */
  readonly name: string;
  /** The tool's own name in a field that no model writes; empty when there is none. */
  readonly ownName: string;
  readonly title: string;
  /** ACP's kind; empty when it was not reported. */
  readonly acpKind: string;
  readonly input: unknown;
  /** The files of its locations and diffs, as the agent reported them. Usually absolute. */
  readonly locations: readonly string[];
  /** The changes in its diffs. */
  readonly changes: readonly TextChange[];
  /** The texts of its content. */
  readonly contentText: string;
  readonly rawOutput: unknown;
  /** `pending`, `in_progress`, `completed`, `failed`, or empty when it was not reported. */
  readonly status: string;
}

/** A tool call after an update or a permission request. Pure. */
export function mergeToolCall(before: AcpToolCall | undefined, update: UnknownRecord): AcpToolCall {
  const title = stringOf(update.title) || before?.title || "";
  const acpKind = strongerKind(before?.acpKind ?? "", stringOf(update.kind));
  const diffs = recordsOf(update.content).filter((item) => item.type === "diff");
  const locations = [...recordsOf(update.locations), ...diffs]
    .map((location) => stringOf(location.path))
    .filter((file) => file !== "");
  return {
    id: stringOf(update.toolCallId) || before?.id || "",
    name: before?.name ?? (ownNameOf(update) || nameFor(update, { title, acpKind })),
    ownName: before?.ownName || ownNameOf(update),
    title,
    acpKind,
    input: isEmptyInput(update.rawInput) ? (before?.input ?? {}) : update.rawInput,
    locations: locations.length > 0 ? [...new Set(locations)] : (before?.locations ?? []),
    changes: diffs.length > 0 ? diffs.map(toChange) : (before?.changes ?? []),
    contentText: Array.isArray(update.content) ? textOfContent(update.content) : (before?.contentText ?? ""),
    rawOutput: update.rawOutput ?? before?.rawOutput,
    status: stringOf(update.status) || before?.status || "",
  };
}

function toChange({ path: file, oldText, newText }: UnknownRecord): TextChange {
  return { path: stringOf(file), oldText: stringOf(oldText), newText: stringOf(newText) };
}

/** Whether the model's arguments have arrived. */
export function hasInput(call: AcpToolCall): boolean {
  return !isEmptyInput(call.input);
}

/** The output of a tool, as the model sees it. */
export function outputOf({ rawOutput, contentText }: AcpToolCall): string {
  if (typeof rawOutput === "string") return rawOutput;
  const texts = recordsOf(rawOutput)
    .map((part) => stringOf(part.text))
    .filter((text) => text !== "");
  if (texts.length > 0) return texts.join("\n");
  const fields = recordOf(rawOutput);
  for (const name of ["output", "error", "stdout", "text", "message"]) {
    const text = stringOf(fields[name]);
    if (text !== "") return text;
  }
  if (contentText !== "") return contentText;
  return rawOutput === undefined || rawOutput === null ? "" : JSON.stringify(rawOutput);
}

/** Settings of {@link toolKindOf}. */
export interface ToolKindContext {
  /** The names of the session's MCP servers: agents name their tools `server_tool`, or `mcp__server__tool`. */
  readonly mcpServers: readonly string[];
}

/** The meaning of ACP's kinds. Other kinds, or a missing one, say nothing about what a call does. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>(
  Object.entries({
    read: "read",
    search: "read",
    edit: "edit",
    delete: "edit",
    move: "edit",
    execute: "shell",
    fetch: "fetch",
  } as const),
);

/**
 * What a call does. The tool's own name takes precedence over ACP's kind where it names an MCP server's tool, or one
 * that starts an agent. A title counts only where the kind says nothing, and only if it is one word: it may contain the
 * model's own words, such as a command.
 */
export function toolKindOf(call: AcpToolCall, { mcpServers }: ToolKindContext): ToolKind {
  const kind = KINDS.get(call.acpKind);
  const names = [call.ownName, ...(kind === undefined ? [call.name, call.title] : [])].filter(isOneWord);
  if (names.some((name) => name.startsWith("mcp__"))) return "mcp";
  if (mcpServers.some((server) => names.some((name) => isToolOf(server, name)))) return "mcp";
  if (AGENT_TOOL.test(kind === undefined ? call.name : call.ownName)) return "agent";
  return kind ?? "other";
}

const AGENT_TOOL = /^(?:task|agent|subagent)$/i;

function isOneWord(name: string): boolean {
  return /^\S+$/.test(name);
}

/** The arguments in which agents pass a tool's file. */
const FILE_FIELDS = [
  "filePath",
  "file_path",
  "filepath",
  "path",
  "absolute_path",
  "notebook_path",
  "source",
  "destination",
  "source_path",
  "destination_path",
  "parentDir",
  "dir_path",
  "directory",
];

/** Settings of {@link pathsOf}. */
export interface ToolPathsOptions {
  readonly kind: ToolKind;
  readonly workingDirectory: string;
  /** What was reported about the call before. Its files count as well. */
  readonly known?: AcpToolCall | undefined;
}

/**
 * All files in a call's locations, diffs and arguments, absolute, so that a policy can check each one. A search without
 * a file searches the working directory. A read without a file could read anything, so it counts as a read of the root.
 */
export function pathsOf(call: AcpToolCall, { kind, workingDirectory, known }: ToolPathsOptions): readonly string[] {
  if (kind !== "read" && kind !== "edit") return [];
  const named = [...namedFiles(call), ...(known === undefined ? [] : namedFiles(known))];
  if (named.length === 0 && kind === "read") {
    return [call.acpKind === "search" ? workingDirectory : path.parse(workingDirectory).root];
  }
  return [...new Set(named.map((file) => path.resolve(workingDirectory, withoutScheme(file))))];
}

function namedFiles(call: AcpToolCall): readonly string[] {
  const input = recordOf(call.input);
  const fields = [...FILE_FIELDS, "paths", "files", "file_paths"].flatMap((name) => textsOf(input[name]));
  const changes = isRecord(input.changes) ? Object.keys(input.changes) : [];
  return [...call.locations, ...fields, ...changes].filter((file) => file !== "");
}

/** The command line of a call: its own field, a list of arguments, or what the title quotes. */
export function commandOf(call: AcpToolCall): string {
  const { command, cmd, script, args } = recordOf(call.input);
  const first = [command, cmd, script].find((value) => value !== undefined);
  if (Array.isArray(first)) return joinCommand(first.filter((part) => typeof part === "string"));
  const line = stringOf(first);
  if (line !== "") return Array.isArray(args) ? joinCommand([line, ...textsOf(args)]) : line;
  return /^`([^`]+)`/.exec(call.title)?.[1] ?? call.title;
}

/** The folder that a call's command runs in, where its arguments name one; empty otherwise. */
export function commandFolderOf(call: AcpToolCall): string {
  const input = recordOf(call.input);
  return COMMAND_FOLDER_FIELDS.map((name) => stringOf(input[name])).find((folder) => folder !== "") ?? "";
}

/** The arguments in which agents pass the folder of a command. */
const COMMAND_FOLDER_FIELDS = ["cwd", "workdir", "working_directory", "dir_path", "directory"];

function ownNameOf(update: UnknownRecord): string {
  return stringOf(update.name) || stringOf(recordOf(recordOf(update._meta).claudeCode).toolName);
}

function nameFor(
  update: UnknownRecord,
  { title, acpKind }: { readonly title: string; readonly acpKind: string },
): string {
  // Some agents' first title, sent before the arguments, is the tool's name; others' describes the call.
  const isName = /^[\w.:-]+$/.test(title) && (isEmptyInput(update.rawInput) || /[_.:-]/.test(title));
  return isName ? title : acpKind || "tool";
}

/** A later `other` says less than the kind reported before. */
function strongerKind(before: string, now: string): string {
  return now === "" || (now === "other" && before !== "") ? before : now;
}

function isToolOf(server: string, name: string): boolean {
  const prefix = server.replaceAll(/[^\w-]/g, "_");
  return ["_", "__", "-", ".", "/", ":"].some((separator) => name.startsWith(prefix + separator));
}

function isEmptyInput(input: unknown): boolean {
  return input === undefined || input === null || (isRecord(input) && Object.keys(input).length === 0);
}

function textOfContent(content: readonly unknown[]): string {
  return recordsOf(content)
    .map((item) => stringOf(recordOf(item.content).text))
    .filter((text) => text !== "")
    .join("\n");
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === "string");
  return typeof value === "string" ? [value] : [];
}

function withoutScheme(file: string): string {
  if (!file.startsWith("file://")) return file;
  try {
    return fileURLToPath(file);
  } catch {
    return file; // Not a valid file URL.
  }
}
