import { expect, test } from "bun:test";
import { budgetOf } from "./run-flags.ts";

test.each([
  { title: "nothing", flags: {}, expected: {} },
  { title: "tokens", flags: { maxTokens: "5000" }, expected: { maxTokens: 5_000 } },
  { title: "dollars", flags: { maxCost: "0.25" }, expected: { maxCostUsd: 0.25 } },
])("a budget of $title", ({ flags, expected }) => {
  expect(budgetOf(flags)).toEqual(expected);
});

test.each(["", "0", "-1", "many", "1e999"])('a budget of "%s" is refused', (maxTokens) => {
  expect(() => budgetOf({ maxTokens })).toThrow(`--max-tokens takes a number above zero, and "${maxTokens}" is none.`);
});
