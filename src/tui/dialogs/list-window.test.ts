import { expect, test } from "bun:test";
import { keepInView, moveIndex } from "./list-window.ts";

test.each([
  { title: "an item in view moves nothing", selected: 4, offset: 2, expected: 2 },
  { title: "an item above is the first one", selected: 1, offset: 2, expected: 1 },
  { title: "an item below is the last one", selected: 9, offset: 2, expected: 5 },
  { title: "nothing is empty after the end", selected: 19, offset: 30, expected: 15 },
])("a window of five of twenty: $title", ({ selected, offset, expected }) => {
  expect(keepInView(selected, { offset, size: 5, count: 20 })).toBe(expected);
});

test("moving stops at both ends of the list", () => {
  expect([-9, -1, 1, 9].map((by) => moveIndex(2, { by, count: 5 }))).toEqual([0, 1, 3, 4]);
});
