import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { isEqualValue } from "./is-equal-value.ts";

/** An object that both of a pair hold. */
const SHARED = { a: 1 };

/** Pairs that are alike at first sight. */
const PAIRS: readonly (readonly [left: unknown, right: unknown])[] = [
  [1, 1],
  [1, 2],
  [0, -0],
  [Number.NaN, Number.NaN],
  [1n, 1n],
  [1n, 1],
  [null, undefined],
  [null, {}],
  ["a", "a"],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: undefined }, {}],
  [{ a: undefined }, { b: undefined }],
  [{ toString: 1 }, {}],
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2 }] } }],
  [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }],
  [[], {}],
  [[1, 2], [1]],
  [
    [1, 2],
    [2, 1],
  ],
  [new Array(2), new Array(3)],
  [{ length: { a: 1 } }, { length: { a: 1 } }],
  [new Date(1), new Date(1)],
  [new Date(1), new Date(2)],
  [new Date(Number.NaN), new Date(Number.NaN)],
  [new Date(1), {}],
  [new Map([["a", { b: 1 }]]), new Map([["a", { b: 1 }]])],
  [new Map([["a", { b: 1 }]]), new Map([["a", { b: 2 }]])],
  [new Map([[{ a: 1 }, 1]]), new Map([[{ a: 1 }, 1]])],
  [new Map([["a", undefined]]), new Map([["b", undefined]])],
  [new Set([1, 2]), new Set([2, 1])],
  [new Set([{ a: 1 }]), new Set([{ a: 1 }])],
  [new Set([{ a: 1 }]), new Set([{ a: 2 }])],
  [new Set([{ a: 1 }, { a: 1 }]), new Set([{ a: 1 }, { a: 2 }])],
  [new Set([1, { a: 1 }]), new Set([{ a: 1 }, 1])],
  [new Set([1, { a: 1 }]), new Set([{ a: 1 }, 2])],
  [new Set([SHARED, { a: 1 }]), new Set([{ a: 1 }, SHARED])],
  [new Map([[SHARED, 1]]), new Map([[{ a: 1 }, 1]])],
  [new Map([[SHARED, SHARED]]), new Map([[{ a: 1 }, { a: 2 }]])],
  [new Set([["a", 1]]), new Map([["a", 1]])],
  [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  [new Uint8Array([1]), [1]],
  [Buffer.from([0xfe]), Buffer.from([0xff])],
  [Object.create(null), {}],
];

describe("isEqualValue", () => {
  test.each(PAIRS)("says of %p and %p what node:util says", (left, right) => {
    expect(isEqualValue(left, right)).toBe(isDeepStrictEqual(left, right));
    expect(isEqualValue(right, left)).toBe(isDeepStrictEqual(right, left));
  });

  // Bun's node:util takes the same object for the only key that may be meant.
  test("pairs keys that are equal objects by their values", () => {
    const mapOf = (own: number, other: number) => new Map([[SHARED, own] as const, [{ a: 1 }, other] as const]);
    expect([isEqualValue(mapOf(1, 2), mapOf(2, 1)), isEqualValue(mapOf(1, 2), mapOf(2, 2))]).toEqual([true, false]);
  });

  test("looks at each value of a large map in another order once", () => {
    const indexes = Array.from({ length: 20_000 }, (_item, index) => index);
    const counted = { reads: 0 };
    const entryOf = (index: number) => {
      const value = {
        get index() {
          counted.reads++;
          return index;
        },
      };
      return [`key-${index}`, value] as const;
    };
    const [left, right] = [new Map(indexes.map(entryOf)), new Map(indexes.toReversed().map(entryOf))];
    expect([isEqualValue(left, right), counted.reads]).toEqual([true, 2 * indexes.length]);
  });

  test("compares the items of nested sets once", () => {
    const [left, right] = [{ reads: 0 }, { reads: 0 }].map((counted) => {
      let value: unknown = {
        get read() {
          return counted.reads++;
        },
      };
      for (let depth = 0; depth < 20; depth++) value = new Set([value]);
      return { value, counted };
    });
    expect(isEqualValue(left?.value, right?.value)).toBe(true);
    expect([left?.counted.reads, right?.counted.reads]).toEqual([1, 1]);
  });

  // Looked for one after the other, they would take minutes.
  test("compares large sets in another order, and large binary data, within the time of a test", () => {
    const items = Array.from({ length: 200_000 }, (_item, index) => index);
    expect(isEqualValue(new Set(items), new Set(items.toReversed()))).toBe(true);
    const [left, right] = [new Uint8Array(40_000_000), new Uint8Array(40_000_000)];
    expect(isEqualValue(left, right)).toBe(true);
  });

  test("finds the entries of a Map whatever their order, where the keys are objects of the same content", () => {
    const entries = () =>
      new Map<object, unknown>([
        [{}, ""],
        [{}, new Date(0)],
      ]);
    // Bun's isDeepStrictEqual says that they differ; Node's says that they do not.
    expect(isEqualValue(entries(), structuredClone(entries()))).toBe(true);
    expect(isEqualValue(entries(), new Map([...entries()].toReversed()))).toBe(true);
    expect(
      isEqualValue(
        entries(),
        new Map<object, unknown>([
          [{}, ""],
          [{}, ""],
        ]),
      ),
    ).toBe(false);
  });

  test("says of any two values of a state what node:util says", () => {
    const values = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withBigInt: true,
      withTypedArray: false,
    });
    fc.assert(
      fc.property(values, values, (left, right) => {
        fc.pre(!hasObjectKeys(left) && !hasObjectKeys(right));
        expect(isEqualValue(left, right)).toBe(isDeepStrictEqual(left, right));
        expect(isEqualValue(left, structuredClone(left))).toBe(isDeepStrictEqual(left, structuredClone(left)));
      }),
    );
  });
});

/** Whether a Map in a value has objects as keys: Bun's isDeepStrictEqual pairs their entries wrongly. */
function hasObjectKeys(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Set) return [...value].some(hasObjectKeys);
  if (!(value instanceof Map)) return Object.values(value).some(hasObjectKeys);
  return [...value].some(([key, item]) => (typeof key === "object" && key !== null) || hasObjectKeys(item));
}
