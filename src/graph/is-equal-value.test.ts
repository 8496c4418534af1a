import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { isEqualValue } from "./is-equal-value.ts";

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
        expect(isEqualValue(left, right)).toBe(isDeepStrictEqual(left, right));
        expect(isEqualValue(left, structuredClone(left))).toBe(isDeepStrictEqual(left, structuredClone(left)));
      }),
    );
  });
});
