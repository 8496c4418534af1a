import { expect, test } from "bun:test";
import type { HumanRequest } from "../../contracts/index.ts";
import { answerOf, notesOf, questionsOf } from "./request-questions.ts";

const REQUEST: HumanRequest = { id: "q", nodeId: "q", question: "Which?", askedAt: 1 };
const COLORS = [{ label: "red", description: "warm" }, { label: "blue" }];

test.each<{
  readonly title: string;
  readonly request: Partial<HumanRequest>;
  readonly shapes: readonly unknown[];
  readonly given: readonly (readonly string[])[];
  readonly answer: unknown;
}>([
  {
    title: "any text",
    request: {},
    shapes: [{ options: [], isMultiple: false, acceptsText: true }],
    given: [["blue"]],
    answer: "blue",
  },
  {
    title: "one of the options",
    request: { options: COLORS },
    shapes: [{ options: COLORS, isMultiple: false, acceptsText: false }],
    given: [["blue"]],
    answer: "blue",
  },
  {
    title: "several options",
    request: { options: COLORS, schema: { type: "array", items: { type: "string" } } },
    shapes: [{ options: COLORS, isMultiple: true, acceptsText: false }],
    given: [["red", "blue"]],
    answer: ["red", "blue"],
  },
  {
    title: "a choice of a schema",
    request: { schema: { type: "string", enum: ["red", "blue"] } },
    shapes: [{ options: [{ label: "red" }, { label: "blue" }], isMultiple: false, acceptsText: false }],
    given: [["red"]],
    answer: "red",
  },
  {
    title: "yes or no",
    request: { schema: { type: "boolean" } },
    shapes: [{ options: [{ label: "yes" }, { label: "no" }], isMultiple: false, acceptsText: false }],
    given: [["no"]],
    answer: false,
  },
  {
    title: "an object of simple values, with one that is left out",
    request: {
      schema: {
        type: "object",
        properties: { count: { type: "integer" }, note: { type: "string" } },
        required: ["count"],
      },
    },
    shapes: [
      { options: [], isMultiple: false, acceptsText: true, isNumber: true },
      { options: [{ label: "(leave it out)" }], isMultiple: false, acceptsText: true },
    ],
    given: [["3"], ["(leave it out)"]],
    answer: { count: 3 },
  },
  {
    title: "JSON where a value is more than simple",
    request: { schema: { type: "object", properties: { place: { type: "object" }, note: { type: "string" } } } },
    shapes: [{ options: [], isMultiple: false, acceptsText: true }],
    given: [['{"note":"a"}']],
    answer: '{"note":"a"}',
  },
])("a request takes $title", ({ request, shapes, given, answer }) => {
  const asked = { ...REQUEST, ...request };
  expect(questionsOf(asked).map(({ shape }) => shape)).toEqual(shapes as never);
  expect(answerOf(asked, given)).toEqual(answer);
});

test("notes say the shape of a JSON answer, and what happens without an answer", () => {
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "array", items: { type: "object" } };
  expect(notesOf({ ...REQUEST, schema, autoApproveAt: 5, autoApproveValue: [] })).toEqual([
    'The answer is JSON of this shape: {"type":"array","items":{"type":"object"}}',
    "Without an answer: []",
  ]);
  expect(notesOf({ ...REQUEST, schema: { type: "boolean" } })).toEqual([]);
});
