import { expect, test } from "bun:test";
import { stackOf, userFrameOf } from "./error-stack.ts";

const OWN = "/opt/atomic/src/";

function errorWith(message: string, frames: readonly string[], cause?: unknown): Error {
  const error = new Error(message, { cause });
  error.stack = [`Error: ${message}`, ...frames].join("\n");
  return error;
}

test.each([
  { title: "a function", frames: ["    at run (/app/flow.ts:3:9)"], expected: "/app/flow.ts:3:9" },
  { title: "no function", frames: ["    at /app/flow.ts:3:9"], expected: "/app/flow.ts:3:9" },
  { title: "an async function", frames: ["    at async run (/app/flow.ts:3:9)"], expected: "/app/flow.ts:3:9" },
  { title: "a file's URL", frames: ["    at run (file:///my%20app/flow.mjs:3:9)"], expected: "/my app/flow.mjs:3:9" },
  { title: "a version of the file", frames: ["    at run (/app/flow.ts?v=a1:3:9)"], expected: "/app/flow.ts:3:9" },
  { title: "parentheses in the path", frames: ["    at run (/a (b)/flow.ts:3:9)"], expected: "/a (b)/flow.ts:3:9" },
  {
    title: "frames of the runtime, a package and Atomic before it",
    frames: [
      "    at open (native:1:1)",
      "    at run (node:async_hooks:144:29)",
      "    at parse (/app/node_modules/x/index.js:1:2)",
      "    at step (/opt/atomic/src/graph/advance.ts:1:2)",
      "    at run (/app/flow.ts:3:9)",
    ],
    expected: "/app/flow.ts:3:9",
  },
  { title: "none of the user's", frames: ["    at step (/opt/atomic/src/graph/advance.ts:1:2)"], expected: undefined },
])("the user's frame is found: $title", ({ frames, expected }) => {
  expect(userFrameOf(errorWith("boom", frames), OWN)).toBe(expected);
});

test("a message that looks like a frame is none", () => {
  const error = errorWith("boom\n    at x (/else.ts:1:1)", ["    at run (/app/flow.ts:3:9)"]);
  expect(userFrameOf(error, OWN)).toBe("/app/flow.ts:3:9");
});

test("an error of Atomic's is followed to what caused it", () => {
  const cause = errorWith("boom", ["    at run (/app/flow.ts:3:9)"]);
  const error = errorWith("The tool failed", ["    at step (/opt/atomic/src/graph/advance.ts:1:2)"], cause);
  expect(userFrameOf(error, OWN)).toBe("/app/flow.ts:3:9");
  expect(stackOf(error)).toBe(`${error.stack}\nCaused by ${cause.stack}`);
});

test("a stack is bounded", () => {
  const error = errorWith("x".repeat(10_000), []);
  expect(stackOf(error)).toBe(`Error: ${"x".repeat(7_993)}…`);
});
