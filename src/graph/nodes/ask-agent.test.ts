import { expect, test } from "bun:test";
import { withFeedback } from "./ask-agent.ts";

test.each([
  { title: "the task alone", feedback: undefined, expected: "Plan" },
  {
    title: "why an earlier answer was refused",
    feedback: "too short",
    expected: "Plan\n\nYour previous answer was refused: too short",
  },
  {
    title: "the beginning and the end of a long complaint",
    feedback: `a${"x".repeat(5_000)}z`,
    expected: `Plan\n\nYour previous answer was refused: a${"x".repeat(1_999)}\n… (1002 characters left out) …\n${"x".repeat(1_999)}z`,
  },
])("a prompt says $title", ({ feedback, expected }) => {
  expect(withFeedback("Plan", { feedback })).toBe(expected);
});
