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
  return redactPart(value, texts, 0) as T;
}

type Redact = (text: string) => string;

function redactPart(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return redactList(value, redact, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  // The cast is true: an object of no class is a record of its fields.
  if (prototype === Object.prototype || prototype === null) return redactRecord(value as Fields, redact, depth);
  if (value instanceof Map) return redactMap(value, redact, depth);
  if (value instanceof Set) {
    const items = [...value];
    const redacted = redactList(items, redact, depth);
    return redacted === items ? value : new Set(redacted);
  }
  return value;
}

type Fields = Readonly<Record<string, unknown>>;

function redactList(items: readonly unknown[], redact: Redact, depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const redacted = redactPart(item, redact, depth + 1);
    if (redacted === item) continue;
    copy ??= [...items];
    copy[index] = redacted;
  }
  return copy ?? items;
}

function redactRecord(record: Fields, redact: Redact, depth: number): Fields {
  let changed: Map<string, unknown> | undefined;
  let hasNewNames = false;
  for (const name of Object.keys(record)) {
    const value = record[name];
    const redacted = isSecretField(name)
      ? redactField(name, value, redact, depth)
      : redactPart(value, redact, depth + 1);
    const isRenamed = redact(name) !== name;
    hasNewNames ||= isRenamed;
    if (redacted === value && !isRenamed) continue;
    changed ??= new Map();
    changed.set(name, redacted);
  }
  if (changed === undefined) return record;
  const taken = new Set<string>();
  const entries = Object.keys(record).map((name): readonly [string, unknown] => {
    const value = changed.has(name) ? changed.get(name) : record[name];
    return [hasNewNames ? freeName(redact(name), taken) : name, value];
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
function redactField(name: string, value: unknown, redact: Redact, depth: number): unknown {
  if (Array.isArray(value)) return redactList(value, (text) => withHeader(name, text, redact), depth + 1);
  return typeof value === "string" ? withHeader(name, value, redact) : redactPart(value, redact, depth + 1);
}

function withHeader(name: string, text: string, redact: Redact): string {
  const head = `${name}: `;
  const whole = redact(head + text);
  return whole.startsWith(head) ? whole.slice(head.length) : redact(text);
}

function redactMap(map: ReadonlyMap<unknown, unknown>, redact: Redact, depth: number): ReadonlyMap<unknown, unknown> {
  const pairs = [...map];
  const redacted = redactList(pairs, redact, depth);
  // The cast is true: a redacted pair is one.
  return redacted === pairs ? map : new Map(redacted as readonly (readonly [unknown, unknown])[]);
}
