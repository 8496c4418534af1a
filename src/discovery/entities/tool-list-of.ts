import { isRecord, recordOf } from "../../contracts/index.ts";
import type { UnifiedEntity } from "./entity.ts";
import { normalizeExclusions } from "./normalize-tools.ts";
import { fieldOf } from "./parse-frontmatter.ts";

/**
 * The tools that a definition limits its agent to, as its vendor means them, in the syntax of `PermissionRule.exceptTools`.
 * Undefined if it limits nothing. Pure.
 *
 * 1. To Claude Code, `allowed-tools` of a command or a skill are tools that need no approval: no limit.
 * 2. To OpenCode, `tools: { write: false }` and `permission: { edit: deny }` take tools away; `true` only limits beside
 *    `"*": false`.
 * 3. To Copilot, `edit` includes creating files.
 */
export function toolListOf(entity: UnifiedEntity): readonly string[] | undefined {
  const listed = listedIn(entity);
  const denied = deniedIn(entity);
  if (listed === undefined && denied.length === 0) return undefined;
  return [...(listed ?? ["*"]), ...denied.map((name) => `!${name}`)];
}

function listedIn({ type, source: { provider }, fields, vendorTools }: UnifiedEntity): readonly string[] | undefined {
  if (provider === "claude" && type !== "agent" && fields.tools === undefined) return undefined;
  if (isRecord(fields.tools) && !isOff(fields.tools["*"])) return undefined;
  if (provider !== "copilot") return vendorTools;
  return vendorTools?.flatMap((name) => (name.toLowerCase() === "edit" ? [name, "write"] : [name]));
}

function deniedIn({ source: { provider }, fields }: UnifiedEntity): readonly string[] {
  const permission = provider === "opencode" ? offIn(fields.permission) : [];
  const names = [
    ...normalizeExclusions(fieldOf(fields, "disallowed-tools")),
    ...offIn(fields.tools),
    // OpenCode has one permission for all changes of files.
    ...permission.flatMap((name) => (name === "edit" ? ["edit", "write"] : [name])),
  ];
  return [...new Set(names)];
}

function offIn(switches: unknown): readonly string[] {
  return Object.entries(recordOf(switches))
    .filter(([name, value]) => name !== "*" && isOff(value))
    .map(([name]) => name);
}

function isOff(value: unknown): boolean {
  return value === false || value === "deny";
}
