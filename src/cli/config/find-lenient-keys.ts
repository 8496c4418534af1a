import type { z } from "zod";
import { isRecord, nearestName } from "../../contracts/index.ts";

/**
 * Settings that guard nothing. An unknown key among them, or one at the top whose name is near to none or to one of these,
 * may be of a newer version: it is left out. Anywhere else it is an error, because a misspelt rule must not be ignored.
 */
const LENIENT: ReadonlySet<string> = new Set(["$schema", "agent", "model", "models", "ui"]);

/** Keys that belong into a setting that guards something: at the top, one of them is an error as well. */
const GUARDING: readonly string[] = [
  ...["rules", "otherwise", "protectedPaths", "allow", "deny", "ask", "hooks", "ungated"],
  ...["readRoots", "writeRoots", "denyRead", "network", "maxAgents", "maxConcurrency", "maxAgentsOnMachine"],
];

/**
 * The value without its unknown keys. Undefined if something else is wrong with it, too, or if one of the keys may be meant as
 * a setting that guards something.
 *
 * @param settingNames the names of all settings at the top
 */
export function findLenientKeys(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  settingNames: readonly string[],
): { readonly rest: unknown } | undefined {
  let rest = value;
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") return undefined;
    for (const key of issue.keys) {
      if (!isLenient(issue.path, key, settingNames)) return undefined;
      rest = without(rest, [...issue.path, key]);
    }
  }
  return { rest };
}

function isLenient(path: readonly PropertyKey[], key: string, settingNames: readonly string[]): boolean {
  const [section] = path;
  if (section !== undefined) return LENIENT.has(String(section));
  const meant = nearestName(key, [...settingNames, ...GUARDING]);
  return meant === undefined || LENIENT.has(meant);
}

/** A copy of a value without the key at a path. */
function without(value: unknown, [first, ...others]: readonly PropertyKey[]): unknown {
  if (!isRecord(value) || first === undefined) return value;
  const { [String(first)]: inner, ...rest } = value;
  return others.length === 0 ? rest : { ...rest, [String(first)]: without(inner, others) };
}
