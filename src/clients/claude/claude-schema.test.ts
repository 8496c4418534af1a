import { expect, test } from "bun:test";
import { toClaudeSchema } from "./claude-schema.ts";

test("a schema that Claude Code knows stays what it is, but for the name of its dialect", () => {
  const schema = {
    type: "object",
    properties: { $schema: { type: "string", format: "email" }, prefixItems: { anyOf: [{ const: 1 }, true] } },
    required: ["prefixItems"],
    additionalProperties: false,
    $defs: { list: { type: "array", items: { $ref: "#/$defs/list" }, minItems: 1 } },
    default: { prefixItems: [] },
  };
  expect(toClaudeSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema })).toEqual(schema);
});

test("keywords that it does not know are told to the model in words, wherever they stand", () => {
  const pair = { type: "array", description: "A pair.", prefixItems: [{ type: "string" }], items: false, minItems: 1 };
  expect(toClaudeSchema({ properties: { pair }, unevaluatedProperties: false })).toEqual({
    properties: {
      pair: {
        type: "array",
        minItems: 1,
        description: 'A pair.\nThis JSON Schema holds as well: {"prefixItems":[{"type":"string"}],"items":false}',
      },
    },
    description: 'This JSON Schema holds as well: {"unevaluatedProperties":false}',
  });
});
