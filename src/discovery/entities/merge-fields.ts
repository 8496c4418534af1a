import { isRecord } from "../../contracts/index.ts";
import { usualFieldName } from "./definition-fields.ts";
import { normalizeExclusions, normalizeTools } from "./normalize-tools.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that limit tools, in their usual spelling, and the name under which they are merged. */
const LIMITS: ReadonlyMap<string, string> = new Map([
  ["tools", "tools"],
  ["allowed-tools", "tools"],
  ["disallowed-tools", "disallowed-tools"],
  ["permission", "permission"],
]);

/**
 * The fields of two layers of one of OpenCode's definitions. Of two values the higher one counts, of two tables each key of
 * it; but what either excludes is excluded. The fields that limit tools have one spelling each. Pure.
 */
export function mergeFields(lower: Fields, higher: Fields): Fields {
  const merged = new Map(Object.entries(lower));
  for (const [written, value] of Object.entries(higher)) {
    const key = LIMITS.get(usualFieldName(written)) ?? written;
    merged.set(key, mergeValue(key, merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function mergeValue(key: string, lower: unknown, higher: unknown): unknown {
  if (lower === undefined) return higher;
  if (key === "disallowed-tools") return [...new Set([lower, higher].flatMap(normalizeExclusions))];
  // Of two lists of tools, the higher one counts as any other value does.
  if (!isRecord(lower) && !isRecord(higher) && key !== "permission") return higher;
  return mergeTables(asTable(key, lower), asTable(key, higher));
}

function mergeTables(lower: unknown, higher: unknown): unknown {
  if (!isRecord(lower) || !isRecord(higher)) return higher;
  const entries = Object.entries(higher).map(([key, value]) => [key, mergeTables(lower[key], value)] as const);
  return { ...lower, ...Object.fromEntries(entries) };
}

/** `permission: deny` is the same as `{ "*": deny }`, and `tools: [read]` as `{ "*": false, read: true }`. */
function asTable(key: string, value: unknown): unknown {
  if (key === "permission" && typeof value === "string") return { "*": value };
  if (key !== "tools" || isRecord(value)) return value;
  const { vendorTools = [] } = normalizeTools(value);
  const switches = vendorTools.map((name) => (name.startsWith("!") ? [name.slice(1), false] : [name, true]));
  return { "*": false, ...Object.fromEntries(switches) };
}
