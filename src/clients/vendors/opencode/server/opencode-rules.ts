import { isListed } from "../../../policy/rules/tool-list.ts";
import { PERMISSIONS } from "../../opencode-settings/asked-permissions.ts";
import { kindOfCall } from "../../opencode-settings/opencode-call.ts";

/** A rule about OpenCode's own permissions. The last matching rule applies. */
export interface OpenCodeRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "ask" | "allow" | "deny";
}

/** The prefix of all MCP servers that Atomic adds for a session. */
export const SESSION_SERVER_PREFIX = "atomic-";

/** The tools that share OpenCode's permission `edit`. */
const EDITING_TOOLS: ReadonlySet<string> = new Set(["edit", "write", "multiedit", "patch", "apply_patch"]);

/** Settings of {@link sessionRules}. */
export interface SessionRulesOptions {
  /** The prefix of the session's own MCP servers. */
  readonly serverPrefix: string;
  /** The lists that an offered tool has to be on. */
  readonly lists: readonly (readonly string[])[];
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
export function sessionRules({ serverPrefix, lists, knownTools }: SessionRulesOptions): readonly OpenCodeRule[] {
  return [
    ...Object.entries(PERMISSIONS).map(([permission, action]) => ({ permission, pattern: "*", action })),
    { permission: `${SESSION_SERVER_PREFIX}*`, pattern: "*", action: "deny" },
    serverRule(serverPrefix),
    ...forbiddenPermissions(lists, knownTools).map((permission) => ({
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

function forbiddenPermissions(lists: readonly (readonly string[])[], knownTools: readonly string[]): readonly string[] {
  // OpenCode answers a call of a tool that does not exist with the tool `invalid`.
  const known = knownTools.filter((name) => name !== "invalid");
  const isOffered = (toolName: string): boolean =>
    lists.every((names) => isListed(names, { toolName, kind: kindOfCall({ tool: toolName, isMcp: false }) }));
  const offered = new Set(known.filter(isOffered).map(permissionOf));
  return [...new Set(known.map(permissionOf))].filter((permission) => !offered.has(permission));
}

function permissionOf(tool: string): string {
  return EDITING_TOOLS.has(tool) ? "edit" : tool;
}
