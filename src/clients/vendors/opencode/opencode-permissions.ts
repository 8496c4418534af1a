import path from "node:path";
import { type PermissionRequest, recordOf, stringOf, type ToolKind } from "../../../contracts/index.ts";
import { isWithin } from "../../../system/index.ts";
import { toDetails } from "../../policy/call-details.ts";
import { inputKey } from "../../policy/input-key.ts";
import { OPENCODE_TOOLS } from "../opencode-settings/opencode-tools.ts";
import { bareToolName } from "./server/opencode-servers.ts";
import { listOf, textsOf } from "./server/opencode-wire.ts";

/** The kind of an OpenCode tool, or of a permission with another name. Tools of MCP servers are named `server_tool`. */
export function toolKindOf(toolName: string): ToolKind {
  if (toolName === "doom_loop") return "other";
  return OPENCODE_TOOLS.get(toolName)?.kind ?? (toolName.includes("_") ? "mcp" : "other");
}

/** What is known about the session of a permission request. */
export interface PermissionContext {
  /** The session that subscribers know, also for requests of its sub-agents. */
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** OpenCode names files relative to this folder. */
  readonly worktree: string;
  /** The prefix of the session's own MCP servers. */
  readonly serverPrefix: string;
  /** The tool of a call, if it is known. */
  toolOf(callId: string): { readonly name: string; readonly input: unknown } | undefined;
}

/** How much of a tool's input a request's title shows, in characters. */
const SHOWN_INPUT_LENGTH = 200;

/** Parses the properties of `permission.asked`, or an item of `permission.list()`. */
export function toPermissionRequest(raw: unknown, context: PermissionContext): PermissionRequest {
  const asked = recordOf(raw);
  const permission = stringOf(asked.permission);
  const metadata = recordOf(asked.metadata);
  const tool = context.toolOf(stringOf(recordOf(asked.tool).callID));
  const toolName = tool?.name ?? bareToolName(permission, context.serverPrefix);
  const command = stringOf(metadata.command) || undefined;
  const isResource = isOfMcpServer(raw, tool?.name);
  const kind = isResource ? "mcp" : kindOfRequest(permission, { toolName, command });
  const paths = pathsOf(raw, { kind, context });
  const patterns = textsOf(asked.patterns);
  const isWhole = patterns.length === 1 && patterns[0] === "*";
  const wholeInput = isWhole && tool !== undefined ? JSON.stringify(tool.input) : undefined;
  const named = wholeInput === undefined ? patterns.join(", ") : shorten(wholeInput);
  const subject = command ?? (paths.length > 0 ? namesOf(paths, context.workingDirectory) : named);
  const details = tool === undefined ? undefined : toDetails({ kind, input: tool.input, paths });
  const outside = permission === "external_directory" ? " (outside of the working directory)" : "";
  return {
    id: stringOf(asked.id),
    sessionId: context.sessionId,
    kind,
    toolName,
    title: `${toolName}: ${subjectOf(permission, metadata) ?? subject}${outside}`,
    paths,
    ...(command === undefined ? {} : { command }),
    ...(details === undefined ? {} : { details }),
    ...(wholeInput === undefined || wholeInput === named ? {} : { key: inputKey(tool?.input) }),
  };
}

/**
 * OpenCode asks for resources of MCP servers as if they were files. A file may have such a name, too, but then the request
 * names no server, and the tool is the one for files.
 */
function isOfMcpServer(raw: unknown, tool: string | undefined): boolean {
  const { permission, patterns, metadata } = recordOf(raw);
  if (permission !== "read" || !textsOf(patterns).every((pattern) => pattern.startsWith("mcp:"))) return false;
  return stringOf(recordOf(metadata).server) !== "" || (tool !== undefined && tool !== "read");
}

function shorten(text: string): string {
  return text.length > SHOWN_INPUT_LENGTH ? `${text.slice(0, SHOWN_INPUT_LENGTH)}…` : text;
}

/** OpenCode asks for `external_directory` and `doom_loop` on behalf of a tool, whose kind counts. */
function kindOfRequest(
  permission: string,
  { toolName, command }: { readonly toolName: string; readonly command: string | undefined },
): ToolKind {
  if (command !== undefined) return "shell";
  return toolKindOf(permission === "external_directory" ? toolName : permission);
}

function subjectOf(permission: string, metadata: Readonly<Record<string, unknown>>): string | undefined {
  switch (permission) {
    case "webfetch":
      return stringOf(metadata.url) || undefined;
    case "websearch":
    case "codesearch":
      return stringOf(metadata.query) || undefined;
    case "glob":
    case "grep":
      return stringOf(metadata.pattern) || undefined;
    case "task":
      return `${stringOf(metadata.description)} (${stringOf(metadata.subagent_type)})`;
    default:
      return undefined;
  }
}

/** The absolute files of a request. For a search, the folder that it searches. */
function pathsOf(
  raw: unknown,
  { kind, context }: { readonly kind: ToolKind; readonly context: PermissionContext },
): readonly string[] {
  const asked = recordOf(raw);
  const metadata = recordOf(asked.metadata);
  switch (stringOf(asked.permission)) {
    case "external_directory": {
      const directories = textsOf(metadata.directories);
      const file = stringOf(metadata.filepath) || stringOf(metadata.parentDir);
      const named = directories.length > 0 ? directories : file === "" ? withoutGlobs(asked.patterns) : [file];
      return named.map((name) => path.resolve(context.workingDirectory, name));
    }
    case "glob":
    case "grep":
    case "list":
      return [path.resolve(context.workingDirectory, stringOf(metadata.path) || ".")];
    case "lsp":
    case "skill":
      return [];
  }
  if (kind !== "read" && kind !== "edit") return [];
  const files = listOf(metadata.files).flatMap((file) => [
    stringOf(recordOf(file).filePath),
    stringOf(recordOf(file).movePath),
  ]);
  const named = [...textsOf(asked.patterns), ...files].filter((name) => name !== "");
  return [...new Set(named.map((name) => path.resolve(context.worktree, name)))];
}

function withoutGlobs(patterns: unknown): readonly string[] {
  return textsOf(patterns).map((pattern) => pattern.replace(/\/\*+$/, ""));
}

function namesOf(paths: readonly string[], workingDirectory: string): string {
  const names = paths.map((file) =>
    isWithin(file, workingDirectory) ? path.relative(workingDirectory, file) || "." : file,
  );
  return names.join(", ");
}
