import { isRecord, type JsonSchema } from "../../contracts/index.ts";

/** A list without a limit gets as many items as this. */
const OPEN_LENGTH = 25;

/** No list gets more. */
const MAX_LENGTH = 100;

/** Keywords whose values are schemas by name. */
const NAMED = new Set(["properties", "$defs", "definitions", "patternProperties"]);

/**
 * A schema whose smallest value is an answer of an agent. Its texts are not empty.
 *
 * @param isFull whether the answer makes much work: lists are full, and what is true or false is true
 */
export function fillSchema(schema: JsonSchema, isFull: boolean): JsonSchema {
  // The cast is true: an object stays one.
  return fillPart(schema, isFull) as JsonSchema;
}

function fillPart(schema: unknown, isFull: boolean): unknown {
  const fill = (part: unknown): unknown => fillPart(part, isFull);
  if (Array.isArray(schema)) return schema.map(fill);
  if (!isRecord(schema)) return schema;
  const filled: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const isNamed = NAMED.has(keyword) && isRecord(value);
    if (isNamed) filled[keyword] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one)]));
    else filled[keyword] = ["items", "anyOf", "oneOf", "allOf", "prefixItems"].includes(keyword) ? fill(value) : value;
  }
  const isFixed = "const" in schema || "default" in schema || schema.enum !== undefined;
  if (schema.type === "string" && !isFixed) return { ...filled, minLength: Math.max(1, Number(schema.minLength ?? 1)) };
  if (!isFull) return filled;
  if (schema.type === "boolean" && !isFixed) return { ...filled, const: true };
  if (schema.type !== "array") return filled;
  const { maxItems = OPEN_LENGTH, minItems = 0 } = schema;
  return { ...filled, minItems: Math.max(Number(minItems), Math.min(Number(maxItems), MAX_LENGTH)) };
}
