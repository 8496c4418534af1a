import { type Reducer, Reducers } from "./annotation.ts";

/**
 * Combines a value with several updates, in their order. What the reducer is known to do is done at once, so that what has
 * been collected is not copied for each further update.
 */
export function reduceAll(reducer: Reducer<unknown>, current: unknown, updates: readonly unknown[]): unknown {
  // The casts are true: by their types these reducers are given iterables and objects only.
  if (reducer === Reducers.concat) {
    const list: unknown[] = [];
    for (const part of [current, ...updates] as readonly Iterable<unknown>[]) for (const item of part) list.push(item);
    return list;
  }
  if (reducer === Reducers.merge) {
    const parts = [current, ...updates] as readonly (object | undefined)[];
    // Not Object.assign(), which takes the name "__proto__" for something else.
    return Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
  }
  return updates.reduce((value, update) => reducer(value, update), current);
}
