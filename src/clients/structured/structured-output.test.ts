import { expect, test } from "bun:test";
import { createSchemaValidator } from "./structured-output.ts";

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
