import { UnserializableValueError } from "../errors/update-errors.ts";

/**
 * The text form of journal values: JSON, with a tagged object `{"$": tag, "v": …}` for what JSON would lose. An author's
 * object with a key `$` is tagged too (`object`), so reading never mistakes it for a tag.
 */
type Tag = "date" | "map" | "set" | "bigint" | "number" | "undefined" | "bytes" | "object";

/**
 * Encodes a value as text.
 *
 * @throws UnserializableValueError with the path of a function, symbol, class instance, cycle or too deeply nested value
 */
export function encodeValue(value: unknown): string {
  return JSON.stringify(toStorable(value, []));
}

/** Decodes the text of {@link encodeValue}. @throws SyntaxError for any other text */
export function decodeValue(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return text.includes('"$":') ? fromStorable(parsed) : parsed;
}

/**
 * The value in a form that JSON keeps without loss. Returns plain data itself, not a copy.
 *
 * @param path the names that lead to the value, for the error
 */
export function toStorable(value: unknown, path: string[]): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : tagged("number", String(value === 0 ? "-0" : value));
    case "undefined":
      return tagged("undefined", null);
    case "bigint":
      return tagged("bigint", value.toString());
    case "object":
      return value === null ? null : objectToStorable(value, path);
    default:
      throw new UnserializableValueError(path.join("."), `a ${typeof value}`);
  }
}

/** Whether {@link toStorable} accepts a value. */
export function isStorable(value: unknown): boolean {
  try {
    toStorable(value, []);
    return true;
  } catch (error) {
    if (error instanceof UnserializableValueError) return false;
    throw error;
  }
}

/** The maximum nesting depth of a value, counted from the root of its path. A cycle exceeds it. */
export const MAX_DEPTH = 500;
/** Describes a value that exceeds it. */
export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep, or part of a cycle`;

function objectToStorable(value: object, path: string[]): unknown {
  if (path.length > MAX_DEPTH) throw new UnserializableValueError(path.slice(0, 8).join("."), TOO_DEEP);
  if (Array.isArray(value)) return arrayToStorable(value, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return recordToStorable(value, path);
  // An invalid date has the time NaN, which becomes null in JSON.
  if (value instanceof Date) return tagged("date", value.getTime());
  if (value instanceof Map) return tagged("map", arrayToStorable([...value], path));
  if (value instanceof Set) return tagged("set", arrayToStorable([...value], path));
  if (value instanceof Uint8Array) return tagged("bytes", Buffer.from(value).toString("base64"));
  throw new UnserializableValueError(path.join("."), describeInstance(value));
}

/** Describes an object that a journal cannot keep. */
export function describeInstance(value: object): string {
  // An object can lack a constructor, whatever its type says.
  const maker: unknown = value.constructor;
  return `an instance of ${typeof maker === "function" ? maker.name : "an unknown class"}`;
}

/** Describes an object with keys that a journal cannot keep; `undefined` if all of them are texts. */
export function describeKeys(value: object): string | undefined {
  const symbols = Object.getOwnPropertySymbols(value);
  // Others are not copied with the object, and belong to whatever made it.
  const isLost = symbols.length > 0 && symbols.some((key) => Object.prototype.propertyIsEnumerable.call(value, key));
  return isLost ? "an object with a symbol as a key" : undefined;
}

function arrayToStorable(items: readonly unknown[], path: string[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    path.push(String(index));
    const stored = toStorable(item, path);
    path.pop();
    if (stored !== item && copy === undefined) copy = items.slice(0, index);
    copy?.push(stored);
  }
  return copy ?? items;
}

function recordToStorable(value: object, path: string[]): unknown {
  const problem = describeKeys(value);
  if (problem !== undefined) throw new UnserializableValueError(path.join("."), problem);
  // The cast is true: the caller has checked that this is a plain object.
  const record = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    path.push(key);
    const stored = toStorable(record[key], path);
    path.pop();
    if (stored !== record[key]) {
      copy ??= { ...record };
      copy[key] = stored;
    }
  }
  const result = copy ?? record;
  return Object.hasOwn(record, "$") ? tagged("object", Object.entries(result)) : result;
}

function tagged(tag: Tag, value: unknown): unknown {
  return { $: tag, v: value };
}

function fromStorable(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromStorable);
  // The cast is true: JSON.parse returns no other objects than arrays and plain ones.
  const record = value as Readonly<Record<string, unknown>>;
  if (typeof record.$ === "string") return untag(record.$, record.v);
  return Object.fromEntries(Object.entries(record).map(([key, item]) => [key, fromStorable(item)]));
}

function untag(tag: string, value: unknown): unknown {
  switch (tag) {
    case "date":
      return new Date(value === null ? Number.NaN : Number(value));
    case "number":
      return Number(value);
    case "bigint":
      return BigInt(String(value));
    case "undefined":
      return undefined;
    case "bytes":
      return new Uint8Array(Buffer.from(String(value), "base64"));
    // The casts below are true: toStorable writes lists of entries, or of items, under these tags.
    case "map":
      return new Map(fromStorable(value) as [unknown, unknown][]);
    case "set":
      return new Set(fromStorable(value) as unknown[]);
    case "object":
      return Object.fromEntries((value as [string, unknown][]).map(([key, item]) => [key, fromStorable(item)]));
    default:
      throw new SyntaxError(`Unknown tag "${tag}" in a journal value`);
  }
}
