import { nearestName, type PermissionEffect, type PermissionRule, type ToolKind } from "../../contracts/index.ts";
import { UsageError } from "./usage-error.ts";

/** The values of `--allow`, `--deny` and `--yolo`. */
export interface PermissionFlags {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly isYolo: boolean;
}

const KINDS: readonly ToolKind[] = ["read", "edit", "shell", "fetch", "mcp", "agent", "other"];

/** Names that agents and their manuals use for the kinds. */
const OTHER_NAMES: ReadonlyMap<string, ToolKind> = new Map([
  ...["bash", "sh", "exec", "execute", "run", "terminal"].map((name) => [name, "shell"] as const),
  ...["write", "create", "patch", "multiedit"].map((name) => [name, "edit"] as const),
  ...["view", "list", "ls", "glob", "grep", "search"].map((name) => [name, "read"] as const),
  ...["web", "webfetch", "websearch"].map((name) => [name, "fetch"] as const),
  ...["task", "subagent"].map((name) => [name, "agent"] as const),
]);

/** Parses `KIND`, `shell:COMMAND-GLOB` or `KIND:PATH-GLOB`. @throws UsageError */
export function parseRule(effect: PermissionEffect, text: string): PermissionRule {
  const separator = text.indexOf(":");
  const kindText = separator === -1 ? text : text.slice(0, separator);
  const kind = KINDS.find((known) => known === kindText.trim());
  if (kind === undefined) {
    throw new UsageError(
      `"${text}" is not a permission.${hintAt(kindText)} Write KIND, KIND:PATH or shell:COMMAND; kinds: ${KINDS.join(", ")}.`,
    );
  }
  if (separator === -1) return { effect, tools: [kind] };
  const pattern = text.slice(separator + 1).trim();
  if (pattern === "")
    throw new UsageError(`"${text}" has no pattern after the colon. Omit the colon to mean every ${kind} call.`);
  if (kind !== "shell" && kind !== "read" && kind !== "edit") {
    throw new UsageError(
      `"${text}": calls of the kind "${kind}" take no pattern. Write "${kind}" to mean all of them.`,
    );
  }
  if (kind !== "shell" && pattern.startsWith("~")) {
    throw new UsageError(`"${text}": "~" is not expanded here. Write the path in full.`);
  }
  return kind === "shell"
    ? { effect, tools: [kind], commands: [pattern] }
    : { effect, tools: [kind], paths: [pattern] };
}

/** Parses the kind of a call. @throws UsageError */
export function readToolKind(text: string): ToolKind {
  const kind = KINDS.find((known) => known === text.trim());
  if (kind !== undefined) return kind;
  throw new UsageError(`"${text}" is not a kind of call.${hintAt(text)} Kinds: ${KINDS.join(", ")}.`);
}

function hintAt(text: string): string {
  const name = text.trim();
  const meant = OTHER_NAMES.get(name.toLowerCase());
  const nearest = meant ?? nearestName(name, KINDS);
  return nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
}
