import { expect, test } from "bun:test";
import { AtomicError } from "../../contracts/index.ts";
import { formatError } from "./format-error.ts";

test.each([
  {
    title: "each sentence is on its own line, followed by the code",
    error: new AtomicError("RUN_UNKNOWN", 'There is no run "x". List the runs with: atomic runs list'),
    expected: ['error: There is no run "x".', "       List the runs with: atomic runs list", "       (RUN_UNKNOWN)"],
  },
  {
    title: "a question ends a sentence",
    error: new AtomicError("A", 'There is no "x". Did you mean "y"? List them.'),
    expected: ['error: There is no "x".', '       Did you mean "y"?', "       List them.", "       (A)"],
  },
  {
    title: "a full stop in quotes, in a name or before a lowercase letter does not end a sentence",
    error: new AtomicError("A", 'Call "a. B" or `c. D` in src/main.ts, e.g. here, v1.2. Then go on.'),
    expected: ['error: Call "a. B" or `c. D` in src/main.ts, e.g. here, v1.2.', "       Then go on.", "       (A)"],
  },
  {
    title: "further lines are only indented",
    error: new AtomicError("A", "It failed. See:\n  - one. Two\n  - three\n"),
    expected: ["error: It failed.", "       See:", "         - one. Two", "         - three", "       (A)"],
  },
  { title: "an error that is not Atomic's own has no code", error: new Error("Oops"), expected: ["error: Oops"] },
  { title: "a value that is not an error is shown as text", error: "text", expected: ["error: text"] },
  {
    title: "control sequences do not reach the terminal",
    error: new AtomicError("A", "a\u001b]0;t\u0007b\u001b[2J\u202ec\r"),
    expected: ["error: abc", "       (A)"],
  },
])("$title", ({ error, expected }) => {
  expect(formatError(error)).toBe(expected.join("\n"));
});
