import { expect, test } from "bun:test";
import { z } from "zod";
import { describeExpected } from "./describe-expected.ts";

test.each<{ readonly schema: z.ZodType; readonly value: unknown; readonly expected: string | undefined }>([
  { schema: z.number().positive(), value: 0, expected: "a number above 0" },
  { schema: z.int().min(1), value: 0, expected: "a number of at least 1" },
  { schema: z.int().max(16), value: 17, expected: "a number of at most 16" },
  { schema: z.number().negative(), value: 0, expected: "a number below 0" },
  { schema: z.int(), value: 2.5, expected: "a whole number" },
  { schema: z.number().int(), value: 2.5, expected: "a whole number" },
  { schema: z.number(), value: "x", expected: "a number" },
  { schema: z.boolean(), value: 1, expected: "true or false" },
  { schema: z.string().min(1), value: "", expected: "a text that is not empty" },
  { schema: z.string().min(3), value: "x", expected: "a text of at least 3 characters" },
  { schema: z.string().max(1), value: "xx", expected: "a text of at most 1 character" },
  { schema: z.array(z.string()).min(1), value: [], expected: "a list that is not empty" },
  { schema: z.array(z.string()).min(2), value: [], expected: "a list of at least 2 elements" },
  { schema: z.url(), value: "nowhere", expected: 'an address, such as "https://example.com"' },
  { schema: z.enum(["a", "b"]), value: "c", expected: 'one of "a", "b"' },
  { schema: z.number().multipleOf(5), value: 3, expected: "a multiple of 5" },
  { schema: z.string().min(3, "Say more"), value: "x", expected: undefined },
])("a message of zod becomes what the value must be: $expected", ({ schema, value, expected }) => {
  const message = schema.safeParse(value).error?.issues[0]?.message ?? "";
  expect(describeExpected(message)).toBe(expected as string);
});
