import { safeJson } from "../../view/index.ts";

/** A value as one line of JSON that is harmless in a terminal, too: what a terminal may act on is escaped, not lost. */
export function formatJson(value: unknown): string {
  return safeJson(JSON.stringify(value, toJsonValue));
}

/** What JSON would lose, in the form that comes nearest. */
export function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}
