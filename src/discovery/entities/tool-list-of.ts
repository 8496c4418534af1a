import { isRecord, recordOf } from "../../contracts/index.ts";
import type { UnifiedEntity } from "./entity.ts";
import { bareToolName, isOn, normalizeExclusions } from "./normalize-tools.ts";
import { fieldOf } from "./parse-frontmatter.ts";

/**
 * The tools that a definition limits its agent to, as its vendor means them, in the syntax of `PermissionRule.exceptTools`.
 * Undefined if it limits nothing. Pure.
 *
 * 1. To Claude Code, `allowed-tools` of a command or a skill are tools that need no approval: no limit.
 * 2. To OpenCode, `tools: { write: false }` and `permission: { edit: deny }` take tools away; `true` and `allow` only limit
 *    beside `"*": false` or `"*": deny`. A tool of which only some calls are allowed (`bash: { "*": deny, "git *": allow }`)
 *    is taken away as a whole.
 * 3. To Copilot, `edit` includes creating files.
 */
export function toolListOf(entity: UnifiedEntity): readonly string[] | undefined {
  const listed = bothListed(listedIn(entity), permittedIn(entity));
  const denied = deniedIn(entity);
  if (listed === undefined && denied.length === 0) return undefined;
  // Exclusions alone would mean all other tools.
  if (listed?.length === 0) return [];
  return [...(listed ?? ["*"]), ...denied.map((name) => `!${name}`)];
}

function listedIn({ type, source: { provider }, fields, vendorTools }: UnifiedEntity): readonly string[] | undefined {
  if (provider === "claude" && type !== "agent" && fields.tools === undefined) return undefined;
  if (isRecord(fields.tools) && !isOff(fields.tools["*"])) return undefined;
  if (provider !== "copilot") return vendorTools;
  return vendorTools?.flatMap((name) => (name.toLowerCase() === "edit" ? [name, "write"] : [name]));
}

function deniedIn({ source: { provider }, fields }: UnifiedEntity): readonly string[] {
  const permission = provider === "opencode" ? offIn(fields.permission, isDenied) : [];
  const names = [
    ...normalizeExclusions(fieldOf(fields, "disallowed-tools")),
    ...offIn(fields.tools),
    ...permission.flatMap(toolsOfPermission),
  ];
  return [...new Set(names)];
}

/** What OpenCode's `permission` leaves where it denies everything else. */
function permittedIn({ source: { provider }, fields: { permission } }: UnifiedEntity): readonly string[] | undefined {
  if (provider !== "opencode") return undefined;
  if (permission === "deny") return [];
  const { "*": others, ...named } = recordOf(permission);
  if (!isDenied(others)) return undefined;
  const permitted = Object.entries(named).filter(([, value]) => !isDenied(value));
  return permitted.flatMap(([name]) => toolsOfPermission(name));
}

/** OpenCode has one permission for all changes of files. */
function toolsOfPermission(name: string): readonly string[] {
  return name === "edit" ? ["edit", "write"] : [name];
}

function bothListed(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
): readonly string[] | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const names = new Set(right.map((name) => name.toLowerCase()));
  return left.filter((name) => names.has(bareToolName(name)));
}

function offIn(switches: unknown, isOffValue = isOff): readonly string[] {
  return Object.entries(recordOf(switches))
    .filter(([name, value]) => name !== "*" && isOffValue(value))
    .map(([name]) => name);
}

/** Whether a switch turns a tool off: whatever is no clear yes. */
function isOff(value: unknown): boolean {
  return value !== undefined && !isOn(value);
}

/** Whether a permission denies a tool, or all of its calls but some. */
function isDenied(value: unknown): boolean {
  return value === false || value === "deny" || (isRecord(value) && isDenied(value["*"]));
}
