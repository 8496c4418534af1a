import { describe, expect, test } from "bun:test";
import { createSchemaValidator, describeProblems, describeSchema, readStructuredAnswer } from "./structured-output.ts";

const SCHEMA = {
  type: "object",
  properties: { answer: { type: "number" }, when: { type: "string", format: "date-time" } },
  required: ["answer"],
  "x-unknown": true,
};

const validate = await createSchemaValidator(SCHEMA);

describe("a schema", () => {
  test("says what is wrong with a value, at which place; unknown keywords and formats are ignored", () => {
    expect(validate({ answer: 1, when: "some day" })).toEqual([]);
    expect(validate({ answer: "one" })).toEqual(["/answer must be number"]);
    expect(validate("text")).toEqual(["the answer must be object"]);
    expect(validate({ when: 1 })).toEqual(["the answer must have required property 'answer'", "/when must be string"]);
  });

  test("that is invalid is rejected", async () => {
    await expect(createSchemaValidator({ type: "nonsense" })).rejects.toThrow("schema is invalid");
  });

  test("is compiled once for all callers, whatever they call the value", async () => {
    let compileCount = 0;
    const schema = {
      required: ["answer"],
      get type() {
        compileCount += 1;
        return "object";
      },
    };
    const checks = [await createSchemaValidator(schema), await createSchemaValidator(schema, { subject: "the input" })];
    expect(checks.map((check) => check({}))).toEqual([
      ["the answer must have required property 'answer'"],
      ["the input must have required property 'answer'"],
    ]);
    expect(compileCount).toBe(1);
  });

  test("goes into the message whole, and so do an answer's problems", () => {
    expect(describeSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" })).toBe(
      'Answer with one JSON value that fits this JSON Schema, and with nothing else: no explanation, no code fence.\n{"type":"object"}',
    );
    expect(describeProblems(["/answer must be number"])).toBe(
      "Your answer does not fit the JSON Schema:\n- /answer must be number\nAnswer again with the corrected JSON value and nothing else.",
    );
  });
});

describe("an answer", () => {
  test.each([
    { title: "is the whole text", text: ' {"answer":42}\n' },
    { title: "is in a code fence", text: 'Here it is:\n```json\n{"answer":42}\n```\nFine?' },
    { title: "is in the last of several fences", text: '```\n{"answer":1}\n```\nNo:\n```\n{"answer":42}\n```' },
    {
      title: "is in the last fence, after code with braces",
      text: 'I changed:\n```ts\nif (x) { y(); }\n```\nThe answer:\n```json\n{"answer":42}\n```\n',
    },
    { title: "is in a fence of another spelling", text: 'Set {x}:\n  ```JSON\n  {"answer":42}\n  ```\n' },
    { title: "is in the middle of prose", text: 'I think {"answer":42} is right.' },
    { title: "is found after a fence with another value", text: '```json\n[1]\n```\n{"answer":42}' },
  ])("$title", ({ text }) => {
    expect(readStructuredAnswer(text, validate)).toEqual({ type: "valid", value: { answer: 42 } });
  });

  test("may be a list in prose, or a bare value", async () => {
    const list = await createSchemaValidator({ type: "array", items: { type: "number" } });
    expect(readStructuredAnswer("These: [1, 2].", list)).toEqual({ type: "valid", value: [1, 2] });
    const text = await createSchemaValidator({ type: "string" });
    expect(readStructuredAnswer('"yes"', text)).toEqual({ type: "valid", value: "yes" });
  });

  test("that does not fit reports why; one that is not JSON says so", () => {
    expect(readStructuredAnswer('{"answer":"42"}', validate)).toEqual({
      type: "invalid",
      problems: ["/answer must be number"],
    });
    for (const text of ["", "no object", "{broken", "} backwards {"]) {
      expect(readStructuredAnswer(text, validate)).toEqual({ type: "invalid", problems: ["the answer is not JSON"] });
    }
  });
});

test("a validator names the place, the property that is too much, and the values that would be right", async () => {
  const validate = await createSchemaValidator({
    type: "object",
    required: ["name"],
    additionalProperties: false,
    properties: { name: { type: "string" }, size: { enum: ["small", 2] } },
  });
  expect(validate({ size: "huge", colour: "red" })).toEqual([
    "the answer must have required property 'name'",
    'the answer must NOT have additional properties: "colour"',
    '/size must be equal to one of the allowed values: "small", 2',
  ]);
  expect(validate({ name: "a", size: 2 })).toEqual([]);
});

test("a schema that names an older draft is read all the same", async () => {
  const validate = await createSchemaValidator(
    { $schema: "http://json-schema.org/draft-07/schema#", type: "string" },
    { subject: "the input" },
  );
  expect(validate(1)).toEqual(["the input must be string"]);
});
