import { expect, test } from "bun:test";
import { isShellRunning, shellOutcome } from "./shell-outcome.ts";

test.each([
  { entry: {}, isRunning: true, outcome: undefined },
  { entry: { exitCode: 0 }, isRunning: false, outcome: "exit 0" },
  { entry: { exitCode: 137 }, isRunning: false, outcome: "exit 137" },
  { entry: { ending: "not-run" }, isRunning: false, outcome: "did not run" },
  { entry: { ending: "stopped" }, isRunning: false, outcome: "stopped" },
] as const)("the outcome of $entry is $outcome", ({ entry, isRunning, outcome }) => {
  expect<unknown>([isShellRunning(entry), shellOutcome(entry)]).toEqual([isRunning, outcome]);
});
