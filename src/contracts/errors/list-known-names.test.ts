import { expect, test } from "bun:test";
import { listKnownNames } from "./list-known-names.ts";

function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `t${index}`);
}

test.each([
  { title: "no name", names: [], expected: "There are no tools. Add it, or correct the name." },
  { title: "some names", names: ["b", "a"], expected: "Known tools: b, a." },
  { title: "20 names, which are all listed", names: named(20), expected: `Known tools: ${named(20).join(", ")}.` },
  {
    title: "more than 20 names, of which the others are counted",
    names: named(23),
    expected: `Known tools: ${named(20).join(", ")}, and 3 more.`,
  },
])("the sentence about $title", ({ names, expected }) => {
  expect(listKnownNames("tool", names)).toBe(expected);
});

test("an empty list can have a sentence of its own", () => {
  expect(listKnownNames("tool", [], "Write one.")).toBe("Write one.");
});
