import { expect, test } from "bun:test";
import type { HumanRequest } from "../contracts/index.ts";
import { afterFailure, formatRequest } from "./format-result.ts";

const REQUEST: HumanRequest = { id: "approve", nodeId: "approve", question: "Ship it?", askedAt: 0 };

test.each([
  {
    title: "options are quoted for a shell where they need it",
    request: {
      ...REQUEST,
      options: [{ label: "yes" }, { label: "Ask Ann's team" }, { label: "$(reboot)" }, { label: "" }],
    },
    expected: [
      "Waiting for an answer: Ship it?",
      "  atomic runs answer run1 yes",
      "  atomic runs answer run1 'Ask Ann'\\''s team'",
      "  atomic runs answer run1 '$(reboot)'",
      "  atomic runs answer run1 ''",
    ],
  },
  {
    title: "any text is welcome",
    request: REQUEST,
    expected: ["Waiting for an answer: Ship it?", '  atomic runs answer run1 "…"'],
  },
  {
    title: "a schema of text is nothing to explain",
    request: { ...REQUEST, schema: { type: "string" } },
    expected: ["Waiting for an answer: Ship it?", '  atomic runs answer run1 "…"'],
  },
  {
    title: "another shape is shown",
    request: { ...REQUEST, schema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: "boolean" } },
    expected: [
      "Waiting for an answer: Ship it?",
      '  The answer is JSON of this shape: {"type":"boolean"}',
      '  atomic runs answer run1 "…"',
    ],
  },
])("a question and its commands: $title", ({ request, expected }) => {
  expect(formatRequest("run1", request, false)).toEqual(expected);
});

test("one of many is named", () => {
  const request = { ...REQUEST, id: "fork[a]/approve#2", options: [{ label: "yes" }] };
  expect(formatRequest("run1", request, true)).toEqual([
    "Waiting for an answer: Ship it?",
    "  atomic runs answer run1 yes --request 'fork[a]/approve#2'",
  ]);
});

test.each([
  { title: "may pass is tried again", code: "AGENT_CRASHED", advice: "Try again from there" },
  {
    title: "stays is corrected first",
    code: "AGENT_UNGATED",
    advice: "Once that is corrected, go on where it stopped",
  },
])("a failure that $title", ({ code, advice }) => {
  expect(afterFailure({ code, message: "It failed." }, "run1")).toEqual([`${advice}: atomic runs resume run1`]);
});
