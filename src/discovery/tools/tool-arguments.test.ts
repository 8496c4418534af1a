import { expect, test } from "bun:test";
import { z } from "zod";
import { readToolArguments } from "./tool-arguments.ts";

const SHAPE = { path: z.string(), fix: z.boolean().optional() };

async function readWith(args: unknown, input: unknown): Promise<unknown> {
  const reader = await readToolArguments(args, async () => () => []);
  if (reader.type === "unusable") return reader;
  return { offered: reader.inputSchema.additionalProperties, ...(await reader.read(input)) };
}

test.each([
  { title: "a schema for each", args: SHAPE },
  { title: "a schema of an object", args: z.object(SHAPE) },
  { title: "a strict schema", args: z.strictObject(SHAPE) },
  { title: "a refined schema", args: z.object(SHAPE).refine(() => true) },
  { title: "a schema with a default", args: z.object(SHAPE).default({ path: "a" }) },
  { title: "a transformed schema", args: z.object(SHAPE).transform((value) => value) },
])("an unknown argument is rejected, with the nearest known one: $title", async ({ args }) => {
  expect(await readWith(args, { path: "a", fxi: true, other: 1 })).toEqual({
    offered: false,
    type: "invalid",
    problems: ['Unknown argument "fxi". Did you mean "fix"?', 'Unknown argument "other". Known arguments: path, fix.'],
  });
});

test("all problems of a call are listed", async () => {
  expect(await readWith(SHAPE, { pth: "a" })).toMatchObject({
    problems: [
      'Unknown argument "pth". Did you mean "path"?',
      "path: Invalid input: expected string, received undefined",
    ],
  });
});

test("a tool without arguments takes none", async () => {
  expect(await readWith(undefined, { path: "a" })).toEqual({
    offered: false,
    type: "invalid",
    problems: ['Unknown argument "path". It takes none.'],
  });
  expect(await readWith(undefined, undefined)).toEqual({ offered: false, type: "valid", value: {} });
});

test.each([
  { title: "a loose schema", args: z.looseObject({ path: z.string() }), offered: {}, value: { path: "a", other: "b" } },
  {
    title: "a schema for the others",
    args: z.object({ path: z.string() }).catchall(z.string()),
    offered: { type: "string" },
    value: { path: "a", other: "b" },
  },
  {
    title: "names that are changed first",
    args: z.preprocess((value) => value, z.object({ path: z.string() })).default({ path: "b" }),
    offered: undefined,
    value: { path: "a" },
  },
  {
    title: "a JSON Schema that does not exclude them",
    args: { type: "object", properties: { path: { type: "string" } } },
    offered: undefined,
    value: { path: "a", other: "b" },
  },
])("other arguments are allowed by $title", async ({ args, offered, value }) => {
  expect(await readWith(args, { path: "a", other: "b" })).toEqual({ offered, type: "valid", value });
});
