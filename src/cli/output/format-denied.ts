import type { DeniedPermission } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import { visibleLine } from "../visible/visible-text.ts";

/** A call that was denied, for a person: what, why, and the flag that would have allowed it, and what else, where there is one. */
export function formatDenied({ title, reason, allowedBy }: DeniedPermission): readonly string[] {
  const why = safeLine(reason.replace(/^Denied:? /, ""), 400);
  const flag = allowedBy === undefined ? undefined : formatAllowFlag(allowedBy);
  return [
    `⊘ denied: ${safeLine(title, 120)} (${why})`,
    ...(allowedBy === undefined || flag === undefined
      ? []
      : [`  To allow ${describeAllowed(allowedBy)} next time: ${flag}`]),
  ];
}

/** A rule that names nothing but a kind allows every call of it. */
function describeAllowed(rule: string): string {
  return rule.includes(":") ? "exactly this" : `every call of the kind ${rule}`;
}

/** The flag as a POSIX shell takes it; nothing where a person could not see what it says. */
function formatAllowFlag(rule: string): string | undefined {
  if (visibleLine(rule) !== rule) return undefined;
  const isPlain = !/["$`\\!]/.test(rule);
  return `--allow ${isPlain ? `"${rule}"` : `'${rule.replaceAll("'", String.raw`'\''`)}'`}`;
}
