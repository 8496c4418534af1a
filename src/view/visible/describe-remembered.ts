import { type PermissionRequest, permissionSubject } from "../../contracts/index.ts";
import { escapeInexact } from "./exact-width.ts";
import { visibleLine } from "./visible-text.ts";

/** Longer names would fill the terminal, and the prompt has already shown them. */
const MAX_NAME_LENGTH = 60;

/** Describes the calls that a remembered approval allows: those with the same `permissionSubject`. Pure. */
export function describeRemembered(request: PermissionRequest): string {
  const { kind, toolName, command, search, paths, isDeletion = false } = request;
  const tool = name(toolName);
  if (command !== undefined) return "exactly this command";
  if (search !== undefined) return `any search of ${named(paths, "folder")} with ${tool}${limit(search.include)}`;
  if (isDeletion && paths.length > 0) return `deleting ${named(paths, "file")} with ${tool}`;
  if (paths.length > 0) {
    return kind === "edit"
      ? `any change of ${named(paths, "file")} with ${tool}, with any content`
      : `${kind === "read" ? "reading" : "any use of"} ${named(paths, "file")} with ${tool}`;
  }
  return describeTitle(request);
}

/** A call without command and files is identified by its `key`, or by a title that contains the whole input. */
function describeTitle(request: PermissionRequest): string {
  const { title, details, toolName } = request;
  const tool = name(toolName);
  const holdsInput = details?.type === "input" && title.endsWith(JSON.stringify(details.input) ?? "");
  if (permissionSubject(request) !== title || holdsInput) return `${tool} with exactly this input`;
  if (details?.type === "fetch") return `exactly this address with ${tool}`;
  const subject = title.startsWith(`${toolName}: `) ? title.slice(toolName.length + 2) : title;
  const short = subject.length > MAX_NAME_LENGTH ? `${subject.slice(0, MAX_NAME_LENGTH)}…` : subject;
  return `${tool} with "${name(short)}", with any other input`;
}

function limit(include: string | undefined): string {
  return include === undefined ? "" : ", limited to the same files";
}

function named(paths: readonly string[], what: "file" | "folder"): string {
  const [path = "", ...others] = paths;
  const text = name(path);
  if (others.length > 0) return `these ${what}s`;
  return text.length > MAX_NAME_LENGTH ? `this ${what}` : text;
}

function name(text: string): string {
  return escapeInexact(visibleLine(text));
}
