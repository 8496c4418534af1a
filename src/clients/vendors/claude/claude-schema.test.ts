import { expect, test } from "bun:test";
import { toClaudeSchema } from "./claude-schema.ts";

test("a schema that Claude Code supports is unchanged except for the name of its dialect", () => {
  const schema = {
    type: "object",
    properties: { $schema: { type: "string", format: "email" }, prefixItems: { anyOf: [{ const: 1 }, true] } },
    required: ["prefixItems"],
    dependencies: { prefixItems: ["$schema"], $schema: { required: ["prefixItems"] } },
    additionalProperties: false,
    $defs: { list: { type: "array", items: { $ref: "#/$defs/list" }, minItems: 1 } },
    default: { prefixItems: [] },
  };
  expect(toClaudeSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema })).toEqual(schema);
});

test("unsupported keywords move to the description for the model at any place", () => {
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

test("a reference without a target in the translated schema moves to the description for the model", () => {
  const pair = { type: "array", prefixItems: [{ type: "string" }] };
  const named = { $anchor: "name", type: "string" };
  const properties = {
    pair,
    first: { $ref: "#/properties/pair/prefixItems/0" },
    name: { $ref: "#name" },
    kept: { $ref: "#/$defs/a~1%25~0" },
    whole: { $ref: "#" },
  };
  expect(toClaudeSchema({ properties, $defs: { "a/%~": named } })).toEqual({
    properties: {
      pair: {
        type: "array",
        description: 'This JSON Schema holds as well: {"prefixItems":[{"type":"string"}]}',
      },
      first: { description: 'This JSON Schema holds as well: {"$ref":"#/properties/pair/prefixItems/0"}' },
      name: { description: 'This JSON Schema holds as well: {"$ref":"#name"}' },
      kept: { $ref: "#/$defs/a~1%25~0" },
      whole: { $ref: "#" },
    },
    $defs: {
      "a/%~": { type: "string", description: 'This JSON Schema holds as well: {"$anchor":"name"}' },
    },
  });
});

test.each([
  { title: "an inherited property", reference: "#/$defs/constructor" },
  { title: "the length of a string", reference: "#/$defs/name/type/length" },
  { title: "a malformed percent escape", reference: "#/$defs/%ZZ" },
])("a reference to $title has no target", ({ reference }) => {
  const $defs = { name: { type: "string" } };
  expect(toClaudeSchema({ $defs, properties: { lost: { $ref: reference } } })).toEqual({
    $defs,
    properties: { lost: { description: `This JSON Schema holds as well: {"$ref":"${reference}"}` } },
  });
});
