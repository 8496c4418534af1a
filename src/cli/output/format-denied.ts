import type { DeniedPermission } from "../../contracts/index.ts";
import { safeLine, visibleLine } from "../../view/index.ts";

/**
 * Formats a denied call: the call, the reason, and the flag that would allow it, if there is one.
 * @param label precedes it
 */
export function formatDenied({ title, reason, allowedBy }: DeniedPermission, label = ""): readonly string[] {
  const why = safeLine(reason.replace(/^Denied:? /, ""), 400);
  const flag = allowedBy === undefined ? undefined : formatAllowFlag(allowedBy);
  return [
    `⊘ ${label}denied: ${safeLine(title, 120)} (${why})`,
    ...(allowedBy === undefined || flag === undefined
      ? []
      : [`  To allow ${describeAllowed(allowedBy)} next time: ${flag}`]),
  ];
}

/** A rule without a pattern allows every call of its kind. */
function describeAllowed(rule: string): string {
  return rule.includes(":") ? "exactly this" : `every call of the kind ${rule}`;
}

/** The flag for a rule, quoted for a POSIX shell; undefined when the rule has look-alike or invisible characters. */
export function formatAllowFlag(rule: string): string | undefined {
  if (visibleLine(rule) !== rule) return undefined;
  const isPlain = !/["$`\\!]/.test(rule);
  return `--allow ${isPlain ? `"${rule}"` : `'${rule.replaceAll("'", String.raw`'\''`)}'`}`;
}
