import path from "node:path";
import {
  type PermissionRequest,
  recordOf,
  stringOf,
  type ToolKind,
  type UnknownRecord,
} from "../../../contracts/index.ts";
import { formatPaths } from "../../policy/rules/format-paths.ts";
import { toolKindOf } from "./runtime/copilot-tools.ts";

/** What is known about the session of a permission request. */
export interface PermissionContext {
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** The tool of a call, if it is known. */
  toolOf(callId: string): { readonly name: string; readonly kind: ToolKind } | undefined;
}

/** The policy's kind for each kind of Copilot's requests, and the tool that most likely asks. */
const KINDS: Readonly<Record<string, { readonly kind: ToolKind; readonly toolName: string }>> = {
  shell: { kind: "shell", toolName: "bash" },
  write: { kind: "edit", toolName: "edit" },
  read: { kind: "read", toolName: "view" },
  url: { kind: "fetch", toolName: "web_fetch" },
  mcp: { kind: "mcp", toolName: "mcp" },
  "custom-tool": { kind: "mcp", toolName: "custom tool" },
};

/** Parses a request of `onPermissionRequest`. Pure; an unknown one becomes a request of the kind `other`. */
export function toPermissionRequest(raw: unknown, context: PermissionContext): PermissionRequest {
  const request = recordOf(raw);
  // A hook asks on behalf of a tool, so the tool's input counts.
  const asked = request.kind === "hook" ? { ...recordOf(request.toolArgs), ...request } : request;
  const callId = stringOf(asked.toolCallId);
  const tool = context.toolOf(callId);
  const vendorKind = stringOf(asked.kind);
  const known = KINDS[vendorKind];
  const toolName = tool?.name ?? (stringOf(asked.toolName) || known?.toolName || vendorKind);
  const kind = known?.kind ?? (vendorKind === "hook" ? (tool?.kind ?? toolKindOf(toolName)) : "other");
  const command = kind === "shell" ? stringOf(asked.fullCommandText) || stringOf(asked.command) : "";
  // Another tool may also have an argument `path`, which must not look like a file that a rule allows.
  const diff = stringOf(asked.diff);
  const paths = kind === "read" || kind === "edit" ? pathsOf(asked, context.workingDirectory) : [];
  return {
    id: callId,
    sessionId: context.sessionId,
    kind,
    toolName,
    title: `${toolName}: ${subjectOf(asked, { command, paths, workingDirectory: context.workingDirectory })}`,
    paths,
    ...(command === "" ? {} : { command }),
    ...(kind === "edit" && diff !== "" ? { details: { type: "patch", text: diff } } : {}),
  };
}

/** The absolute files of a request; if Copilot followed links, their targets as well. A search names its folder. */
function pathsOf(asked: UnknownRecord, workingDirectory: string): readonly string[] {
  const named = [asked.fileName, asked.path, asked.resolvedPath].map(stringOf).filter((name) => name !== "");
  return [...new Set(named.map((name) => path.resolve(workingDirectory, name)))];
}

function subjectOf(
  asked: UnknownRecord,
  known: { readonly command: string; readonly paths: readonly string[]; readonly workingDirectory: string },
): string {
  const { command, paths, workingDirectory } = known;
  if (command !== "") return command;
  if (paths.length > 0) return formatPaths(paths, workingDirectory);
  const subject = [asked.url, asked.fact, asked.operation, asked.intention].map(stringOf).find((text) => text !== "");
  return subject ?? JSON.stringify(asked.args ?? asked.toolArgs ?? {});
}
