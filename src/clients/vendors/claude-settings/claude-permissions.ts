import { homedir } from "node:os";
import { type PermissionRequest, recordOf, stringOf, type UnknownRecord } from "../../../contracts/index.ts";
import { boundTitle, isTooLong } from "../../policy/bound-title.ts";
import { toDetails } from "../../policy/call-details.ts";
import { inputKey } from "../../policy/input-key.ts";
import { formatPaths } from "../../policy/rules/format-paths.ts";
import { type ClaudePlace, namedPaths, resolveClaudePath } from "./claude-paths.ts";
import { displayedToolName, toolKindOf } from "./claude-tools.ts";

/** What is known about a tool call besides its name and input. */
export interface PermissionContext {
  /** The vendor's id of the call. */
  readonly id: string;
  readonly sessionId: string;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
  /** Claude Code's working directory at the call. @default the session's working directory */
  readonly folder?: string;
  /** What `~` means to Claude Code. @default the user's home */
  readonly homeFolder?: string;
  /** The file that made Claude Code ask, if it names one. */
  readonly blockedPath?: string;
}

/** Describes a tool call for a policy and a person. Pure. */
export function toPermissionRequest(
  vendorName: string,
  rawInput: unknown,
  context: PermissionContext,
): PermissionRequest {
  const input = recordOf(rawInput);
  const kind = toolKindOf(vendorName);
  const toolName = displayedToolName(vendorName);
  const command = kind === "shell" ? stringOf(input.command) : undefined;
  const { workingDirectory, folder = workingDirectory, homeFolder = homedir(), blockedPath } = context;
  const place: ClaudePlace = { folder, homeFolder };
  const { paths: named, search } = namedPaths(vendorName, { input, kind, place });
  const isBlocked = blockedPath !== undefined && (kind === "read" || kind === "edit");
  const paths = isBlocked ? [...new Set([...named, resolveClaudePath(blockedPath, place)])] : named;
  const subject = command ?? subjectOf(vendorName, input) ?? formatPaths(paths, workingDirectory);
  const title = `${toolName}: ${subject || JSON.stringify(input)}`;
  const details = toDetails({ kind, input: rawInput, paths });
  return {
    id: context.id,
    sessionId: context.sessionId,
    kind,
    toolName,
    title: boundTitle(title),
    paths,
    ...(search === undefined ? {} : { search }),
    ...(command === undefined ? {} : { command }),
    ...(details === undefined ? {} : { details }),
    ...(isTooLong(title) ? { key: inputKey(input) } : {}),
  };
}

function subjectOf(vendorName: string, input: UnknownRecord): string | undefined {
  switch (vendorName) {
    case "Glob":
    case "Grep":
      return stringOf(input.pattern) || undefined;
    case "WebFetch":
      return stringOf(input.url) || undefined;
    case "WebSearch":
      return stringOf(input.query) || undefined;
    case "Agent":
    case "Task":
      return `${stringOf(input.description)} (${stringOf(input.subagent_type)}): ${stringOf(input.prompt)}`;
    default:
      return undefined;
  }
}
