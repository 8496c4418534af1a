import { isRecord, type JsonSchema } from "../../../contracts/index.ts";
import { withoutDialect } from "../../turn/structured/structured-output.ts";

type MutableSchema = { [keyword: string]: unknown };

/** Keywords whose value is a schema. */
const WITH_SCHEMA = wordsOf("additionalProperties contains else if items not propertyNames then");
/** Keywords whose value is a list of schemas. */
const WITH_LIST = wordsOf("allOf anyOf oneOf items");
/** Keywords whose value is an object of schemas. */
const WITH_MAP = wordsOf("$defs definitions dependencies patternProperties properties");
/** The other keywords of draft-07. */
const PLAIN = wordsOf(
  "$comment $id $ref const contentEncoding contentMediaType default deprecated description enum examples exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf pattern readOnly required title type uniqueItems writeOnly",
);

/** Whether a reference has a target in the schema for Claude Code. */
type HasTarget = (reference: unknown) => boolean;

/**
 * Translates a schema for Claude Code, whose validator supports draft-07. Any other keyword, such as a tuple's
 * `prefixItems`, ends the process, and so does a `$ref` without a target, such as one into `prefixItems`. These
 * keywords move to the description for the model, and Atomic checks the answer against them.
 */
export function toClaudeSchema(schema: JsonSchema): MutableSchema {
  const target = translateSchema(schema, () => true);
  return translateSchema(schema, (reference) => isResolved(target, reference));
}

function translateSchema(schema: JsonSchema, hasTarget: HasTarget): MutableSchema {
  const translated: MutableSchema = {};
  const unknown: MutableSchema = {};
  for (const [keyword, value] of Object.entries(withoutDialect(schema))) {
    // Next to `prefixItems` it describes only the items after those.
    const isRest = keyword === "items" && "prefixItems" in schema;
    const isLost = keyword === "$ref" && !hasTarget(value);
    const known = isRest || isLost ? undefined : translate(keyword, value, hasTarget);
    if (known === undefined) unknown[keyword] = value;
    else translated[keyword] = known;
  }
  if (Object.keys(unknown).length === 0) return translated;
  const rest = `This JSON Schema holds as well: ${JSON.stringify(unknown)}`;
  const { description } = translated;
  return { ...translated, description: typeof description === "string" ? `${description}\n${rest}` : rest };
}

/** The translated value of a keyword; undefined where Claude Code does not support it. */
function translate(keyword: string, value: unknown, hasTarget: HasTarget): unknown {
  // Schemas may also be `true` or `false`, and a dependency may be a list of names.
  const translateEach = (each: unknown) => (isRecord(each) ? translateSchema(each, hasTarget) : each);
  if (WITH_MAP.has(keyword) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, translateEach(each)]));
  }
  if (WITH_LIST.has(keyword) && Array.isArray(value)) return value.map(translateEach);
  if (WITH_SCHEMA.has(keyword)) return translateEach(value);
  return PLAIN.has(keyword) ? value : undefined;
}

/**
 * Whether a reference into the schema itself has a target. A reference to an `$anchor`, which draft-07 lacks, has none,
 * nor has one with a malformed percent escape.
 */
function isResolved(schema: MutableSchema, reference: unknown): boolean {
  if (typeof reference !== "string" || !reference.startsWith("#") || reference === "#") return true;
  if (!reference.startsWith("#/")) return false;
  let place: unknown = schema;
  for (const part of reference.slice(2).split("/")) {
    const name = decodePart(part);
    // `in` would also find what every object inherits, such as "constructor".
    if (name === undefined || typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return false;
    // The cast is true: `place` is an object with this property.
    place = (place as MutableSchema)[name];
  }
  return place !== undefined;
}

/** One part of a JSON pointer in a URI fragment; undefined for a malformed percent escape. */
function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
