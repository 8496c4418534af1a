import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { JsonSchema } from "../../contracts/index.ts";
import { smallestSchemaValue } from "./smallest-schema-value.ts";

const text = { type: "string" };
const task = {
  type: "object",
  properties: { id: { type: "string", minLength: 2 }, parent: { anyOf: [{ $ref: "#/$defs/Task" }, { type: "null" }] } },
  required: ["id", "parent"],
};

const CASES: readonly { readonly title: string; readonly schema: JsonSchema; readonly expected: unknown }[] = [
  { title: "an empty schema is null", schema: {}, expected: null },
  { title: "a text is empty", schema: text, expected: "" },
  { title: "a text has its minimum length", schema: { ...text, minLength: 3 }, expected: "aaa" },
  { title: "a text has its format", schema: { ...text, format: "date" }, expected: "1970-01-01" },
  { title: "a text fits a simple pattern", schema: { ...text, pattern: "^#\\d+$" }, expected: "#1" },
  {
    title: "a pattern and a length hold together",
    schema: { ...text, pattern: "^\\d+$", minLength: 4 },
    expected: "0000",
  },
  { title: "an enum gives its first value", schema: { ...text, enum: ["b", "a"] }, expected: "b" },
  {
    title: "const and default are taken",
    schema: { required: ["a", "b"], properties: { a: { const: 4 }, b: { default: [1] } } },
    expected: { a: 4, b: [1] },
  },
  { title: "a number is zero where it may be", schema: { type: "number", minimum: -3 }, expected: 0 },
  { title: "a number keeps its bounds", schema: { type: "integer", exclusiveMinimum: 4, maximum: 9 }, expected: 5 },
  {
    title: "a number may lie between two integers",
    schema: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    expected: 0.5,
  },
  { title: "a number is a multiple", schema: { type: "integer", minimum: 5, multipleOf: 4 }, expected: 8 },
  { title: "a negative number keeps its maximum", schema: { type: "number", maximum: -2 }, expected: -2 },
  { title: "a boolean is false", schema: { type: "boolean" }, expected: false },
  {
    title: "optional properties are left out",
    schema: { type: "object", properties: { a: text, b: text }, required: ["b"] },
    expected: { b: "" },
  },
  {
    title: "minProperties adds some",
    schema: { type: "object", properties: { a: text }, minProperties: 2, additionalProperties: { type: "integer" } },
    expected: { a: "", key1: 0 },
  },
  { title: "an array is empty", schema: { type: "array", items: text }, expected: [] },
  {
    title: "an array has its minimum of items",
    schema: { type: "array", items: text, minItems: 2 },
    expected: ["", ""],
  },
  {
    title: "unique items differ",
    schema: { type: "array", items: text, minItems: 3, uniqueItems: true },
    expected: ["", "1", "2"],
  },
  {
    title: "unique values of an enum differ",
    schema: { type: "array", items: { enum: ["x", "y"] }, minItems: 2, uniqueItems: true },
    expected: ["x", "y"],
  },
  {
    title: "a tuple is filled",
    schema: { type: "array", prefixItems: [text, { type: "integer" }] },
    expected: ["", 0],
  },
  { title: "the first of several types is taken", schema: { type: ["integer", "null"] }, expected: 0 },
  { title: "the first alternative is taken", schema: { oneOf: [{ type: "integer", minimum: 1 }, text] }, expected: 1 },
  {
    title: "an alternative keeps what stands beside it",
    schema: { properties: { a: { const: 1 } }, required: ["a"], anyOf: [{ required: ["b"] }] },
    expected: { a: 1, b: null },
  },
  {
    title: "allOf holds as a whole",
    schema: {
      allOf: [
        { properties: { a: { type: "integer", minimum: 2 } }, required: ["a"] },
        { properties: { a: { minimum: 3 } } },
      ],
    },
    expected: { a: 3 },
  },
  {
    title: "an endless alternative is passed over",
    schema: { $ref: "#/$defs/Task", $defs: { Task: task } },
    expected: { id: "aa", parent: null },
  },
  {
    title: "a pointer with escapes is followed",
    schema: { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { const: 1 } } },
    expected: 1,
  },
];

describe("smallestSchemaValue", () => {
  test.each(CASES)("$title", ({ schema, expected }) => {
    expect(smallestSchemaValue(schema)).toEqual(expected);
    expect(smallestSchemaValue(schema)).toEqual(expected);
  });

  test.each([
    {
      title: "a value that never ends",
      schema: { $ref: "#/$defs/N", $defs: { N: { properties: { next: { $ref: "#/$defs/N" } }, required: ["next"] } } },
      message: 'at "/next" of the schema: "#/$defs/N" contains itself without end.',
    },
    {
      title: "a missing reference",
      schema: { $ref: "#/$defs/Gone" },
      message: 'at "/" of the schema: the reference "#/$defs/Gone" leads nowhere.',
    },
    {
      title: "a pattern nothing at hand fits",
      schema: { properties: { a: { type: "string", pattern: "^xyz{7}$" } }, required: ["a"] },
      message: 'at "/a" of the schema: no text at hand fits {"pattern":"^xyz{7}$"}.',
    },
    {
      title: "a property that must and must not be",
      schema: { type: "object", required: ["a"], additionalProperties: false },
      message: 'at "/a" of the schema: no value is allowed there.',
    },
    {
      title: "bounds without a number between them",
      schema: { type: "integer", minimum: 3, maximum: 2 },
      message: 'at "/" of the schema: no number fits its bounds.',
    },
  ])("refuses $title and says where", ({ schema, message }) => {
    expect(() => smallestSchemaValue(schema)).toThrow(
      `No value can be made up ${message} Give one yourself: to plan() in "answers", to the scripted agent in a script that returns "structured".`,
    );
  });

  const node: z.ZodType = z.lazy(() => z.object({ name: z.string().min(1), children: z.array(node) }));

  test.each([
    { title: "an object", schema: z.object({ a: z.string(), b: z.number().int().positive().optional() }) },
    { title: "formats", schema: z.object({ u: z.uuid(), e: z.email(), l: z.url(), d: z.iso.datetime(), i: z.ipv4() }) },
    {
      title: "a discriminated union",
      schema: z.discriminatedUnion("t", [z.object({ t: z.literal("x"), n: z.int() }), z.object({ t: z.literal("y") })]),
    },
    {
      title: "a tuple and a record",
      schema: z.object({ p: z.tuple([z.string(), z.boolean()]), r: z.record(z.enum(["a", "b"]), z.number()) }),
    },
    {
      title: "an intersection",
      schema: z.intersection(z.object({ a: z.string().min(2) }), z.object({ b: z.array(z.int()).min(2) })),
    },
    {
      title: "defaults and nullables",
      schema: z.object({ a: z.string().default("x"), b: z.nullable(z.string()), c: z.unknown() }),
    },
    { title: "a recursive type", schema: node },
    {
      title: "a list of tasks",
      schema: z.object({
        tasks: z
          .array(
            z.object({ id: z.string().regex(/^#?\d+$/), status: z.enum(["open", "done"]), after: z.array(z.string()) }),
          )
          .min(1)
          .max(9),
      }),
    },
  ])("makes a value of a Zod schema that Zod accepts: $title", ({ schema }) => {
    const value = smallestSchemaValue(z.toJSONSchema(schema) as JsonSchema); // a JSON Schema is an object of keywords
    expect(schema.safeParse(value)).toMatchObject({ success: true });
  });
});
