import { isRecord, recordOf, type UnknownRecord } from "../../contracts/index.ts";

/** A schema that holds where both hold. Knows the keywords that make values; of others the right one wins. */
export function mergeSchemas(left: UnknownRecord, right: UnknownRecord): UnknownRecord {
  const merged: Record<string, unknown> = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    merged[keyword] = keyword in left ? mergeKeyword(keyword, left[keyword], value) : value;
  }
  return merged;
}

function mergeKeyword(keyword: string, left: unknown, right: unknown): unknown {
  switch (keyword) {
    case "properties":
    case "patternProperties":
    case "$defs":
      return mergeProperties(recordOf(left), recordOf(right));
    case "required":
      return [...new Set([...listOf(left), ...listOf(right)])];
    case "allOf":
      return [...listOf(left), ...listOf(right)];
    case "anyOf":
    case "oneOf":
      return listOf(left).flatMap((one) => listOf(right).map((other) => ({ allOf: [one, other] })));
    case "enum":
      return listOf(left).filter((value) => listOf(right).includes(value));
    case "type": {
      const types = Array.isArray(right) ? right : [right];
      const common = (Array.isArray(left) ? left : [left]).filter((type) => types.includes(type));
      return common.length > 0 ? common : narrowerNumber(left, right);
    }
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return Math.max(Number(left), Number(right));
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return Math.min(Number(left), Number(right));
    default:
      return isRecord(left) && isRecord(right) ? mergeSchemas(left, right) : right;
  }
}

/** A property that both sides describe has to fit both. */
function mergeProperties(left: UnknownRecord, right: UnknownRecord): UnknownRecord {
  const shared = Object.keys(right).filter((name) => name in left);
  return {
    ...left,
    ...right,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [left[name], right[name]] }])),
  };
}

/** An integer is also a number; any other two types have nothing in common. */
function narrowerNumber(left: unknown, right: unknown): unknown {
  const isNumeric = [left, right].every((type) => type === "number" || type === "integer");
  return isNumeric ? "integer" : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
