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
  { title: "an enum yields its first value", schema: { ...text, enum: ["b", "a"] }, expected: "b" },
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
    title: "an alternative keeps its sibling keywords",
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
    title: "two patterns hold together",
    schema: { allOf: [{ type: "string", pattern: "^\\d+$" }, { pattern: "^.{2,}$" }], minLength: 2 },
    expected: "00",
  },
  {
    title: "two formats hold together",
    schema: { allOf: [text, { format: "uri-reference" }, { format: "uri" }] },
    expected: "https://example.com/",
  },
  {
    title: "a format and a length hold together",
    schema: { ...text, format: "uri", minLength: 22 },
    expected: "https://example.com///",
  },
  {
    title: "two steps give their least common multiple",
    schema: { allOf: [{ type: "integer", multipleOf: 4, minimum: 1 }, { multipleOf: 6 }] },
    expected: 12,
  },
  {
    title: "a step may be a fraction",
    schema: { allOf: [{ type: "number", multipleOf: 0.1, minimum: 0.25 }, { multipleOf: 0.15 }] },
    expected: 0.3,
  },
  { title: "an integer may have such a step", schema: { type: "integer", multipleOf: 1.5, minimum: 1 }, expected: 3 },
  {
    title: "a multiple lies within its bounds",
    schema: { type: "number", multipleOf: 5, exclusiveMinimum: 5, exclusiveMaximum: 12 },
    expected: 10,
  },
  {
    title: "lists of types have in common what fits both",
    schema: { allOf: [{ type: ["string", "number"] }, { type: ["boolean", "integer"] }], minimum: 2 },
    expected: 2,
  },
  {
    title: "lists of types are compared with a single one",
    schema: { allOf: [{ type: "integer" }, { type: ["string", "number", "null"] }] },
    expected: 0,
  },
  {
    title: "enums and constants have in common what fits all",
    schema: { allOf: [{ enum: [{ a: 1 }, "b", "c"] }, { enum: ["c", { a: 1 }, "b"] }, { const: "c" }] },
    expected: "c",
  },
  {
    title: "items that both sides describe fit both",
    schema: {
      allOf: [
        { type: "array", minItems: 1, items: { type: "integer", minimum: 2 } },
        { items: { multipleOf: 3 }, uniqueItems: true },
        { uniqueItems: false, minItems: 2 },
      ],
    },
    expected: [3, 6],
  },
  {
    title: "tuples that both sides describe fit both",
    schema: { allOf: [{ prefixItems: [{ minimum: 2 }, text] }, { prefixItems: [{ type: "integer" }] }] },
    expected: [2, ""],
  },
  {
    title: "unique texts of a format differ",
    schema: { type: "array", items: { ...text, format: "email" }, minItems: 2, uniqueItems: true },
    expected: ["a@example.com", "b@example.com"],
  },
  {
    title: "unique booleans differ",
    schema: { type: "array", items: { type: "boolean" }, minItems: 2, uniqueItems: true },
    expected: [false, true],
  },
  {
    title: "unique objects differ in what has variants",
    schema: {
      type: "array",
      items: {
        required: ["at", "kind", "id"],
        properties: { at: { ...text, format: "ulid" }, kind: { const: "k" }, id: { type: "integer" } },
      },
      minItems: 3,
      uniqueItems: true,
    },
    expected: [0, 1, 2].map((id) => ({ at: "0".repeat(26), kind: "k", id })),
  },
  {
    title: "an array contains what it must, as often as it must",
    schema: { type: "array", items: { type: "integer" }, minItems: 3, contains: { minimum: 5 }, minContains: 2 },
    expected: [0, 5, 5],
  },
  {
    title: "an array need not contain what it may",
    schema: { type: "array", contains: { const: 1 }, minContains: 0 },
    expected: [],
  },
  {
    title: "what a tuple contains is one of its items where that fits",
    schema: { prefixItems: [text, { type: "integer" }], contains: { type: "integer", minimum: 4 } },
    expected: ["", 4],
  },
  {
    title: "the required content of a tuple follows it if none of its items fits",
    schema: { prefixItems: [text, text], contains: { type: "integer", minimum: 4 } },
    expected: ["", "", 4],
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
    {
      title: "patterns nothing at hand fits together",
      schema: { allOf: [{ type: "string", pattern: "^a$" }, { pattern: "^b$" }] },
      message: 'at "/" of the schema: no text at hand fits {"pattern":["^a$","^b$"]}.',
    },
    {
      title: "formats that no text at hand has together",
      schema: { allOf: [{ type: "string", format: "date" }, { format: "email" }] },
      message: 'at "/" of the schema: no text at hand fits {"format":["date","email"]}.',
    },
    {
      title: "a date that must be longer than dates are",
      schema: { type: "string", format: "date", minLength: 11 },
      message: 'at "/" of the schema: no text at hand fits {"format":"date"}.',
    },
    {
      title: "constants that contradict each other",
      schema: { allOf: [{ const: 1 }, { const: 2 }] },
      message: 'at "/" of the schema: its enum is empty.',
    },
    {
      title: "types that have nothing in common",
      schema: { allOf: [{ type: ["string", "null"] }, { type: ["integer", "boolean"] }] },
      message: 'at "/" of the schema: it has no alternatives.',
    },
    ...[
      { items: { enum: ["x", "y"] }, minItems: 3 },
      { items: { type: "boolean" }, minItems: 3 },
      { items: { type: "null" }, minItems: 3, prefixItems: [{ type: "integer" }] },
      { items: { type: "integer", minimum: 1, maximum: 2 }, minItems: 3 },
      { items: { type: "string", format: "date" }, minItems: 3 },
    ].map((schema) => ({
      title: `unique items of which there are too few, ${JSON.stringify(schema.items)}`,
      schema: { type: "array", uniqueItems: true, ...schema },
      message: 'at "/2" of the schema: items must differ, and no further one is at hand.',
    })),
    {
      title: "an array that must contain more than it may have",
      schema: { type: "array", maxItems: 1, contains: { const: 1 }, minContains: 2 },
      message: 'at "/" of the schema: it has no alternatives.',
    },
    {
      title: "a full tuple none of whose items may be what it must contain",
      schema: { type: "array", prefixItems: [text], items: false, contains: { type: "integer" } },
      message: 'at "/1" of the schema: no value is allowed there.',
    },
    {
      title: "a bound of what is contained beside other items",
      schema: { type: "array", items: { const: 1 }, minItems: 2, contains: { const: 1 }, maxContains: 1 },
      message: 'at "/" of the schema: "maxContains" is less than the items there are; whether others count is unknown.',
    },
  ])("rejects $title and reports its position", ({ schema, message }) => {
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

  const formats = {
    base64: z.base64(),
    base64url: z.base64url(),
    cidrv4: z.cidrv4(),
    cidrv6: z.cidrv6(),
    cuid: z.cuid(),
    cuid2: z.cuid2(),
    date: z.iso.date(),
    datetime: z.iso.datetime(),
    "datetime to the minute": z.iso.datetime({ precision: -1 }),
    "datetime to the millisecond": z.iso.datetime({ precision: 3 }),
    "datetime without a zone": z.iso.datetime({ local: true }),
    duration: z.iso.duration(),
    e164: z.e164(),
    email: z.email(),
    "email of some length": z.email().min(20),
    emoji: z.emoji(),
    guid: z.guid(),
    hex: z.hex(),
    hostname: z.hostname(),
    httpUrl: z.httpUrl(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    jwt: z.jwt(),
    ksuid: z.ksuid(),
    lowercase: z.string().lowercase(),
    mac: z.mac(),
    md5: z.hash("md5"),
    nanoid: z.nanoid(),
    sha1: z.hash("sha1"),
    sha256: z.hash("sha256"),
    sha384: z.hash("sha384"),
    sha512: z.hash("sha512"),
    time: z.iso.time(),
    "time to the minute": z.iso.time({ precision: -1 }),
    "time to the millisecond": z.iso.time({ precision: 3 }),
    ulid: z.ulid(),
    url: z.url(),
    "url of some length": z.url().min(30),
    uuidv4: z.uuidv4(),
    uuidv6: z.uuidv6(),
    uuidv7: z.uuidv7(),
    xid: z.xid(),
  };

  test.each(Object.entries(formats))("makes a text of Zod's format that Zod accepts: %s", (_format, schema) => {
    const value = smallestSchemaValue(z.toJSONSchema(schema) as JsonSchema); // a JSON Schema is an object of keywords
    expect(schema.safeParse(value)).toMatchObject({ success: true });
  });
});
