import { expect, test } from "bun:test";
import { findDeepNesting } from "./find-deep-nesting.ts";

const nested = (depth: number): string => '{"a":['.repeat(depth / 2) + "]}".repeat(depth / 2);

test("a text of 100 levels is not too deep, and of one with more, the place is found", () => {
  expect(findDeepNesting(nested(100))).toBeUndefined();
  expect(findDeepNesting(nested(20_000))).toBe(50 * 6);
});

test.each([
  { title: "a string", text: `{"a": "${"[".repeat(200)}\\"${"{".repeat(200)}"}` },
  { title: "a comment of a line", text: `{ // ${"[".repeat(200)}\n}` },
  { title: "a comment of several lines", text: `{ /* ${"[\n".repeat(200)} */ }` },
  { title: "an open comment", text: `{ /* ${"[\n".repeat(200)}` },
  { title: "siblings", text: `[${"[],{},".repeat(200)}[]]` },
  { title: "a lone slash", text: "[/]" },
])("brackets in $title do not count", ({ text }) => {
  expect(findDeepNesting(text)).toBeUndefined();
});

test("brackets after strings and comments count", () => {
  const start = '{"a\\\\": /* * / */ // x\n"b": ';
  expect(findDeepNesting(`${start}${"[".repeat(100)}`)).toBe(start.length + 99);
});
