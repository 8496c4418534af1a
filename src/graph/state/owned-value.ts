import { StateMutationError } from "../errors/state-mutation-error.ts";
import { UnserializableValueError } from "../errors/update-errors.ts";
import { describeInstance, describeKeys, MAX_DEPTH, TOO_DEEP } from "./codec.ts";
import { ownLength, type SizeLimit, tooLarge } from "./value-size.ts";

/**
 * Transfers a value to the engine (E13): returns an immutable copy, exactly as a journal would return it. A deeply frozen
 * value is returned itself.
 *
 * @param path the names that lead to the value, for the error
 * @param limit the maximum size of the value
 * @throws UnserializableValueError with the path of a function, symbol, class instance or cycle; ValueTooLargeError
 */
export function ownValue<T>(value: T, path: readonly string[] = [], limit?: SizeLimit): T {
  const room = limit?.maxBytes ?? Number.POSITIVE_INFINITY;
  const owning: Owning = { path: [...path], trustsFrozen: false, isStrict: true, room };
  try {
    // The cast is true: a copy has the type of its original.
    return own(value, owning) as T;
  } catch (error) {
    throw limit !== undefined && owning.room < 0 ? tooLarge(value, path, limit) : error;
  }
}

/** The same for an initial value. Journals do not contain these, so unserializable parts stay as they are. */
export function ownDefault(value: unknown): unknown {
  return own(value, { path: [], trustsFrozen: false, isStrict: false, room: Number.POSITIVE_INFINITY });
}

/**
 * The same for a reducer's result of owned values: frozen objects are taken as deeply frozen, and unserializable parts stay
 * as they are, because the journal contains the reducer's arguments instead.
 */
export function ownResult<T>(value: T): T {
  // The cast is true as above.
  return own(value, { path: [], trustsFrozen: true, isStrict: false, room: Number.POSITIVE_INFINITY }) as T;
}

interface Owning {
  readonly path: string[];
  readonly trustsFrozen: boolean;
  readonly isStrict: boolean;
  /** The remaining size, in bytes of JSON; the value is rejected when it falls below 0. */
  room: number;
}

function own(value: unknown, owning: Owning): unknown {
  owning.room -= ownLength(value);
  if (owning.room < 0) throw new RangeError("The value is too large");
  if (typeof value === "function" || typeof value === "symbol") return leave(value, owning, `a ${typeof value}`);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof OwnedDate || value instanceof OwnedMap || value instanceof OwnedSet) return value;
  if (owning.trustsFrozen && Object.isFrozen(value)) return value;
  if (owning.path.length > MAX_DEPTH) {
    throw new UnserializableValueError(owning.path.slice(0, 8).join("."), TOO_DEEP);
  }
  if (Array.isArray(value)) return ownArray(value, owning);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return ownRecord(value, owning);
  if (value instanceof Date) return new OwnedDate(value.getTime());
  if (value instanceof Map) return ownMap(value, owning);
  if (value instanceof Set) return new OwnedSet(ownArray([...value], owning));
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return leave(value, owning, describeInstance(value));
}

function leave(value: unknown, { isStrict, path }: Owning, what: string): unknown {
  if (isStrict) throw new UnserializableValueError(path.join("."), what);
  return value;
}

function ownMap(map: ReadonlyMap<unknown, unknown>, owning: Owning): OwnedMap {
  // The cast is true: the copy of a list of pairs is one.
  return new OwnedMap(ownArray([...map], owning) as readonly (readonly [unknown, unknown])[]);
}

function ownArray(items: readonly unknown[], owning: Owning): readonly unknown[] {
  let copy: unknown[] | undefined = Object.isFrozen(items) ? undefined : [];
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    owning.path.push(String(index));
    const owned = own(item, owning);
    owning.path.pop();
    if (owned !== item) copy ??= items.slice(0, index);
    copy?.push(owned);
  }
  return copy === undefined ? items : Object.freeze(copy);
}

function ownRecord(value: object, owning: Owning): unknown {
  const problem = owning.isStrict ? describeKeys(value) : undefined;
  if (problem !== undefined) return leave(value, owning, problem);
  // The cast is true: the caller has checked that this is a plain object.
  const record = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined = Object.isFrozen(record) ? undefined : { ...record };
  for (const key of Object.keys(record)) {
    owning.room -= key.length;
    owning.path.push(key);
    const owned = own(record[key], owning);
    owning.path.pop();
    if (owned === record[key]) continue;
    copy ??= { ...record };
    copy[key] = owned;
  }
  return copy === undefined ? record : Object.freeze(copy);
}

function rejectMutation(): never {
  throw new StateMutationError();
}

/** An immutable date. */
class OwnedDate extends Date {}

// All setters behave alike.
for (const name of Object.getOwnPropertyNames(Date.prototype)) {
  if (name.startsWith("set")) Object.defineProperty(OwnedDate.prototype, name, { value: rejectMutation });
}

class OwnedMap extends Map<unknown, unknown> {
  constructor(entries: readonly (readonly [unknown, unknown])[]) {
    super();
    for (const [key, value] of entries) super.set(key, value);
    Object.freeze(this);
  }
  override set(): never {
    return rejectMutation();
  }
  override delete(): never {
    return rejectMutation();
  }
  override clear(): never {
    return rejectMutation();
  }
}

class OwnedSet extends Set<unknown> {
  constructor(items: readonly unknown[]) {
    super();
    for (const item of items) super.add(item);
    Object.freeze(this);
  }
  override add(): never {
    return rejectMutation();
  }
  override delete(): never {
    return rejectMutation();
  }
  override clear(): never {
    return rejectMutation();
  }
}

/** A time as it appears in a state. @param milliseconds since 1970 */
export function ownedDate(milliseconds: number): Date {
  return new OwnedDate(milliseconds);
}
