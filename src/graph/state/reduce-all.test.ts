import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Reducer, Reducers } from "./annotation.ts";
import { reduceAll } from "./reduce-all.ts";

describe("several updates at once come to the same as one after the other, with", () => {
  const texts = fc.array(fc.array(fc.string(), { maxLength: 3 }), { maxLength: 9 });
  // "__proto__" is a name like any other.
  const keys = fc.constantFrom("a", "b", "c", "__proto__");
  const objects = fc.array(fc.dictionary(keys, fc.integer()), { maxLength: 9 });
  // The casts to Reducer<unknown> below are true: each is given updates of its own type only.
  test.each([
    { title: "concat", reducer: Reducers.concat as Reducer<unknown>, current: ["x"], updates: texts },
    { title: "merge", reducer: Reducers.merge as Reducer<unknown>, current: { x: 1, a: 2 }, updates: objects },
    { title: "sum", reducer: Reducers.sum as Reducer<unknown>, current: 1, updates: fc.array(fc.integer()) },
    {
      title: "one that minds the grouping",
      reducer: ((value: number, update: number) => value - update) as Reducer<unknown>,
      current: 1,
      updates: fc.array(fc.integer()),
    },
  ])("$title", ({ reducer, current, updates }) => {
    fc.assert(
      fc.property(updates, (list) => {
        const expected = list.reduce<unknown>((value, update) => reducer(value, update), current);
        const actual = reduceAll({ name: "f", reducer }, current, list);
        expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
      }),
    );
  });
});
