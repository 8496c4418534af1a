import type { Json } from "../../contracts/index.ts";

/** A value as `session.json` shows it to people. Drops what JSON cannot represent; the journal keeps all of it. */
export function toJson(value: unknown): Json {
  // The cast is true: JSON.parse makes nothing else.
  return JSON.parse(JSON.stringify(value, writeBigInt) ?? "null") as Json;
}

/** The same for an object. */
export function toJsonObject(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const json = toJson(value);
  // The cast is true: an object stays an object.
  return json as Readonly<Record<string, unknown>>;
}

/** JSON.stringify throws on a bigint: it is written as text. */
function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
