import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { listStackFrames, locateInFile } from "./locate-in-file.ts";

function withStack(lines: readonly string[], options?: ErrorOptions): Error {
  const error = new Error("broken", options);
  error.stack = ["Error: broken", ...lines].join("\n");
  return error;
}

test.each([
  { line: "    at plan (/work/flow.ts:5:34)", expected: { line: 5, column: 34 } },
  { line: "    at /work/flow.ts:6:1", expected: { line: 6, column: 1 } },
  { line: "    at <anonymous> (/work/flow.ts?v=1a2b:7:2)", expected: { line: 7, column: 2 } },
  { line: "    at async /work/flow.ts:8:3", expected: { line: 8, column: 3 } },
  { line: "    at file:///work/flow.ts:8:3", expected: { line: 8, column: 3 } },

  { line: "    at other (/work/other/flow.ts:9:4)", expected: undefined },
  { line: "    at other (/home/work/flow.ts:9:4)", expected: undefined },
])("$line", ({ line, expected }) => {
  expect(locateInFile(withStack([line]), "/work/flow.ts")).toEqual(expected);
});

test("the innermost line of the file wins, and lines of other files are passed over", () => {
  const error = withStack([
    "    at compile (/atomic/compile.ts:1:1)",
    "    at inner (/work/flow.ts:20:3)",
    "    at outer (/work/flow.ts:30:3)",
  ]);
  expect(locateInFile(error, "/work/flow.ts")).toEqual({ line: 20, column: 3 });
});

test("the cause is used when the error itself does not name the file, even when the causes form a cycle", () => {
  const cause = withStack(["    at /work/flow.ts:3:2"]);
  const error = withStack(["    at /atomic/x.ts:1:1"], { cause });
  expect(locateInFile(error, "/work/flow.ts")).toEqual({ line: 3, column: 2 });
  const circle = withStack([]);
  circle.cause = circle;
  expect(locateInFile(circle, "/work/flow.ts")).toBeUndefined();
});

test("a path in the message is not taken for a place", () => {
  expect(locateInFile(withStack(["see /work/flow.ts:1:2"]), "/work/flow.ts")).toBeUndefined();
});

test.each([{ thrown: "text" }, { thrown: undefined }, { thrown: ["at /work/flow.ts:1:1"] }])(
  "$thrown has no place",
  ({ thrown }) => {
    expect(locateInFile(thrown, "/work/flow.ts")).toBeUndefined();
  },
);

test("a real error names this file", () => {
  const here = fileURLToPath(import.meta.url);
  expect(listStackFrames(new Error("x"))[0]?.path).toBe(here);
});
