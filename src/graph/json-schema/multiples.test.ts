import { describe, expect, test } from "bun:test";
import { leastCommonMultiple, multiplyStep } from "./multiples.ts";

describe("the least common multiple", () => {
  test.each([
    [4, 6, 12],
    [5, 5, 5],
    [0.1, 0.15, 0.3],
    [1, 0.25, 1],
    [1e-7, 3e-7, 3e-7],
    [2 ** 40, 3 ** 25, Number.NaN],
  ])("of %d and %d is %d", (left, right, expected) => expect(leastCommonMultiple(left, right)).toBe(expected));
});

test("steps are multiplied without what binary fractions add", () => {
  expect([3 * 0.1, multiplyStep(0.1, 3), multiplyStep(7, -2), multiplyStep(1e-7, 3)]).toEqual([
    0.30000000000000004, 0.3, -14, 3e-7,
  ]);
});
