import { expect, test } from "bun:test";
import { spreadOf } from "./spread.ts";

test.each([
  { title: "nothing", values: [], spread: undefined },
  { title: "an odd number", values: [3, 1, 10], spread: { median: 3, min: 1, max: 10 } },
  { title: "an even number", values: [4, 1, 10, 2], spread: { median: 3, min: 1, max: 10 } },
])("the spread of $title", ({ values, spread }) => {
  expect(spreadOf(values)).toEqual(spread);
});
