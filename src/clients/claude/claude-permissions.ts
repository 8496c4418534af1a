import path from "node:path";
import {
  type PermissionRequest,
  recordOf,
  stringOf,
  type ToolKind,
  type UnknownRecord,
} from "../../contracts/index.ts";
import { inputKey } from "../policy/input-key.ts";
import { displayedToolName, toolKindOf } from "./claude-tools.ts";

/** What is known about a tool call besides its name and its input. */
export interface PermissionContext {
  /** The vendor's identifier of the call. */
  readonly id: string;
  readonly sessionId: string;
  readonly workingDirectory: string;
  /** A file for the sake of which Claude Code asks, where it names one. */
  readonly blockedPath?: string;
}

/** How much of a call's input stands in its title, in characters. */
const SHOWN_INPUT_LENGTH = 200;

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
  const paths = pathsOf(vendorName, { input, kind, context });
  const subject = command ?? subjectOf(vendorName, input) ?? namesOf(paths, context.workingDirectory);
  const wholeInput = JSON.stringify(input);
  const isCut = subject === "" && wholeInput.length > SHOWN_INPUT_LENGTH;
  return {
    id: context.id,
    sessionId: context.sessionId,
    kind,
    toolName,
    title: `${toolName}: ${subject || shorten(wholeInput)}`,
    paths,
    ...(command === undefined ? {} : { command }),
    ...(isCut ? { key: inputKey(input) } : {}),
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
      return `${stringOf(input.description)} (${stringOf(input.subagent_type)})`;
    case "Skill":
      return stringOf(input.skill) || undefined;
    default:
      return undefined;
  }
}

/** The absolute files a call names. A search names the folder it searches. */
function pathsOf(
  vendorName: string,
  call: { readonly input: UnknownRecord; readonly kind: ToolKind; readonly context: PermissionContext },
): readonly string[] {
  const { input, kind, context } = call;
  if (kind !== "read" && kind !== "edit") return [];
  const resolve = (named: string) => path.resolve(context.workingDirectory, named);
  const blocked = context.blockedPath === undefined ? [] : [resolve(context.blockedPath)];
  if (vendorName === "Glob" || vendorName === "Grep") {
    const folder = resolve(stringOf(input.path) || ".");
    const pattern = stringOf(vendorName === "Glob" ? input.pattern : input.glob);
    return [...new Set([folder, path.resolve(folder, fixedPartOf(pattern)), ...blocked])];
  }
  const named = [input.file_path, input.notebook_path, input.filePath, input.path].map(stringOf).filter(Boolean);
  return [...new Set([...named.map(resolve), ...blocked])];
}

/** The folder above the first wildcard: a pattern such as `/etc/*` or `../*` leads out of the folder it starts in. */
function fixedPartOf(pattern: string): string {
  const wildcard = pattern.search(/[*?[{]/);
  if (wildcard < 0) return pattern;
  return pattern.slice(0, pattern.lastIndexOf("/", wildcard) + 1);
}

function namesOf(paths: readonly string[], workingDirectory: string): string {
  const names = paths.map((file) => {
    const relative = path.relative(workingDirectory, file) || ".";
    return relative.startsWith("..") ? file : relative;
  });
  return names.join(", ");
}

/** What a call without a better description was given, short enough for one line. */
function shorten(text: string): string {
  return text.length > SHOWN_INPUT_LENGTH ? `${text.slice(0, SHOWN_INPUT_LENGTH - 1)}…` : text;
}
