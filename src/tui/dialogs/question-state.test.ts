import { expect, test } from "bun:test";
import {
  OPEN_QUESTION,
  type QuestionAction,
  type QuestionShape,
  type QuestionStep,
  reduceQuestion,
  reopenQuestion,
} from "./question-state.ts";

const ONE: QuestionShape = { options: [{ label: "Keep" }, { label: "Drop" }], isMultiple: false, acceptsText: true };
const SEVERAL: QuestionShape = { ...ONE, isMultiple: true };
const FIXED: QuestionShape = { ...ONE, acceptsText: false };
const FREE: QuestionShape = { ...ONE, options: [] };

const down: QuestionAction = { type: "move", by: 1 };
const up: QuestionAction = { type: "move", by: -1 };
const space: QuestionAction = { type: "toggle" };
const enter: QuestionAction = { type: "submit" };
const key = (number: number): QuestionAction => ({ type: "number", number });
const type = (text: string): QuestionAction => ({ type: "type", text });

/** The last step of some actions. */
function after(shape: QuestionShape, actions: readonly QuestionAction[]): QuestionStep {
  return actions.reduce<QuestionStep>(({ state }, action) => reduceQuestion(state, { action, shape }), {
    state: OPEN_QUESTION,
  });
}

test.each<{ title: string; shape: QuestionShape; actions: readonly QuestionAction[]; expected: Partial<QuestionStep> }>(
  [
    { title: "enter answers the first option", shape: ONE, actions: [enter], expected: { values: ["Keep"] } },
    {
      title: "enter answers the option under the pointer",
      shape: ONE,
      actions: [down, enter],
      expected: { values: ["Drop"] },
    },
    { title: "a number answers at once", shape: ONE, actions: [key(2)], expected: { values: ["Drop"] } },
    {
      title: "the pointer stops at the person's own text",
      shape: ONE,
      actions: [down, down, down, up, enter],
      expected: { values: ["Drop"] },
    },
    {
      title: "typing is an answer of its own",
      shape: ONE,
      actions: [type("Ask Ann"), enter],
      expected: { values: ["Ask Ann"] },
    },
    {
      title: "space chooses nothing where one may be chosen",
      shape: ONE,
      actions: [down, space, up, enter],
      expected: { values: ["Keep"] },
    },
    {
      title: "several options are answered in their order",
      shape: SEVERAL,
      actions: [key(2), key(1), enter],
      expected: { values: ["Keep", "Drop"] },
    },
    {
      title: "space takes a choice back",
      shape: SEVERAL,
      actions: [space, down, space, up, space, enter],
      expected: { values: ["Drop"] },
    },
    {
      title: "an own text is added to chosen options",
      shape: SEVERAL,
      actions: [space, type("and Ann"), enter],
      expected: { values: ["Keep", "and Ann"] },
    },
    {
      title: "without a text the pointer stops at the last option",
      shape: FIXED,
      actions: [down, down, enter],
      expected: { values: ["Drop"] },
    },
    {
      title: "a question without options takes a text",
      shape: FREE,
      actions: [type("yes"), enter],
      expected: { values: ["yes"] },
    },
    {
      title: "the number after the last option is the own text",
      shape: ONE,
      actions: [key(3)],
      expected: { state: { ...OPEN_QUESTION, index: 2 } },
    },
    { title: "an unknown number does nothing", shape: ONE, actions: [key(9)], expected: { state: OPEN_QUESTION } },
    {
      title: "an empty text is no answer",
      shape: FREE,
      actions: [enter],
      expected: { state: { ...OPEN_QUESTION, problem: "Type an answer first." } },
    },
    {
      title: "no choice is no answer",
      shape: SEVERAL,
      actions: [enter],
      expected: { state: { ...OPEN_QUESTION, problem: "Choose with space first." } },
    },
  ],
)("$title", ({ shape, actions, expected }) => {
  expect(after(shape, actions)).toMatchObject(expected);
});

test("an answer that was given can be changed: its options and its text are what they were", () => {
  const options = [{ label: "Red" }, { label: "Blue" }, { label: "Grey" }];
  const reopen = (values: readonly string[], isMultiple: boolean) =>
    reopenQuestion(values, { options, isMultiple, acceptsText: true });
  expect([reopen(["Blue"], false), reopen(["Green"], false), reopen(["Blue", "Grey", "Green"], true)]).toEqual([
    { index: 1, chosen: [], text: "", problem: undefined },
    { index: 3, chosen: [], text: "Green", problem: undefined },
    { index: 3, chosen: [1, 2], text: "Green", problem: undefined },
  ]);
});

test.each(["4", "-1.5", "1e3"])("a question for a number takes %s", (text) => {
  const shape = { options: [], isMultiple: false, acceptsText: true, isNumber: true };
  const state = { ...OPEN_QUESTION, text };
  expect(reduceQuestion(state, { action: { type: "submit" }, shape }).values).toEqual([text]);
});
