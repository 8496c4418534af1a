import {
  AtomicError,
  isRecord,
  type JsonSchema,
  recordOf,
  stringOf,
  type UnknownRecord,
} from "../../contracts/index.ts";
import { isEqualValue } from "../state/is-equal-value.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import { compilePattern, smallestNumber, smallestString } from "./smallest-scalar.ts";

/** No value can be generated for a JSON Schema: it allows none, or it is too demanding. */
export class UnsupportedSchemaError extends AtomicError {
  constructor(
    /** The place in the value, for example `/tasks/0/id`. */
    readonly path: string,
    readonly problem: string,
  ) {
    super(
      "SCHEMA_UNSUPPORTED",
      `No value can be made up at "${path || "/"}" of the schema: ${problem}. Give one yourself: to plan() in "answers", to the scripted agent in a script that returns "structured".`,
    );
  }
}

/** The current position in the value and in the schema. */
interface Place {
  readonly root: UnknownRecord;
  readonly path: string;
  /** References being followed; a repeated one means an infinite value. */
  readonly openReferences: readonly string[];
  /** Selects one of several possible values, so that unique items differ. */
  readonly variant: number;
}

/**
 * The smallest value that fits a JSON Schema: required properties only, the first of several alternatives, the
 * shortest text, `default` and `const` as they are. Tuples are filled. `if`, `not` and `dependentSchemas` are ignored.
 * @throws UnsupportedSchemaError
 */
export function smallestSchemaValue(schema: JsonSchema): unknown {
  return build(schema, { root: schema, path: "", openReferences: [], variant: 0 });
}

function build(schema: unknown, place: Place): unknown {
  if (schema === true || schema === undefined) return null;
  if (!isRecord(schema)) throw new UnsupportedSchemaError(place.path, "no value is allowed there");
  if (typeof schema.$ref === "string") {
    const { $ref, ...rest } = schema;
    if (place.openReferences.includes($ref)) {
      throw new UnsupportedSchemaError(place.path, `"${$ref}" contains itself without end`);
    }
    const target = mergeSchemas(resolveReference($ref, place), rest);
    return build(target, { ...place, openReferences: [...place.openReferences, $ref] });
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    return build(mergeAll(rest, allOf, place), place);
  }
  if ("const" in schema) return schema.const;
  if ("default" in schema && isListed(schema.default, schema.enum ?? [schema.default])) return schema.default;
  if (Array.isArray(schema.enum)) return pickEnum(schema.enum, place);
  for (const keyword of ["anyOf", "oneOf"]) {
    const { [keyword]: alternatives, ...rest } = schema;
    if (Array.isArray(alternatives)) {
      return firstThatWorks(alternatives, place, (one) => build({ ...rest, allOf: [one] }, place));
    }
  }
  return firstThatWorks(typesOf(schema), place, (type) => buildType(type, schema, place));
}

function buildType(type: unknown, schema: UnknownRecord, place: Place): unknown {
  switch (type) {
    case "object":
      return buildObject(schema, place);
    case "array":
      return buildArray(schema, place);
    case "boolean":
      return place.variant % 2 === 1;
    case "null":
      return null;
    case "string": {
      const text = smallestString(schema, place.variant);
      if (text !== undefined) return text;
      const wanted = JSON.stringify({ pattern: schema.pattern, format: schema.format, maxLength: schema.maxLength });
      throw new UnsupportedSchemaError(place.path, `no text at hand fits ${wanted}`);
    }
    case "number":
    case "integer": {
      const number = smallestNumber(schema, { isInteger: type === "integer", variant: place.variant });
      if (number !== undefined) return number;
      throw new UnsupportedSchemaError(place.path, "no number fits its bounds");
    }
    default:
      throw new UnsupportedSchemaError(place.path, `the type ${JSON.stringify(type)} is unknown`);
  }
}

function buildObject(schema: UnknownRecord, place: Place): UnknownRecord {
  const properties = recordOf(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const { minProperties = 0 } = schema;
  const names = new Set(required);
  const spare = [...Object.keys(properties), ...(schema.additionalProperties === false ? [] : inventNames(schema))];
  for (const name of spare) {
    if (names.size >= Number(minProperties)) break;
    names.add(name);
  }
  const entries = [...names].map((name): [string, unknown] => {
    const schemaOfName = properties[name] ?? matchPattern(schema, name) ?? schema.additionalProperties;
    return [name, build(schemaOfName, { ...place, path: `${place.path}/${name}` })];
  });
  return Object.fromEntries(entries);
}

/** Names for required properties that the schema does not name. */
function inventNames(schema: UnknownRecord): readonly string[] {
  const allowed = recordOf(schema.propertyNames).enum;
  if (Array.isArray(allowed)) return allowed.map(String);
  return Array.from({ length: Number(schema.minProperties ?? 0) }, (_value, index) => `key${index + 1}`);
}

function matchPattern(schema: UnknownRecord, name: string): unknown {
  const patterns = Object.entries(recordOf(schema.patternProperties));
  return patterns.find(([pattern]) => compilePattern(pattern).test(name))?.[1];
}

function buildArray(schema: UnknownRecord, place: Place): readonly unknown[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, maxContains = Number.POSITIVE_INFINITY } = schema;
  const wantedCount = schema.contains === undefined ? 0 : Number(schema.minContains ?? 1);
  const length = Math.min(Math.max(Number(minItems), tupleOf(schema).length), Number(maxItems));
  if (wantedCount === 0) return fillArray(schema, place, { length, wantedCount });
  // The required content of the array is one of its items, or is appended to them.
  const lengths = [Math.max(length, wantedCount), length + wantedCount].filter((count) => count <= Number(maxItems));
  return firstThatWorks(lengths, place, (count) => {
    if (count > Number(maxContains)) {
      const problem = '"maxContains" is less than the items there are; whether others count is unknown';
      throw new UnsupportedSchemaError(place.path, problem);
    }
    return fillArray(schema, place, { length: count, wantedCount });
  });
}

function tupleOf({ prefixItems, items }: UnknownRecord): readonly unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems;
  return Array.isArray(items) ? items : [];
}

/** Makes the items of an array; the last ones are its required content. */
function fillArray(
  schema: UnknownRecord,
  place: Place,
  { length, wantedCount }: { readonly length: number; readonly wantedCount: number },
): readonly unknown[] {
  const tuple = tupleOf(schema);
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  const made: unknown[] = [];
  for (let index = 0; index < length; index++) {
    const own = index < tuple.length ? tuple[index] : rest;
    const itemSchema = index < length - wantedCount ? own : { allOf: [own ?? true, schema.contains] };
    const itemPlace = { ...place, path: `${place.path}/${index}` };
    made.push(schema.uniqueItems === true ? buildOther(itemSchema, itemPlace, made) : build(itemSchema, itemPlace));
  }
  return made;
}

/** A value that differs from the others. */
function buildOther(schema: unknown, place: Place, others: readonly unknown[]): unknown {
  for (let variant = others.length; variant <= 2 * others.length; variant++) {
    const value = build(schema, { ...place, variant });
    if (!isListed(value, others)) return value;
  }
  throw new UnsupportedSchemaError(place.path, "items must differ, and no further one is at hand");
}

function isListed(value: unknown, list: unknown): boolean {
  return Array.isArray(list) && list.some((one) => isEqualValue(one, value));
}

function mergeAll(base: UnknownRecord, parts: readonly unknown[], place: Place): UnknownRecord {
  return parts.reduce<UnknownRecord>((merged, part) => {
    if (part === true) return merged;
    if (!isRecord(part)) throw new UnsupportedSchemaError(place.path, "no value is allowed there");
    // A schema cannot have two references, so the second one is resolved here.
    const needsResolving = typeof part.$ref === "string" && typeof merged.$ref === "string";
    return mergeSchemas(merged, needsResolving ? resolveReference(stringOf(part.$ref), place) : part);
  }, base);
}

function pickEnum(values: readonly unknown[], place: Place): unknown {
  if (values.length === 0) throw new UnsupportedSchemaError(place.path, "its enum is empty");
  return values[place.variant % values.length];
}

function firstThatWorks<Choice, Value>(
  choices: readonly Choice[],
  place: Place,
  attempt: (choice: Choice) => Value,
): Value {
  let failure: unknown = new UnsupportedSchemaError(place.path, "it has no alternatives");
  for (const choice of choices) {
    try {
      return attempt(choice);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function typesOf(schema: UnknownRecord): readonly unknown[] {
  if (Array.isArray(schema.type)) return schema.type;
  if (schema.type !== undefined) return [schema.type];
  const hasOneOf = (...keywords: readonly string[]): boolean => keywords.some((keyword) => keyword in schema);
  if (hasOneOf("properties", "required", "minProperties", "additionalProperties")) return ["object"];
  if (hasOneOf("items", "prefixItems", "minItems", "contains")) return ["array"];
  if (hasOneOf("minLength", "maxLength", "pattern", "format")) return ["string"];
  if (hasOneOf("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return ["number"];
  return ["null"];
}

/** Follows `#` and JSON pointers such as `#/$defs/Task` within the same document. */
function resolveReference(reference: string, place: Place): UnknownRecord {
  let target: unknown = reference.startsWith("#") ? place.root : undefined;
  for (const part of reference.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    target = Array.isArray(target) ? target[Number(key)] : recordOf(target)[key];
  }
  if (target === true) return {};
  if (!isRecord(target)) throw new UnsupportedSchemaError(place.path, `the reference "${reference}" leads nowhere`);
  return target;
}
