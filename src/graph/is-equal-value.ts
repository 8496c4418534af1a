/**
 * Whether two values are the same for a state: plain data and what a journal keeps besides (`codec.ts`), by content. The
 * order of an object's keys, and that of a map or set, does not count. Not `node:util`'s, which alone would take some
 * milliseconds of every start of a process on Node.
 */
export function isEqualValue(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  if (left instanceof Date && right instanceof Date) return Object.is(left.getTime(), right.getTime());
  const isCollection = left instanceof Map || left instanceof Set;
  if (isCollection && (right instanceof Map || right instanceof Set)) return haveEqualItems([...left], [...right]);
  // Without the names of all bytes, as below.
  if (left instanceof Uint8Array && right instanceof Uint8Array) return left.join() === right.join();
  const keys = Object.keys(left);
  // What the prototypes have in common is looked at above; an array's length shows in its keys, but for its gaps.
  if (keys.length !== Object.keys(right).length || lengthOf(left) !== lengthOf(right)) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isEqualValue(left[key], right[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function lengthOf(value: object): number {
  return Array.isArray(value) ? value.length : 0;
}

/** In any order; those of equal order are found at once. */
function haveEqualItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  const others = [...right];
  const isFound = (item: unknown): boolean => {
    const index = others.findIndex((other) => isEqualValue(item, other));
    return index >= 0 && others.splice(index, 1).length > 0;
  };
  return left.length === right.length && left.every(isFound);
}
