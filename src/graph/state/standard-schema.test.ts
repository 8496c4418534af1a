import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { type StandardSchema, toJsonSchema, validateWith } from "./standard-schema.ts";

const person = z.object({ name: z.string(), tags: z.array(z.string()) });

/** A schema of no library. */
function schemaOf(validate: StandardSchema["~standard"]["validate"]): StandardSchema {
  return { "~standard": { version: 1, vendor: "own", validate } };
}

describe("validating", () => {
  test("returns the parsed value", async () => {
    expect(await validateWith(z.coerce.number(), "7")).toEqual({ type: "valid", value: 7 });
    expect(
      await validateWith(
        schemaOf(async (value) => ({ value })),
        "x",
      ),
    ).toEqual({ type: "valid", value: "x" });
  });

  test("lists what is wrong and where", async () => {
    expect(await validateWith(person, { name: 1, tags: ["a", 2] })).toEqual({
      type: "invalid",
      problems: [
        "name: Invalid input: expected string, received number",
        "tags.1: Invalid input: expected string, received number",
      ],
      issues: [
        {
          code: "invalid_type",
          expected: "string",
          message: "Invalid input: expected string, received number",
          path: ["name"],
        },
        {
          code: "invalid_type",
          expected: "string",
          message: "Invalid input: expected string, received number",
          path: ["tags", 1],
        },
      ],
    });
    const issues = [{ message: "bad" }, { message: "worse", path: ["a", { key: 0 }, Symbol("s")] }];
    expect(
      await validateWith(
        schemaOf(() => ({ issues })),
        1,
      ),
    ).toEqual({
      type: "invalid",
      problems: ["bad", "a.0.Symbol(s): worse"],
      issues,
    });
  });
});

describe("the JSON Schema of a schema", () => {
  test("is made by its library", () => {
    expect(toJsonSchema(person)).toMatchObject({
      type: "object",
      properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
      required: ["name", "tags"],
    });
  });

  test("describes what goes in, not what comes out", () => {
    expect(toJsonSchema(z.string().transform((text) => text.length))).toMatchObject({ type: "string" });
  });

  test("is missing when the library has none, or cannot say it", () => {
    expect([toJsonSchema(schemaOf((value) => ({ value }))), toJsonSchema(z.date()), toJsonSchema(z.bigint())]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
