import { expect, test } from "bun:test";
import { z } from "zod";
import { parseWorkflowInputs } from "./parse-workflow-inputs.ts";

const Inputs = z.object({
  topic: z.string().min(3).describe(" What to\n  look for\n"),
  depth: z.number().default(2).describe("How many rounds"),
  since: z.coerce.date().optional(),
});

test("a schema lists the inputs in their order, with descriptions, defaults and kinds", () => {
  const inputs = parseWorkflowInputs(Inputs);
  expect({ fields: inputs?.fields, isOpen: inputs?.isOpen }).toEqual({
    fields: [
      { name: "topic", description: "What to look for", isRequired: true, schema: { type: "string", minLength: 3 } },
      { name: "depth", description: "How many rounds", isRequired: false, default: 2, schema: { type: "number" } },
      { name: "since", isRequired: false, schema: {} },
    ],
    isOpen: false,
  });
  expect(parseWorkflowInputs(z.looseObject({}))).toMatchObject({ fields: [], isOpen: true });
  expect(parseWorkflowInputs(Inputs.transform((all) => all))?.fields).toHaveLength(3);
});

test("the check applies defaults and transforms", async () => {
  expect(await parseWorkflowInputs(Inputs)?.check({ topic: "locks", since: "2026-01-01" })).toEqual({
    type: "valid",
    values: { topic: "locks", depth: 2, since: new Date("2026-01-01") },
  });
});

test("the check names the input of each problem, and the place inside it", async () => {
  const inputs = parseWorkflowInputs(z.object({ a: z.object({ b: z.number() }), c: z.string() }));
  expect(await inputs?.check({ a: { b: "x" } })).toEqual({
    type: "invalid",
    problems: [
      { name: "a", message: "b: Invalid input: expected number, received string" },
      { name: "c", message: "Invalid input: expected string, received undefined" },
    ],
  });
  const together = z.object({ a: z.string() }).refine(() => false, "Not today");
  expect(await parseWorkflowInputs(together)?.check({ a: "x" })).toEqual({
    type: "invalid",
    problems: [{ name: undefined, message: "Not today" }],
  });
});

test("a check that waits is awaited", async () => {
  const slow = z.object({ a: z.string().refine(async (text) => (await Promise.resolve(text)) === "x", "Only x") });
  expect(await parseWorkflowInputs(slow)?.check({ a: "y" })).toEqual({
    type: "invalid",
    problems: [{ name: "a", message: "Only x" }],
  });
});

test.each([
  { title: "a plain object", value: { topic: z.string() } },
  { title: "another schema", value: z.string() },
  { title: "a record", value: z.record(z.string(), z.string()) },
  { title: "a JSON Schema", value: { type: "object", properties: {} } },
  { title: "a function", value: () => Inputs },
  { title: "a broken imitation", value: { "~standard": { validate: () => ({}), jsonSchema: { input: () => null } } } },
  { title: "nothing", value: null },
])("$title declares no inputs", ({ value }) => {
  expect(parseWorkflowInputs(value)).toBeUndefined();
});
