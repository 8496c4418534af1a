import { type Reducer, Reducers } from "./annotation.ts";

/**
 * Combines a value with several updates, in order. The built-in reducers run in a single pass, so the accumulated value is
 * not copied for each update.
 */
export function reduceAll(reducer: Reducer<unknown>, current: unknown, updates: readonly unknown[]): unknown {
  // The casts are true: by their types, these reducers receive only iterables and objects.
  if (reducer === Reducers.concat) {
    const list: unknown[] = [];
    for (const part of [current, ...updates] as readonly Iterable<unknown>[]) for (const item of part) list.push(item);
    return list;
  }
  if (reducer === Reducers.merge) {
    const parts = [current, ...updates] as readonly (object | undefined)[];
    // Not Object.assign(), which treats the name "__proto__" specially.
    return Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
  }
  return updates.reduce((value, update) => reducer(value, update), current);
}
