import { expect, test } from "bun:test";
import { AtomicError } from "../../contracts/index.ts";
import { errorIn } from "./error-in.ts";
import { formatError } from "./format-error.ts";

test.each([
  "There is no run.",
  'There is no run "x". Did you mean "y"? Look at them: atomic runs list',
  "The graph is invalid:\n  a is twice there\n  b leads nowhere",
])("an error that was printed for people has its code and its message again: %p", (message) => {
  const printed = `warning: a setting is unknown.\n${formatError(new AtomicError("RUN_UNKNOWN", message))}\nagain\n`;
  expect(errorIn(printed)).toEqual({ code: "RUN_UNKNOWN", message });
});

test("an output without an error, and an error without a code, are of a run that did not begin", () => {
  expect(errorIn("Killed\n")).toEqual({ code: "RUN_NOT_STARTED", message: "Killed" });
  expect(errorIn("error: broken\n")).toEqual({ code: "RUN_NOT_STARTED", message: "broken" });
});
