import { safeJson } from "../../view/index.ts";

/** Formats a value as one line of JSON. Characters that a terminal would act on are escaped. */
export function formatJson(value: unknown): string {
  return safeJson(JSON.stringify(value, toJsonValue));
}

/** Replaces values that JSON would lose: BigInt, Map, Set and bytes. */
export function toJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return [...value];
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return value;
}
