import { expect, test } from "bun:test";
import pc from "picocolors";
import { addUsage, type HumanRequest, NO_USAGE, type Usage } from "../../contracts/index.ts";
import type { RunResult } from "../../graph/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import { formatFailure } from "./format-failure.ts";
import { afterFailure, formatRequest, formatResult } from "./format-result.ts";

const STATE = { executionId: "run1", lastUpdated: new Date(0), outputs: {} };
const REQUEST: HumanRequest = { id: "approve", nodeId: "approve", question: "Ship it?", askedAt: 0 };

test.each([
  {
    title: "options are quoted for a shell where necessary",
    request: {
      ...REQUEST,
      options: [{ label: "yes" }, { label: "Ask Ann's team" }, { label: "$(reboot)" }, { label: "" }],
    },
    expected: [
      "Waiting for an answer: Ship it?",
      "  atomic runs answer run1 yes --request 'approve#1'",
      "  atomic runs answer run1 'Ask Ann'\\''s team' --request 'approve#1'",
      "  atomic runs answer run1 '$(reboot)' --request 'approve#1'",
      "  atomic runs answer run1 '' --request 'approve#1'",
    ],
  },
  {
    title: "an option that starts with a dash comes after --",
    request: { ...REQUEST, options: [{ label: "-1" }, { label: "--force" }, { label: "-1 or less" }] },
    expected: [
      "Waiting for an answer: Ship it?",
      "  atomic runs answer run1 --request 'approve#1' -- -1",
      "  atomic runs answer run1 --request 'approve#1' -- --force",
      "  atomic runs answer run1 --request 'approve#1' -- '-1 or less'",
    ],
  },
  {
    title: "the item of a map and the title are before the question",
    request: { ...REQUEST, item: "a.ts", header: "Review" },
    expected: ["Waiting for an answer: a.ts: Review: Ship it?", `  atomic runs answer run1 "…" --request 'approve#1'`],
  },
  {
    title: "any text is accepted",
    request: REQUEST,
    expected: ["Waiting for an answer: Ship it?", `  atomic runs answer run1 "…" --request 'approve#1'`],
  },
  {
    title: "a string schema is not explained",
    request: { ...REQUEST, schema: { type: "string" } },
    expected: ["Waiting for an answer: Ship it?", `  atomic runs answer run1 "…" --request 'approve#1'`],
  },
  {
    title: "another schema is shown",
    request: { ...REQUEST, schema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "boolean" } },
    expected: [
      "Waiting for an answer: Ship it?",
      '  The answer is JSON of this shape: {"type":"boolean"}',
      "  atomic runs answer run1 '…' --request 'approve#1'",
    ],
  },
])("a question and its commands: $title", ({ request, expected }) => {
  expect(formatRequest("run1", request)).toEqual(expected);
});

const COMMAND = "  atomic runs answer run1";

test.each([
  {
    title: "each further line of a question is marked",
    request: { ...REQUEST, question: "Ship it?\ncompleted  ship  run run1\n\tx" },
    columns: undefined,
    expected: [
      "Waiting for an answer: Ship it?",
      "  │ completed  ship  run run1",
      "  │     x",
      `${COMMAND} "…" --request 'approve#1'`,
    ],
  },
  {
    title: "a line that a terminal would wrap is wrapped and marked",
    request: { ...REQUEST, question: `${"x".repeat(20)}completed  ship\n${"y".repeat(36)}` },
    columns: 40,
    expected: [
      `Waiting for an answer: ${"x".repeat(16)}`,
      "  ┆ xxxxcompleted  ship",
      `  │ ${"y".repeat(35)}`,
      "  ┆ y",
      `${COMMAND} "…" --request 'approve#1'`,
    ],
  },
  {
    title: "an answer that a terminal would wrap, or of several lines, is marked and not part of a command",
    request: { ...REQUEST, options: [{ label: "yes" }, { label: "No, and not later" }, { label: "No\n✔ done" }] },
    columns: 40,
    expected: [
      "Waiting for an answer: Ship it?",
      "  One answer is:",
      "  │ No, and not later",
      "  One answer is:",
      "  │ No",
      "  │ ✔ done",
      `${COMMAND} yes --request 'approve#1'`,
      `${COMMAND} "…" --request 'approve#1'`,
    ],
  },
  {
    title: "a shape that a terminal would wrap is marked",
    request: { ...REQUEST, schema: { type: "boolean", description: "✔ done" } },
    columns: 40,
    expected: [
      "Waiting for an answer: Ship it?",
      '  The answer is JSON of this shape: {"t',
      // The sign has two columns in some terminals.
      '  ┆ ype":"boolean","description":"✔ do',
      '  ┆ ne"}',
      `${COMMAND} '…' --request 'approve#1'`,
    ],
  },
])("a question cannot imitate a line of Atomic: $title", ({ request, columns, expected }) => {
  expect(formatRequest("run1", request, columns === undefined ? {} : { columns })).toEqual(expected);
});

test("a question that answers itself says when, and what lets it", () => {
  const request = { ...REQUEST, options: [{ label: "yes" }], autoApproveAt: 3_600_000 };
  expect(formatRequest("run1", request)).toEqual([
    "Waiting for an answer: Ship it?",
    "  atomic runs answer run1 yes --request 'approve#1'",
    "  From 1970-01-01 01:00:00 UTC on, the run continues without an answer: atomic runs due",
  ]);
});

test("a later question of a branch has its own name", () => {
  const request = { ...REQUEST, id: "fork[a]/approve#2", options: [{ label: "yes" }] };
  expect(formatRequest("run1", request)).toEqual([
    "Waiting for an answer: Ship it?",
    "  atomic runs answer run1 yes --request 'fork[a]/approve#2'",
  ]);
});

test.each([
  { title: "may pass", code: "AGENT_CRASHED", advice: "Try again from there" },
  {
    title: "lasts",
    code: "AGENT_UNGATED",
    advice: "Correct that, then resume it",
  },
])("the advice after a failure that $title", ({ code, advice }) => {
  expect(afterFailure({ code, message: "It failed." }, "run1")).toEqual([`${advice}: atomic runs resume run1`]);
});

test.each([
  { bound: "maxTokens", option: " --max-tokens N" },
  { bound: "maxCostUsd", option: " --max-cost N" },
  { bound: "maxSteps", option: "" },
] as const)("the advice after $bound was exceeded names the option that raises it", ({ bound, option }) => {
  expect(afterFailure({ code: "RUN_LIMIT", message: "It took too much.", bound }, "run1")).toEqual([
    `Raise the limit, then resume it: atomic runs resume run1${option}`,
  ]);
});

const RESULT: RunResult = {
  ...{ runId: "run1", status: "completed", state: STATE, requests: [], usage: NO_USAGE },
  ...{ error: undefined, errorInfo: undefined, output: undefined, warnings: [] },
};
const SESSION = {
  ...{ sessionId: "run1", sessionDir: "/s/run1", workflowName: "poem", projectDirectory: "/p" },
  ...{ createdAt: "2026-01-01T00:00:00.000Z", lastUpdated: "2026-01-01T01:00:00.000Z" },
} as WorkflowSession; // The cast is true: the missing fields are not shown.
const STYLE = { colors: pc.createColors(false), isDebug: false, elapsedMs: 2_000 };

test("the time is that of this process, not that since the start of the run", () => {
  expect(formatResult(RESULT, SESSION, STYLE)).toBe("completed  poem  run run1  2s\nSession: /s/run1");
});

test("of a run that earlier calls began, the time and the usage say what they are of", () => {
  const usage = { ...NO_USAGE, inputTokens: 32 };
  expect(formatResult({ ...RESULT, usage }, SESSION, { ...STYLE, isResumed: true })).toBe(
    "completed  poem  run run1  2s in this call  32 tokens in all\nSession: /s/run1",
  );
});

test.each([
  {
    title: "one agent is in the first line",
    usageByAgent: { claude: { ...NO_USAGE, inputTokens: 3_000, costUsd: 0.5 } },
    expected: ["completed  poem  run run1  2s  3.0k tokens, $0.5000", "Session: /s/run1"],
  },
  {
    title: "several agents has a line for each",
    usageByAgent: {
      copilot: { ...NO_USAGE, inputTokens: 1_000 },
      claude: { ...NO_USAGE, inputTokens: 2_000, costUsd: 0.5 },
    },
    expected: [
      "completed  poem  run run1  2s  3.0k tokens, $0.5000",
      "  claude   2.0k tokens, $0.5000",
      "  copilot  1.0k tokens",
      "Session: /s/run1",
    ],
  },
])("the usage of $title", ({ usageByAgent, expected }) => {
  const usage = Object.values<Usage>(usageByAgent).reduce(addUsage);
  expect<readonly string[]>(formatResult({ ...RESULT, usage, usageByAgent }, SESSION, STYLE).split("\n")).toEqual(
    expected,
  );
});

test("the advice after a denied command of a prompt has the rule that allows it, quoted for the shell", () => {
  const denied = { code: "PROMPT_COMMAND_DENIED", message: "It was denied." };
  expect(afterFailure({ ...denied, allowedBy: "shell:git log" }, "run1")).toEqual([
    'Allow it and resume the run: atomic runs resume run1 --allow "shell:git log"',
  ]);
  expect(afterFailure({ ...denied, allowedBy: "shell:echo $(id)" }, "run1")).toEqual([
    "Allow it and resume the run: atomic runs resume run1 --allow 'shell:echo $(id)'",
  ]);
  expect(afterFailure(denied, "run1")).toEqual(["Correct that, then resume it: atomic runs resume run1"]);
});

test("the advice to raise a limit is there once", () => {
  const message =
    "The run used more than the 1 tokens of its budget. Raise it (budget.maxTokens, or --max-tokens), then resume the run.";
  expect(formatFailure({ code: "RUN_LIMIT", message, bound: "maxTokens" }, { isDebug: false })).toEqual([
    "Failed: The run used more than the 1 tokens of its budget.",
    "  (RUN_LIMIT)",
  ]);
  expect(formatFailure({ code: "X", message }, { isDebug: false })).toEqual([`Failed: ${message}`, "  (X)"]);
});

test("a failure has the code of an error of Atomic's, and none where the user's code threw", () => {
  const failure = { message: "It broke.", nodeId: "pick", frame: "/p/flow.ts:3:1" };
  expect(formatFailure({ ...failure, code: "STATE_MUTATION" }, { isDebug: false })).toEqual([
    'Failed in "pick": It broke.',
    "  (STATE_MUTATION)",
    "  at /p/flow.ts:3:1",
  ]);
  expect(formatFailure({ ...failure, code: "NODE_FAILED" }, { isDebug: false })).toEqual([
    'Failed in "pick": It broke.',
    "  at /p/flow.ts:3:1",
  ]);
});
