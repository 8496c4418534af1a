import { isRecord, recordOf, type UnknownRecord } from "../../contracts/index.ts";
import { isEqualValue } from "../state/is-equal-value.ts";
import { leastCommonMultiple } from "./multiples.ts";

/**
 * A schema for values that fit both schemas. Merges the keywords that matter for making values; of others, the right one
 * wins. Several patterns or formats become a list, and all of them apply.
 */
export function mergeSchemas(left: UnknownRecord, right: UnknownRecord): UnknownRecord {
  const [base, added] = [withConstAsEnum(left), withConstAsEnum(right)];
  const merged: Record<string, unknown> = { ...base };
  for (const [keyword, value] of Object.entries(added)) {
    merged[keyword] = keyword in base ? mergeKeyword(keyword, base[keyword], value) : value;
  }
  return merged;
}

/** `minimum`, `maxLength`, `…Items`, `…Properties`, `…Contains`. Not every such name: `minDate` is not a number. */
const BOUND = /^(m|exclusiveM)(in|ax)[iLIPC]/;

function mergeKeyword(keyword: string, left: unknown, right: unknown): unknown {
  if (BOUND.test(keyword)) return Math[keyword.includes("ax") ? "min" : "max"](Number(left), Number(right));
  switch (keyword) {
    case "properties":
    case "patternProperties":
    case "$defs":
      return mergeProperties(recordOf(left), recordOf(right));
    case "required":
    case "pattern":
    case "format":
      return [...new Set([left, right].flat())];
    case "allOf":
      return [...listOf(left), ...listOf(right)];
    case "anyOf":
    case "oneOf":
      return listOf(left).flatMap((one) => listOf(right).map((other) => ({ allOf: [one, other] })));
    case "enum":
      return listOf(left).filter((value) => listOf(right).some((other) => isEqualValue(value, other)));
    case "type":
      return commonTypes([left].flat(), [right].flat());
    case "multipleOf":
      return leastCommonMultiple(Number(left), Number(right));
    case "uniqueItems":
      return left === true || right === true;
    case "prefixItems":
    case "items":
    case "additionalItems":
    case "additionalProperties":
    case "contains":
      return mergeInner(left, right);
    default:
      return isRecord(left) && isRecord(right) ? mergeSchemas(left, right) : right;
  }
}

/** A constant is an enumeration of one value. */
function withConstAsEnum(schema: UnknownRecord): UnknownRecord {
  if (!("const" in schema)) return schema;
  const { const: value, ...rest } = schema;
  return mergeSchemas(rest, { enum: [value] });
}

/** Merges schemas of inner values, or lists of them position by position. */
function mergeInner(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right)) {
    const [longer, shorter] = left.length > right.length ? [left, right] : [right, left];
    return longer.map((one, place) => (place < shorter.length ? mergeInner(one, shorter[place]) : one));
  }
  if (left === false || right === false) return false;
  return left === true ? right : { allOf: [left, right] };
}

/** An integer is also a number; any other two types have nothing in common. */
function commonTypes(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const common = left.flatMap((type) => {
    if (right.includes(type)) return [type];
    const isNumeric = type === "integer" || type === "number";
    return isNumeric && (right.includes("integer") || right.includes("number")) ? ["integer"] : [];
  });
  return [...new Set(common)];
}

/** A property that both sides describe must fit both. */
function mergeProperties(left: UnknownRecord, right: UnknownRecord): UnknownRecord {
  const shared = Object.keys(right).filter((name) => name in left);
  return {
    ...left,
    ...right,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [left[name], right[name]] }])),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
