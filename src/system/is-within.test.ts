import { expect, test } from "bun:test";
import { isWithin } from "./is-within.ts";

test.each([
  { file: "/work", folder: "/work", expected: true },
  { file: "/work/a/b", folder: "/work", expected: true },
  { file: "/work/..a", folder: "/work", expected: true },
  { file: "/work/..a/b", folder: "/work", expected: true },
  { file: "/work/a", folder: "/", expected: true },
  { file: "/", folder: "/", expected: true },
  { file: "/", folder: "/work", expected: false },
  { file: "/works", folder: "/work", expected: false },
  { file: "/work/../other", folder: "/work", expected: false },
])("$file in $folder: $expected", ({ file, folder, expected }) => {
  expect(isWithin(file, folder)).toBe(expected);
});
