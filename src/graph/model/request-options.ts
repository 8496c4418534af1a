import type { RequestOption } from "../../contracts/index.ts";
import { listOf, type OptionTable, shape } from "../options/find-option-problems.ts";
import { anything, milliseconds, type OptionCheck, required, someText, text } from "../options/option-checks.ts";
import type { RequestSpec } from "./node-definition.ts";

const ANSWER_OPTIONS: OptionTable<RequestOption> = { label: required(someText), description: text };
const AUTO_APPROVE_OPTIONS: OptionTable<NonNullable<RequestSpec["autoApprove"]>> = {
  afterMs: required(milliseconds),
  value: anything,
};

/** The answers to choose from. `isOpen` when they are a node's result, which may have more fields. */
export function answersCheck({ isOpen = false } = {}): OptionCheck {
  const expected = 'an object with a label, for example { label: "yes" }';
  return listOf(shape(ANSWER_OPTIONS, { expected, isOpen }), "a list with at least one answer", { min: 1 });
}

/** After how long a question answers itself. `isOpen` as above. */
export function autoApproveCheck({ isOpen = false } = {}): OptionCheck {
  const expected = "an object that says after how long, for example { afterMs: 0 }";
  return shape(AUTO_APPROVE_OPTIONS, { expected, isOpen });
}

const REQUEST_OPTIONS: OptionTable<RequestSpec> = {
  question: required(text),
  header: text,
  options: answersCheck({ isOpen: true }),
  autoApprove: autoApproveCheck({ isOpen: true }),
};

/** The question of a node that returned. */
export const request: OptionCheck = shape(REQUEST_OPTIONS, {
  expected: 'an object with a question, for example { question: "Ship it?" }',
  isOpen: true,
});
