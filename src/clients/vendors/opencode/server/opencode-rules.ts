import { isToolName, type ToolName } from "../../../../contracts/index.ts";
import { PERMISSIONS } from "../../opencode-settings/asked-permissions.ts";

/** A rule about OpenCode's own permissions. The last matching rule applies. */
export interface OpenCodeRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "ask" | "allow" | "deny";
}

/** The prefix of all MCP servers that Atomic adds for a session. */
export const SESSION_SERVER_PREFIX = "atomic-";

/** OpenCode's tools for each of Atomic's names; different models get different ones. */
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

/** The tools that share OpenCode's permission `edit`. */
const EDITING_TOOLS: ReadonlySet<string> = new Set(["edit", "write", "multiedit", "patch", "apply_patch"]);

/** Settings of {@link sessionRules}. */
export interface SessionRulesOptions {
  /** The prefix of the session's own MCP servers. */
  readonly serverPrefix: string;
  /** The only tools of OpenCode that may be used. @default all */
  readonly allowedTools?: readonly string[] | undefined;
  /** All of OpenCode's tools, including those of the user's plugins. */
  readonly knownTools: readonly string[];
}

/**
 * The rules of one session. They come last, so they override the permissions of the user's agents. Pure.
 *
 * 1. The MCP servers of other sessions, which all sessions of a folder share, are denied, so they are not offered.
 * 2. Tools that are not allowed are denied, in sub-agents as well. Tools that change files share one permission in OpenCode,
 *    so allowing one of them allows them all.
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

/** The rule that offers the tools of a session's own MCP servers. */
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
  // OpenCode answers a call of a tool that does not exist with the tool `invalid`.
  const known = knownTools.filter((name) => name !== "invalid").map(permissionOf);
  return [...new Set(known)].filter((permission) => !allowed.has(permission));
}

function permissionOf(tool: string): string {
  return EDITING_TOOLS.has(tool) ? "edit" : tool;
}
