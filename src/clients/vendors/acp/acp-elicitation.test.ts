import { describe, expect, test } from "bun:test";
import { toFormAnswer, toFormFields } from "./acp-elicitation.ts";

const ids = { sessionId: "s", requestId: "r" };

/** A question from Claude's adapter: the text in the message, a free answer in a separate field. */
const claudeForm = {
  mode: "form",
  message: "Which colour?",
  requestedSchema: {
    type: "object",
    properties: {
      question_0: {
        type: "string",
        title: "Colour",
        oneOf: [
          { const: "blue", title: "Blue", description: "like the sky" },
          { const: "red", title: "Red" },
        ],
      },
      question_0_custom: { type: "string", title: "Other" },
    },
  },
};

function answer(form: unknown, ...values: readonly (readonly string[])[]) {
  const fields = toFormFields(form, ids);
  return toFormAnswer(
    fields.map((field, index) => ({ field, answer: { type: "answer", values: values[index] ?? [] } })),
  );
}

describe("a form with one question", () => {
  test("is the message with the options; the field for another answer is not a question", () => {
    expect(toFormFields(claudeForm, ids).map(({ question }) => question)).toEqual([
      {
        id: "r",
        sessionId: "s",
        question: "Which colour?",
        header: "Colour",
        options: [{ label: "Blue", description: "like the sky" }, { label: "Red" }],
        isMultiple: false,
      },
    ]);
  });

  test("is filled in with an option's value, or with the person's own words in the field for them", () => {
    expect(answer(claudeForm, ["Blue"])).toEqual({ action: "accept", content: { question_0: "blue" } });
    expect(answer(claudeForm, ["a dark green"])).toEqual({
      action: "accept",
      content: { question_0_custom: "a dark green" },
    });
  });
});

test("several fields are several questions, each answered with a value of its type", () => {
  const form = {
    message: "Set up",
    requestedSchema: {
      properties: {
        tags: {
          type: "array",
          title: "Tags",
          items: {
            anyOf: [
              { const: "a", title: "A" },
              { const: "b", title: "B" },
            ],
          },
        },
        count: { type: "integer", description: "How many?" },
        ratio: { type: "number" },
        sure: { type: "boolean", title: "Sure?" },
      },
    },
  };
  const fields = toFormFields(form, ids);
  expect(
    fields.map(({ question: { id, question, isMultiple, options } }) => [id, question, isMultiple, options.length]),
  ).toEqual([
    ["r/tags", "Tags", true, 2],
    ["r/count", "How many?", false, 0],
    ["r/ratio", "Set up", false, 0],
    ["r/sure", "Sure?", false, 2],
  ]);
  expect(answer(form, ["A", "B"], ["3"], ["many"], ["Yes"])).toEqual({
    action: "accept",
    content: { tags: ["a", "b"], count: 3, ratio: "many", sure: true },
  });
});

test("one declined question declines the form; anything but a form has no questions", () => {
  const [field] = toFormFields(claudeForm, ids);
  if (field === undefined) throw new Error("The form has a field.");
  expect(toFormAnswer([{ field, answer: { type: "decline", reason: "no" } }])).toEqual({ action: "decline" });
  expect([toFormFields({ mode: "url", url: "http://x" }, ids), toFormFields(undefined, ids)]).toEqual([[], []]);
});
