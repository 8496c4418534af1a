import { expect, test } from "bun:test";
import { formatPaths } from "./format-paths.ts";

test.each([
  { title: "a file in the working directory goes without its name", paths: ["/work/src/a.txt"], expected: "src/a.txt" },
  { title: "the working directory itself is a dot", paths: ["/work"], expected: "." },
  { title: "a file elsewhere keeps its whole name", paths: ["/work-2/a.txt"], expected: "/work-2/a.txt" },
  { title: "a name may begin with dots", paths: ["/work/..a", "/work/b"], expected: "..a, b" },
])("$title", ({ paths, expected }) => {
  expect(formatPaths(paths, "/work")).toBe(expected);
});
