/**
 * Whether two values of a state are equal by content: plain data and the other types that a journal keeps (`codec.ts`).
 * The order of keys, and of entries of a map or set, does not matter. Not `isDeepStrictEqual` of `node:util`: in Bun 1.4.5
 * it finds equal Maps unequal if their keys are objects with the same content, and it takes twice as long for each level
 * of nested Sets.
 */
export function isEqualValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right) || Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  // Same prototype, so the other one is a date too.
  if (left instanceof Date) return Object.is(Number(left), Number(right));
  if (isCollection(left) && isCollection(right)) return haveEqualEntries([...left.entries()], right);
  // Faster than listing the bytes as keys, as below.
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0;
  const keys = Object.keys(left);
  // Types have been compared through the prototypes. The length of an array matters only if it has gaps.
  if (keys.length !== Object.keys(right).length || !isEqualValue(left.length, right.length)) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqualValue(left[key], right[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

type Collection = ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

function isCollection(value: object): value is Collection {
  return value instanceof Map || value instanceof Set;
}

/** Compares entries in any order. An item of a set is its own value. */
function haveEqualEntries(entries: readonly (readonly [unknown, unknown])[], collection: Collection): boolean {
  // Shrinks as entries are found.
  const others = new Map(collection.entries());
  const isFound = ([key, value]: readonly [unknown, unknown]): boolean => {
    if (others.has(key) && isEqualValue(value, others.get(key))) return others.delete(key);
    // Two different objects can be equal keys. If the order is the same, the first comparison finds them.
    for (const [other, otherValue] of isObject(key) ? others : []) {
      const isItem = key === value && other === otherValue;
      if (isEqualValue(key, other) && (isItem || isEqualValue(value, otherValue))) return others.delete(other);
    }
    return false;
  };
  return entries.length === others.size && entries.every(isFound);
}
