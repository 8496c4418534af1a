import { isSecretField } from "./secret-places.ts";

/** Deeper values are left alone: the engine rejects them, and so does JSON. */
const MAX_DEPTH = 1_000;
/** Shorter texts are no secrets, and nothing that contains one. */
const MIN_LENGTH = 8;

/**
 * Applies a function to the strings in a value, keys included. Returns the same value if none of them changes, and copies
 * only what does.
 */
export function redactParts<T>(value: T, redact: (text: string) => string): T {
  const texts = (text: string): string => (text.length < MIN_LENGTH ? text : redact(text));
  // The cast is true: the copy has the shape of the original.
  return redactPart(value, { text: texts, done: new Map() }, 0) as T;
}

/** One call of {@link redactParts}. */
interface Walk {
  text(text: string): string;
  /** What objects became: one can occur many times in a value, or in itself. */
  readonly done: Map<object, unknown>;
}

function redactPart(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return walk.text(value);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (walk.done.has(value)) return walk.done.get(value);
  // Until it is known: the engine rejects a value that contains itself, and so does JSON.
  walk.done.set(value, value);
  const redacted = redactObject(value, walk, depth);
  walk.done.set(value, redacted);
  return redacted;
}

function redactObject(value: object, walk: Walk, depth: number): unknown {
  if (Array.isArray(value)) return redactList(value, walk, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  // The cast is true: an object of no class is a record of its fields.
  if (prototype === Object.prototype || prototype === null) return redactRecord(value as Fields, walk, depth);
  if (value instanceof Map) return redactMap(value, walk, depth);
  if (value instanceof Set) {
    const items = [...value];
    const redacted = redactList(items, walk, depth);
    return redacted === items ? value : new Set(redacted);
  }
  return value;
}

type Fields = Readonly<Record<string, unknown>>;

function redactList(items: readonly unknown[], walk: Walk, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const redacted = redactPart(item, walk, depth + 1);
    if (redacted === item) continue;
    copy ??= [...items];
    copy[index] = redacted;
  }
  return copy ?? items;
}

function redactRecord(record: Fields, walk: Walk, depth: number): Fields {
  let changed: Map<string, unknown> | undefined;
  let hasNewNames = false;
  for (const name of Object.keys(record)) {
    const value = record[name];
    const redacted = isSecretField(name) ? redactField(name, value, walk, depth) : redactPart(value, walk, depth + 1);
    const isRenamed = walk.text(name) !== name;
    hasNewNames ||= isRenamed;
    if (redacted === value && !isRenamed) continue;
    changed ??= new Map();
    changed.set(name, redacted);
  }
  if (changed === undefined) return record;
  const taken = new Set<string>();
  const entries = Object.keys(record).map((name): readonly [string, unknown] => {
    const value = changed.has(name) ? changed.get(name) : record[name];
    return [hasNewNames ? freeName(walk.text(name), taken) : name, value];
  });
  return Object.fromEntries(entries);
}

/** Two secrets can have the same label, and a field must not replace another one. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} (${count})`;
  taken.add(free);
  return free;
}

/** The value of a header is redacted as in the header's text. */
function redactField(name: string, value: unknown, walk: Walk, depth: number): unknown {
  if (Array.isArray(value)) {
    const inHeader = (text: string): string => withHeader(name, text, walk);
    return redactList(value, { text: inHeader, done: new Map() }, depth + 1);
  }
  return typeof value === "string" ? withHeader(name, value, walk) : redactPart(value, walk, depth + 1);
}

function withHeader(name: string, text: string, walk: Walk): string {
  const head = `${name}: `;
  const whole = walk.text(head + text);
  return whole.startsWith(head) ? whole.slice(head.length) : walk.text(text);
}

function redactMap(map: ReadonlyMap<unknown, unknown>, walk: Walk, depth: number): ReadonlyMap<unknown, unknown> {
  const pairs = [...map];
  const redacted = redactList(pairs, walk, depth);
  // The cast is true: a redacted pair is one.
  return redacted === pairs ? map : new Map(redacted as readonly (readonly [unknown, unknown])[]);
}
