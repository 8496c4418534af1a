import { expect, test } from "bun:test";
import { RunNotBegunError } from "./start-run.ts";

test("the error of a run that did not begin has no indents of the shell", () => {
  const output = "error: The run works in /tree.\n       Wait for its end.\n       (WORKING_TREE_BUSY)\n";
  expect(new RunNotBegunError(output).message).toBe("The run works in /tree.\nWait for its end.\n(WORKING_TREE_BUSY)");
});
