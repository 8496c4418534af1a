import { expect, test } from "bun:test";
import { budgetOf, sessionLimitsOf } from "./run-flags.ts";

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

test("the limits of one session are read from the flags of atomic -p", () => {
  expect(sessionLimitsOf({})).toEqual({});
  expect(sessionLimitsOf({ maxTurns: "3", maxCost: "0.5", planMode: true })).toEqual({
    maxTurns: 3,
    maxBudgetUsd: 0.5,
    permissionMode: "plan",
  });
});

test.each(["", "0", "-1", "1.5", "many"])('a bound of "%s" model calls is refused', (maxTurns) => {
  expect(() => sessionLimitsOf({ maxTurns })).toThrow(
    `--max-turns takes a whole number from 1, and "${maxTurns}" is none.`,
  );
});

test("a cost of nothing is refused", () => {
  expect(() => sessionLimitsOf({ maxCost: "0" })).toThrow('--max-cost takes a number above zero, and "0" is none.');
});
