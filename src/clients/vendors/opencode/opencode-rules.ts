import { isToolName, type ToolName } from "../../../contracts/index.ts";
import { PERMISSIONS } from "../opencode-settings/asked-permissions.ts";

/** A rule of OpenCode's about its own permissions. The last one that matches holds. */
export interface OpenCodeRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "ask" | "allow" | "deny";
}

/** What the names of all MCP servers begin with that Atomic adds for a session. */
export const SESSION_SERVER_PREFIX = "atomic-";

/** The tools of OpenCode's that do what a tool of Atomic's does; models get different ones. */
const OWN_NAMES: Readonly<Record<ToolName, readonly string[]>> = {
  read: ["read"],
  write: ["write", "apply_patch"],
  edit: ["edit", "multiedit", "patch", "apply_patch"],
  bash: ["bash"],
  grep: ["grep"],
  glob: ["glob"],
  list: ["list"],
  webfetch: ["webfetch"],
  websearch: ["websearch", "codesearch"],
  task: ["task"],
  todo: ["todowrite", "todoread"],
  question: ["question"],
};

/** The tools that OpenCode counts as one permission, `edit`. */
const EDITING_TOOLS: ReadonlySet<string> = new Set(["edit", "write", "multiedit", "patch", "apply_patch"]);

/** What the rules of a session depend on. */
export interface SessionRulesOptions {
  /** What the names of this session's own MCP servers begin with. */
  readonly serverPrefix: string;
  /** The only tools of OpenCode's that may be used. @default all */
  readonly allowedTools?: readonly string[] | undefined;
  /** All tools that OpenCode has, those of the user's plugins included. */
  readonly knownTools: readonly string[];
}

/**
 * The rules of one session. They come last and so win over what an agent of the user's allows itself. Pure.
 *
 * 1. The MCP servers of other sessions, which all sessions of a folder share, are forbidden, and so are not offered.
 * 2. What is not allowed is forbidden; OpenCode forbids it to sub-agents as well. Tools that change files have one
 *    permission in OpenCode, so allowing one of them allows them all.
 */
export function sessionRules({ serverPrefix, allowedTools, knownTools }: SessionRulesOptions): readonly OpenCodeRule[] {
  return [
    ...Object.entries(PERMISSIONS).map(([permission, action]) => ({ permission, pattern: "*", action })),
    { permission: `${SESSION_SERVER_PREFIX}*`, pattern: "*", action: "deny" },
    serverRule(serverPrefix),
    ...forbiddenPermissions(allowedTools, knownTools).map((permission) => ({
      permission,
      pattern: "*",
      action: "deny" as const,
    })),
  ];
}

/** Offers the tools of a session's own MCP servers. */
export function serverRule(serverPrefix: string): OpenCodeRule {
  return { permission: `${serverPrefix}*`, pattern: "*", action: "ask" };
}

function forbiddenPermissions(
  allowedTools: readonly string[] | undefined,
  knownTools: readonly string[],
): readonly string[] {
  if (allowedTools === undefined) return [];
  const named = allowedTools.flatMap((name) => (isToolName(name) ? OWN_NAMES[name] : [name]));
  const allowed = new Set(named.map(permissionOf));
  // `invalid` is how OpenCode tells a model that it called a tool which does not exist.
  const known = knownTools.filter((name) => name !== "invalid").map(permissionOf);
  return [...new Set(known)].filter((permission) => !allowed.has(permission));
}

function permissionOf(tool: string): string {
  return EDITING_TOOLS.has(tool) ? "edit" : tool;
}
