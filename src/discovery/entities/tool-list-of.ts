import { isRecord, recordOf } from "../../contracts/index.ts";
import { plainKey } from "./definition-fields.ts";
import type { ProviderType, UnifiedEntity } from "./entity.ts";
import { bareToolName, isOn, normalizeExclusions } from "./normalize-tools.ts";
import { deniedByPermission, leftByPermission } from "./opencode-permission.ts";
import { fieldOf } from "./parse-frontmatter.ts";

/**
 * The tools that a definition limits its agent to, as its vendor means them, in the syntax of `PermissionRule.exceptTools`.
 * Undefined if it limits nothing. Pure.
 *
 * 1. To Claude Code, `allowed-tools` of a command or a skill are tools that need no approval: no limit.
 * 2. To OpenCode, `tools: { bash: false }` and `permission: { edit: deny }` take tools away, and `edit` and `write` are one;
 *    `true` and `allow` only limit beside `"*": false` or `"*": deny`. To others, what is `true` is the list.
 *    `bash: { "git push*": deny }` takes these calls away. A tool of which only some calls are allowed
 *    (`bash: { "*": deny, "git *": allow }`) is taken away as a whole.
 * 3. To Copilot, `edit` includes creating files.
 * 4. A mode in which nothing is changed takes `edit`, `write` and `bash` away: `permissionMode: plan` of Claude Code's agents,
 *    `ask` and `plan` as `agent` of Copilot's prompts, or as `mode`, its former name.
 */
export function toolListOf(entity: UnifiedEntity): readonly string[] | undefined {
  const { source, fields } = entity;
  const left = source.provider === "opencode" ? leftByPermission(fields.permission) : undefined;
  const listed = bothListed(listedIn(entity), left);
  const denied = deniedIn(entity);
  if (listed === undefined && denied.length === 0) return undefined;
  // Exclusions alone would mean all other tools.
  if (listed?.length === 0) return [];
  return [...(listed ?? ["*"]), ...denied.map((name) => `!${name}`)];
}

function listedIn({ type, source: { provider }, fields, vendorTools }: UnifiedEntity): readonly string[] | undefined {
  if (provider === "claude" && type !== "agent" && fields.tools === undefined) return undefined;
  if (isRecord(fields.tools) && !isListOf(fields.tools, provider)) return undefined;
  if (provider !== "copilot") return vendorTools;
  return vendorTools?.flatMap((name) => (name.toLowerCase() === "edit" ? [name, "write"] : [name]));
}

/** Whether switches are a list of the only tools. To OpenCode, those that are on say nothing about the others. */
function isListOf(switches: Readonly<Record<string, unknown>>, provider: ProviderType): boolean {
  return isOff(switches["*"]) || (provider !== "opencode" && Object.values(switches).some(isOn));
}

function deniedIn(entity: UnifiedEntity): readonly string[] {
  const { fields, source } = entity;
  const names = [
    ...normalizeExclusions(fieldOf(fields, "disallowed-tools")),
    ...offIn(fields.tools).flatMap((name) => (source.provider === "opencode" ? toolsOfSwitch(name) : [name])),
    ...(isReadOnly(entity) ? ["edit", "write", "bash"] : []),
    ...(source.provider === "opencode" ? deniedByPermission(fields.permission) : []),
  ];
  return [...new Set(names)];
}

/** Invariant 4. */
function isReadOnly({ type, source: { provider }, fields }: UnifiedEntity): boolean {
  if (provider === "claude" && type === "agent") return hasPlanMode(fields);
  return provider === "copilot" && type === "command" && [fields.agent, fields.mode].some(isReadOnlyMode);
}

/** Whether the field is there in any spelling: a mode that is read as none would lift the limit. */
function hasPlanMode(fields: Readonly<Record<string, unknown>>): boolean {
  const modes = Object.entries(fields).filter(([key]) => /^permission[\W_]*mode$/i.test(plainKey(key)));
  return modes.some(([, value]) => [value].flat().some((mode) => nameOf(mode) === "plan"));
}

function isReadOnlyMode(value: unknown): boolean {
  return ["ask", "plan"].includes(nameOf(value));
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value.trim().toLowerCase() : "";
}

function bothListed(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
): readonly string[] | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const names = new Set(right.map((name) => name.toLowerCase()));
  return left.filter((name) => names.has(bareToolName(name)));
}

function offIn(switches: unknown): readonly string[] {
  return Object.entries(recordOf(switches))
    .filter(([name, value]) => name !== "*" && isOff(value))
    .map(([name]) => name);
}

/** OpenCode has one permission for all tools that change files. */
function toolsOfSwitch(name: string): readonly string[] {
  return CHANGING.has(name) ? ["edit", "write"] : [name];
}

const CHANGING: ReadonlySet<string> = new Set(["edit", "write", "patch", "multiedit", "apply_patch"]);

/** Whether a switch turns a tool off: whatever is no clear yes. */
function isOff(value: unknown): boolean {
  return value !== undefined && !isOn(value);
}
