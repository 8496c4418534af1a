import path from "node:path";
import {
  type PermissionDetails,
  type PermissionRequest,
  recordOf,
  recordsOf,
  stringOf,
} from "../../../contracts/index.ts";
import { isWithin } from "../../../system/index.ts";
import { boundTitle } from "../../policy/bound-title.ts";
import { toDetails } from "../../policy/call-details.ts";
import { inputKey } from "../../policy/input-key.ts";
import {
  type AcpToolCall,
  commandFolderOf,
  commandOf,
  hasInput,
  mergeToolCall,
  pathsOf,
  toolKindOf,
} from "./acp-tools.ts";
import { describeCommand } from "./program/acp-command-line.ts";

/** What is known about the session of a permission request. */
export interface AcpPermissionContext {
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** The names of the session's MCP servers. */
  readonly mcpServers: readonly string[];
  /** What the agent has reported about the call so far. */
  readonly call: AcpToolCall | undefined;
}

/** Reads the parameters of `session/request_permission`. Never throws. */
export function toPermissionRequest(rawParams: unknown, context: AcpPermissionContext): PermissionRequest {
  const asked = recordOf(recordOf(rawParams).toolCall);
  const { sessionId, workingDirectory, call: known } = context;
  const call = mergeToolCall(known, asked);
  const kind = toolKindOf(call, context);
  // The request and earlier updates may name different files: the policy checks all of them.
  const paths = pathsOf(call, { kind, workingDirectory, known });
  const surroundings = { workingDirectory, folder: commandFolderOf(call) };
  const command = kind === "shell" ? describeCommand(commandOf(call), surroundings) : undefined;
  const read = toDetails({ kind, input: call.input, paths });
  // An agent's diffs say more than arguments of unknown meaning.
  const details: PermissionDetails | undefined =
    read?.type === "input" && call.changes.length > 0 ? { type: "edit", changes: call.changes } : read;
  return {
    id: call.id,
    sessionId,
    kind,
    toolName: call.name,
    title: boundTitle(titleOf(call, { kind, command, paths, workingDirectory })),
    paths,
    ...(call.acpKind === "delete" && kind === "edit" ? { isDeletion: true } : {}),
    ...(command === undefined ? {} : { command }),
    ...(details === undefined ? {} : { details }),
    // For such calls the title may be no more than the tool's name.
    ...(kind === "mcp" || kind === "other" ? { key: inputKey([call.title, call.input]) } : {}),
  };
}

/** The answer to a permission request. */
export type AcpPermissionOutcome =
  | { readonly outcome: "selected"; readonly optionId: string }
  | { readonly outcome: "cancelled" };

/**
 * Answers a permission request. The agent's "always" is never selected: it may cover more than this call. Where the
 * agent offers no option for this call alone, the call is cancelled.
 */
export function toOutcome(rawParams: unknown, { isAllowed }: { readonly isAllowed: boolean }): AcpPermissionOutcome {
  const wanted = isAllowed ? "allow_once" : "reject_once";
  const option = recordsOf(recordOf(rawParams).options).find(({ kind }) => kind === wanted);
  const optionId = stringOf(option?.optionId);
  return optionId === "" ? { outcome: "cancelled" } : { outcome: "selected", optionId };
}

function titleOf(
  call: AcpToolCall,
  details: {
    readonly kind: PermissionRequest["kind"];
    readonly command: string | undefined;
    readonly paths: readonly string[];
    readonly workingDirectory: string;
  },
): string {
  const { kind, command, paths, workingDirectory } = details;
  if (command !== undefined) return `${call.name}: ${command}`;
  const names = paths.filter((file) => file !== path.parse(file).root).map((file) => nameOf(file, workingDirectory));
  const subject = names.length > 0 ? names.join(", ") : call.title === call.name ? "" : call.title;
  // The agent's own title seldom contains the arguments of such a call.
  const isOpaque = kind !== "read" && kind !== "edit" && hasInput(call);
  const whole = [subject, isOpaque ? JSON.stringify(call.input) : ""].filter(Boolean).join(" ");
  return whole === "" ? call.name : `${call.name}: ${whole}`;
}

function nameOf(file: string, workingDirectory: string): string {
  return isWithin(file, workingDirectory) ? path.relative(workingDirectory, file) || "." : file;
}
