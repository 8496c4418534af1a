import { expect, test } from "bun:test";
import { AtomicError, UnknownSessionError } from "../contracts/index.ts";
import { GraphChangedError } from "../graph/index.ts";
import { PromptFileNotFoundError } from "../workflows/index.ts";
import { PermissionMemoryBrokenError } from "./agents/permission-memory.ts";
import { exitCodeOfEnd, exitCodeOfError } from "./exit-code.ts";

test.each([
  { title: "an unknown workflow", error: new AtomicError("WORKFLOW_UNKNOWN", "x"), expected: 2 },
  { title: "an invalid answer", error: new AtomicError("ANSWER_INVALID", "x"), expected: 2 },
  { title: "a conversation that the agent does not have", error: new UnknownSessionError("claude", "s1"), expected: 2 },
  {
    title: "a file of remembered permissions that is broken",
    error: new PermissionMemoryBrokenError("/x", { cause: new Error("x") }),
    expected: 2,
  },
  { title: "an agent that Atomic's policy does not hold", error: new AtomicError("AGENT_UNGATED", "x"), expected: 2 },
  { title: "a goal's file that is missing", error: new PromptFileNotFoundError("/x.md"), expected: 2 },
  { title: "a run that another process has", error: new AtomicError("RUN_LOCKED", "x"), expected: 2 },
  { title: "a workflow that the run does not fit any more", error: new GraphChangedError("r", ["x"]), expected: 2 },
  { title: "a state that is declared otherwise", error: new AtomicError("STATE_CHANGED", "x"), expected: 2 },
  { title: "a state of another version", error: new AtomicError("STATE_VERSION", "x"), expected: 2 },
  { title: "a key of the settings that does not exist", error: new AtomicError("KEY_INVALID", "x"), expected: 2 },
  { title: "a colour of the settings that does not exist", error: new AtomicError("THEME_INVALID", "x"), expected: 2 },
  { title: "an unforeseen error", error: new Error("x"), expected: 1 },
  {
    title: "a foreign error with a code of ours",
    error: Object.assign(new Error("x"), { code: "USAGE" }),
    expected: 1,
  },
  { title: "nothing at all", error: undefined, expected: 1 },
])("the caller's own mistakes end with 2, all others with 1: $title", ({ error, expected }) => {
  expect<number>(exitCodeOfError(error)).toBe(expected);
});

test.each([
  { status: "completed", requests: [], expected: 0 },
  { status: "failed", requests: [], expected: 1 },
  { status: "suspended", requests: ["a question"], expected: 3 },
  { status: "suspended", requests: [], expected: 130 },
  { status: "cancelled", requests: [], expected: 130 },
] as const)("a run that ended $status with $requests ends the call with $expected", ({ expected, ...end }) => {
  expect(exitCodeOfEnd(end)).toBe(expected);
});
