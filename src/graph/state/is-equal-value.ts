/**
 * Whether two values are the same for a state: plain data and what a journal keeps besides (`codec.ts`), by content. The
 * order of an object's keys, and that of a map or set, does not count. Not `isDeepStrictEqual` of `node:util`: Bun 1.4.5's
 * tells apart equal Maps whose keys are objects of the same content, and takes twice as long for each Set within a Set.
 */
export function isEqualValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right) || Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  // Having the same prototype, the other one is a date, too; its number is its time.
  if (left instanceof Date) return Object.is(Number(left), Number(right));
  if (isCollection(left) && isCollection(right)) return haveEqualEntries([...left.entries()], right);
  // Without the names of all bytes, as below.
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right) === 0;
  const keys = Object.keys(left);
  // What the prototypes have in common is looked at above; an array's length shows in its keys, but for its gaps.
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

/** In any order. An item of a set is its own value. */
function haveEqualEntries(entries: readonly (readonly [unknown, unknown])[], collection: Collection): boolean {
  // Loses what has been found.
  const others = new Map(collection.entries());
  const isFound = ([key, value]: readonly [unknown, unknown]): boolean => {
    if (others.has(key) && isEqualValue(value, others.get(key))) return others.delete(key);
    // Two objects can be equal keys. Those of equal order are found at once.
    for (const [other, otherValue] of isObject(key) ? others : []) {
      const isItem = key === value && other === otherValue;
      if (isEqualValue(key, other) && (isItem || isEqualValue(value, otherValue))) return others.delete(other);
    }
    return false;
  };
  return entries.length === others.size && entries.every(isFound);
}
