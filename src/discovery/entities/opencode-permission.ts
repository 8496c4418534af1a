import { isRecord, recordOf } from "../../contracts/index.ts";

/**
 * The tools that OpenCode's `permission` takes away, in the syntax of `PermissionRule.exceptTools` without `!`: `webfetch`,
 * `bash(git push*)`. Pure.
 *
 * 1. Of the patterns of one tool the last one that matches decides, so a later `"*"` without `deny` lifts what precedes it.
 * 2. No list can except a part of what it excludes: of `"git *": deny` and `"git log": allow` the first is in force, of
 *    `"*": deny` and `"git *": allow` nothing but the exclusion of the whole tool.
 * 3. A pattern that a list has no equal for takes the whole tool away.
 */
export function deniedByPermission(permission: unknown): readonly string[] {
  return Object.entries(recordOf(permission))
    .filter(([name]) => name !== "*")
    .flatMap(([name, rule]) => {
      const patterns = deniedPatterns(rule).map((pattern) => translate(name, pattern));
      const suffixes = patterns.includes(undefined) ? [""] : patterns.map((pattern) => `(${pattern})`);
      return toolsOf(name).flatMap((tool) => suffixes.map((suffix) => tool + suffix));
    });
}

/** The only tools that it leaves, where it denies all others; else undefined. Pure. */
export function leftByPermission(permission: unknown): readonly string[] | undefined {
  if (permission === "deny") return [];
  const { "*": others, ...named } = recordOf(permission);
  // A pattern for all tools takes all of them away: each means another thing by it.
  if (deniedPatterns(others).length === 0) return undefined;
  const left = Object.entries(named).filter(([, rule]) => leavesWhole(rule));
  return left.flatMap(([name]) => toolsOf(name));
}

/** OpenCode has one permission for all changes of files. */
function toolsOf(name: string): readonly string[] {
  return name === "edit" ? ["edit", "write"] : [name];
}

/** Where all else is denied, so are the calls that no pattern of the tool matches. */
function leavesWhole(rule: unknown): boolean {
  if (!isRecord(rule)) return !isDeny(rule);
  return rule["*"] !== undefined && !isDeny(rule["*"]);
}

/** Invariants 1 and 2. */
function deniedPatterns(rule: unknown): readonly string[] {
  if (!isRecord(rule)) return isDeny(rule) ? ["*"] : [];
  if (isDeny(rule["*"])) return ["*"];
  const patterns = Object.keys(rule);
  return patterns.slice(patterns.indexOf("*") + 1).filter((pattern) => isDeny(rule[pattern]));
}

function isDeny(action: unknown): boolean {
  return action === "deny" || action === false;
}

/** A pattern of OpenCode's as that of an exclusion, which matches at least as much; undefined for the whole tool. */
function translate(tool: string, pattern: string): string | undefined {
  // OpenCode reads a backslash as a slash.
  if (pattern.trim() !== pattern || pattern === "" || pattern === "*" || pattern.includes("\\")) return undefined;
  if (tool === "bash") return translateCommand(pattern);
  return tool === "read" || tool === "edit" ? translatePath(pattern) : undefined;
}

/** The wildcards are the same, but `git *` includes `git`, and `:*` at the end has a meaning of its own in a list. */
function translateCommand(pattern: string): string {
  if (pattern.endsWith(" *")) return `${pattern.slice(0, -2).trimEnd()}:*`;
  return pattern.endsWith(":*") ? `${pattern}*` : pattern;
}

/** To OpenCode `*` matches slashes. Its paths start from the root of the repository, a list's from the working directory. */
function translatePath(pattern: string): string | undefined {
  if (/[?{}~$]/.test(pattern) || pattern.startsWith("/") || pattern.startsWith(".")) return undefined;
  const spanning = pattern.replace(/\*+/g, "**");
  return spanning.startsWith("**") ? spanning : `**/${spanning}`;
}
