import { formatJson } from "./format-json.ts";
import { safeText } from "./safe-text.ts";

/** What a run has come to, for a person: a text as it is, with its lines; everything else as JSON. */
export function formatOutput(output: unknown): string {
  return safeText(typeof output === "string" ? output : JSON.stringify(output, toJsonValue, 2));
}

/** A value of a state as JSON in one line, harmless in a terminal; null for none. */
export function formatJsonValue(value: unknown): string {
  return formatJson(JSON.parse(JSON.stringify(value, toJsonValue) ?? "null"));
}

/** What JSON would lose, in the form that comes nearest. */
function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}
