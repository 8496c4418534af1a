import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { annotation, defineState, Reducers, type StateFromAnnotation, type StateOf } from "./annotation.ts";

const items = fc.array(fc.record({ id: fc.integer({ min: 0, max: 5 }), text: fc.string() }), { maxLength: 6 });
const numbers = fc.double({ noNaN: true });
const records = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.integer());

/** Asserts `f(f(a, b), c) = f(a, f(b, c))`. */
function assertAssociative<T>(reducer: (left: T, right: T) => T, values: fc.Arbitrary<T>): void {
  fc.assert(
    fc.property(values, values, values, (a, b, c) => {
      expect(reducer(reducer(a, b), c)).toEqual(reducer(a, reducer(b, c)));
    }),
  );
}

describe("the grouping of updates does not matter to", () => {
  test("replace", () => assertAssociative(Reducers.replace<number>, fc.integer()));
  test("concat", () => assertAssociative(Reducers.concat<number>, fc.array(fc.integer())));
  test("merge", () => assertAssociative(Reducers.merge<Record<string, number>>, records));
  test("max", () => assertAssociative(Reducers.max, numbers));
  test("min", () => assertAssociative(Reducers.min, numbers));
  test("sum, of whole numbers", () => assertAssociative(Reducers.sum, fc.integer()));
  test("or", () => assertAssociative(Reducers.or, fc.boolean()));
  test("and", () => assertAssociative(Reducers.and, fc.boolean()));
  test("ifDefined", () =>
    assertAssociative<number | undefined>(Reducers.ifDefined, fc.option(fc.integer(), { nil: undefined })));
});

describe("reducers", () => {
  test("do not change what they are given", () => {
    fc.assert(
      fc.property(items, items, (current, update) => {
        const before = structuredClone([current, update]);
        Reducers.concat(current, update);
        Reducers.mergeById<{ id: number; text: string }>("id")(current, update);
        Reducers.merge({ list: current }, { list: update });
        expect([current, update]).toEqual(before);
      }),
    );
  });

  test("mergeById keeps one item per id, the latest, at the place where the id first appeared", () => {
    fc.assert(
      fc.property(items, items, (current, update) => {
        const merged = Reducers.mergeById<{ id: number; text: string }>("id")(current, update);
        const all = [...current, ...update];
        const ids = [...new Set(all.map((item) => item.id))];
        expect(merged).toEqual(ids.map((id) => all.findLast((item) => item.id === id) ?? { id, text: "never" }));
      }),
    );
  });

  test.each([
    { title: "replace takes the update", actual: Reducers.replace(1, 2), expected: 2 },
    { title: "concat appends", actual: Reducers.concat([1], [2, 3]), expected: [1, 2, 3] },
    { title: "merge sets keys", actual: Reducers.merge({ a: 1, b: 1 }, { b: 2 }), expected: { a: 1, b: 2 } },
    { title: "max takes the larger", actual: [Reducers.max(1, 2), Reducers.max(2, 1)], expected: [2, 2] },
    { title: "min takes the smaller", actual: [Reducers.min(1, 2), Reducers.min(2, 1)], expected: [1, 1] },
    { title: "sum adds", actual: Reducers.sum(1, 2), expected: 3 },
    { title: "or keeps true", actual: [Reducers.or(true, false), Reducers.or(false, false)], expected: [true, false] },
    {
      title: "and keeps false",
      actual: [Reducers.and(true, true), Reducers.and(false, true)],
      expected: [true, false],
    },
    {
      title: "ifDefined ignores undefined and null, and nothing else",
      actual: [undefined, null, 0, "", false].map((update) => Reducers.ifDefined<unknown>(1, update)),
      expected: [1, 1, 0, "", false],
    },
  ])("$title", ({ actual, expected }) => expect<unknown>(actual).toEqual(expected));
});

describe("annotation", () => {
  const reducer = Reducers.sum;
  const makeList = (): string[] => [];
  test.each([
    { title: "a first value", actual: annotation(1), expected: { default: 1 } },
    { title: "a first value and a reducer", actual: annotation(1, reducer), expected: { default: 1, reducer } },
    { title: "a function that makes the first value", actual: annotation(makeList), expected: { default: makeList } },
    { title: "one object", actual: annotation({ default: 1, reducer }), expected: { default: 1, reducer } },
    { title: "one object without a reducer", actual: annotation({ default: 1 }), expected: { default: 1 } },
    {
      title: "an object with other keys is a first value itself",
      actual: annotation({ default: 1, other: 2 }),
      expected: { default: { default: 1, other: 2 } },
    },
    { title: "null", actual: annotation(null), expected: { default: null } },
  ])("takes $title", ({ actual, expected }) => expect<unknown>(actual).toEqual(expected));
});

describe("defineState", () => {
  test("keeps the fields and infers the state's type", () => {
    const fields = { topic: annotation(""), tags: annotation<string[]>([], Reducers.concat) };
    const schema = defineState(fields);
    const state: Pick<StateOf<typeof schema>, "topic" | "tags"> = { topic: "x", tags: ["y"] };
    const same: Pick<StateFromAnnotation<typeof fields>, "topic" | "tags"> = state;
    expect(schema).toEqual({ fields });
    expect(same).toEqual({ topic: "x", tags: ["y"] });
  });
});
