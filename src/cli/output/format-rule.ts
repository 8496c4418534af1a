import type { PermissionRule } from "../../contracts/index.ts";
import { visibleLine } from "../../view/index.ts";

/** Formats the calls that a rule matches: `shell: npm test | git *`. */
export function formatRule({ tools, paths, commands }: PermissionRule): string {
  const kinds = tools?.join(", ") ?? "everything";
  const limits = [...(paths ?? []), ...(commands ?? [])];
  return limits.length === 0 ? kinds : `${kinds}: ${limits.map(visibleLine).join(" | ")}`;
}
