import { expect, test } from "bun:test";
import { z } from "zod";
import { parseWorkflowInputs } from "../../discovery/parse-workflow-inputs.ts";
import { describeKind, inputKindOf, parseInput } from "./input-kind.ts";

/** How zod describes a value is what a workflow's file brings along. */
function kindOfSchema(schema: z.ZodType) {
  const field = parseWorkflowInputs(z.object({ it: schema }))?.fields[0];
  return inputKindOf(field?.schema ?? {});
}

const CASES: readonly {
  readonly title: string;
  readonly schema: z.ZodType;
  readonly shown: string;
  readonly read: Readonly<Record<string, unknown>>;
  readonly refused?: Readonly<Record<string, string>>;
}[] = [
  { title: "text", schema: z.string(), shown: "text", read: { "12": "12", "": "", '["a"]': '["a"]' } },
  { title: "text or null", schema: z.url().nullable(), shown: "text", read: { "http://a": "http://a" } },
  {
    title: "a number",
    schema: z.coerce.number(),
    shown: "number",
    read: { "-2.5": -2.5, " 7 ": 7 },
    refused: {
      many: 'The input "it" must be a number, not "many".',
      "": 'The input "it" must be a number, not "".',
      Infinity: 'The input "it" must be a number, not "Infinity".',
    },
  },
  {
    title: "a whole number",
    schema: z.int().nullable(),
    shown: "whole number",
    read: { "3": 3 },
    refused: { x: 'The input "it" must be a whole number, not "x".' },
  },
  {
    title: "yes or no",
    schema: z.boolean(),
    shown: "yes or no",
    read: { yes: true, False: false },
    refused: { maybe: 'The input "it" must be yes or no, not "maybe".' },
  },
  {
    title: "a choice",
    schema: z.enum(["fast", "deep"]),
    shown: "one of fast, deep",
    read: { deep: "deep" },
    refused: { depe: 'The input "it" must be one of fast, deep, not "depe". Did you mean "deep"?' },
  },
  { title: "numbers to choose from", schema: z.literal([1, 2]), shown: "one of 1, 2", read: { "2": 2 } },
  {
    title: "a single value",
    schema: z.literal("on"),
    shown: "only on",
    read: { on: "on" },
    refused: { off: 'The input "it" must be only on, not "off".' },
  },
  { title: "a choice or nothing", schema: z.enum(["a", "b"]).nullable(), shown: "one of a, b", read: { a: "a" } },
  {
    title: "a list of texts",
    schema: z.array(z.string()),
    shown: "list, each: text",
    read: { "a, b,": ["a", "b"], "": [], '["a,b"]': ["a,b"] },
    refused: { '["a"': `The input "it" must be a list. Write it as a,b or '["a", "b"]'.` },
  },
  {
    title: "a list of numbers",
    schema: z.array(z.number()),
    shown: "list, each: number",
    read: { "1,2": [1, 2] },
    refused: { "1,x": 'The input "it" must be a number, not "x".' },
  },
  {
    title: "a list of objects",
    schema: z.array(z.object({ a: z.number() })),
    shown: "JSON list",
    read: { '[{"a":1}]': [{ a: 1 }] },
    refused: { "a,b": `The input "it" must be a list. Write it as '[{"a": 1}]'.` },
  },
  {
    title: "an object",
    schema: z.record(z.string(), z.number()),
    shown: "JSON object",
    read: { '{"a":1}': { a: 1 } },
    refused: { "[]": `The input "it" must be an object. Write it as JSON: '{"a": 1}'.` },
  },
  {
    title: "text or a number",
    schema: z.union([z.string(), z.number()]),
    shown: "text or JSON",
    read: { "5": 5, five: "five" },
  },
  { title: "a date", schema: z.coerce.date(), shown: "text or JSON", read: { "2026-01-01": "2026-01-01" } },
  { title: "anything", schema: z.unknown(), shown: "text or JSON", read: { null: null, "1e400": "1e400" } },
];

test.each(CASES)("$title", ({ schema, shown, read, refused = {} }) => {
  const kind = kindOfSchema(schema);
  expect(describeKind(kind)).toBe(shown);
  for (const [text, value] of Object.entries(read)) expect(parseInput(text, "it", kind)).toEqual({ value });
  for (const [text, problem] of Object.entries(refused)) expect(parseInput(text, "it", kind)).toEqual({ problem });
});
