import { expect, test } from "bun:test";
import { partOfSeed, readSeed } from "./part-of-seed.ts";

test("seeds in a row make all tests, each of them once", () => {
  const parts = ["a", "b", "c", "d", "e"];
  const tried = [7, 8, 9].map((seed) => partOfSeed(parts, 3, seed));
  expect(tried).toEqual([["b", "e"], ["c"], ["a", "d"]]);
  expect(partOfSeed(parts, 1, 7)).toEqual(parts);
});

test("a seed is repeated by its number, and is another one each day", () => {
  expect(readSeed({ TEST_SEED: "12" })).toBe(12);
  expect(readSeed({})).toBeGreaterThan(20_000);
  expect(() => readSeed({ TEST_SEED: "x" })).toThrow("TEST_SEED is no number of a seed: x");
});
