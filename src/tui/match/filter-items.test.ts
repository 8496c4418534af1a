import { expect, test } from "bun:test";
import { filterItems } from "./filter-items.ts";

test.each([
  { query: "son", text: "claude-sonnet", expected: [[7, 8, 9]] },
  { query: "cs", text: "claude-sonnet", expected: [[0, 7]] },
  { query: "GPT5", text: "openai/gpt-5", expected: [[7, 8, 9, 11]] },
  { query: "rp", text: "src/retryPolicy", expected: [[4, 9]] },
  { query: "so net", text: "claude-sonnet", expected: [[7, 8, 9, 11, 12]] },
  { query: " the cart ", text: "Repair the cart", expected: [[7, 8, 9, 10, 11, 12, 13, 14]] },
  { query: "", text: "anything", expected: [[]] },
  { query: "xyz", text: "claude-sonnet", expected: [] },
  { query: "tes", text: "set", expected: [] },
])("$query matches the characters $expected of $text", ({ query, text, expected }) => {
  expect<unknown>(filterItems([text], { query, textOf: (item) => item }).map(({ positions }) => positions)).toEqual(
    expected,
  );
});

test("the best match is first: a word's start before its middle, the shorter before the longer", () => {
  const items = ["person", "son of a longer name", "son", "claude-sonnet", "opus"];
  expect(filterItems(items, { query: "son", textOf: (item) => item }).map(({ item }) => item)).toEqual([
    "son",
    "son of a longer name",
    "claude-sonnet",
    "person",
  ]);
});

test("without a query all items keep their order", () => {
  const items = ["b", "a", "c"];
  expect(filterItems(items, { query: " ", textOf: (item) => item }).map(({ item }) => item)).toEqual(items);
});
