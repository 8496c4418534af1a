import type { PermissionDecision, PermissionRequest } from "../../contracts/index.ts";
import { visibleLabel, visibleLine } from "../../view/index.ts";

/** Where a person answered, as the log says it. */
const ANSWERED = "in the terminal UI";

/** An answer to a permission request. */
export interface PermissionChoice {
  readonly key: "n" | "y" | "a" | "p";
  readonly label: string;
  /** Absent for "no", which may have a reason. */
  readonly decision?: PermissionDecision;
}

const NO: PermissionChoice = { key: "n", label: "No, and say why" };
const ONCE: PermissionChoice = { key: "y", label: "Yes, once", decision: allow("once") };

/** The answers to a call that is too long to read. */
export const DENIALS: readonly PermissionChoice[] = [NO];

/** The answers, "no" first: it is the one under the pointer. A request that is only for once offers no longer ones. */
export function permissionChoices({ isOnce = false }: PermissionRequest): readonly PermissionChoice[] {
  if (isOnce) return [NO, ONCE];
  return [
    NO,
    ONCE,
    { key: "a", label: "Yes, for this session", decision: allow("session") },
    { key: "p", label: "Yes, always in this project", decision: allow("project") },
  ];
}

/** A "no", with what the person typed. */
export function denyBecause(reason: string): PermissionDecision {
  const text = reason.trim();
  return { type: "deny", reason: text === "" ? "The user said no." : `The user said no: ${text}`, answered: ANSWERED };
}

function allow(scope: "once" | "session" | "project"): PermissionDecision {
  return { type: "allow", scope, answered: ANSWERED };
}

/** What the agent wants, for the title of the dialog: `claude wants to run a command`. */
export function permissionTitle(
  who: string,
  { kind, step, details, search, toolName, isDeletion = false, paths }: PermissionRequest,
): string {
  const agent = step === undefined ? who : visibleLabel(step);
  switch (kind) {
    case "read":
      return `${agent} wants to ${search === undefined ? "read a file" : "search files"}`;
    case "edit":
      if (isDeletion) return `${agent} wants to delete ${paths.length > 1 ? "files" : "a file"}`;
      return `${agent} wants to ${details?.type === "write" ? "write a file" : "change files"}`;
    case "shell":
      return `${agent} wants to run a command`;
    case "fetch":
      return `${agent} wants to read from the network`;
    case "mcp":
    case "agent":
    case "other":
      return `${agent} wants to use ${visibleLine(toolName)}`;
  }
}
