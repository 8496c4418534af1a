import { expect, test } from "bun:test";
import { budgetOf, sessionLimitsOf } from "./run-flags.ts";

test.each([
  { title: "nothing", flags: {}, expected: {} },
  { title: "tokens", flags: { maxTokens: "5000" }, expected: { maxTokens: 5_000 } },
  { title: "dollars", flags: { maxCost: "0.25" }, expected: { maxCostUsd: 0.25 } },
])("a budget of $title", ({ flags, expected }) => {
  expect(budgetOf(flags)).toEqual(expected);
});

test.each(["", "0", "-1", "many", "1e999"])('a budget of "%s" is rejected', (maxTokens) => {
  expect(() => budgetOf({ maxTokens })).toThrow(`--max-tokens requires a number above zero, not "${maxTokens}".`);
});

test("the flags of atomic -p limit its session", () => {
  expect(sessionLimitsOf({})).toEqual({});
  expect(sessionLimitsOf({ maxTurns: "3", maxCost: "0.5", planMode: true })).toEqual({
    maxTurns: 3,
    maxBudgetUsd: 0.5,
    permissionMode: "plan",
  });
});

test.each(["", "0", "-1", "1.5", "many"])('a limit of "%s" model calls is rejected', (maxTurns) => {
  expect(() => sessionLimitsOf({ maxTurns })).toThrow(
    `--max-turns requires a whole number of at least 1, not "${maxTurns}".`,
  );
});

test("a cost of zero is rejected", () => {
  expect(() => sessionLimitsOf({ maxCost: "0" })).toThrow('--max-cost requires a number above zero, not "0".');
});
