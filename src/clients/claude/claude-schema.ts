import { isRecord, type JsonSchema } from "../../contracts/index.ts";
import { withoutDialect } from "../structured/structured-output.ts";

type MutableSchema = { [keyword: string]: unknown };

/** Keywords whose value is a schema. */
const WITH_SCHEMA = wordsOf("additionalProperties contains else if items not propertyNames then");
/** Keywords whose value is a list of schemas. */
const WITH_LIST = wordsOf("allOf anyOf oneOf items");
/** Keywords whose value is an object of schemas. */
const WITH_MAP = wordsOf("$defs definitions patternProperties properties");
/** The other keywords of draft-07. */
const PLAIN = wordsOf(
  "$comment $id $ref const contentEncoding contentMediaType default deprecated description enum examples exclusiveMaximum exclusiveMinimum format maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf pattern readOnly required title type uniqueItems writeOnly",
);

/**
 * A schema as Claude Code takes it: its validator knows draft-07, and ends the process for any other keyword, such as the
 * `prefixItems` of a tuple. Such keywords stand in the description for the model; Atomic itself checks what comes of them.
 */
export function toClaudeSchema(schema: JsonSchema): MutableSchema {
  const translated: MutableSchema = {};
  const unknown: MutableSchema = {};
  for (const [keyword, value] of Object.entries(withoutDialect(schema))) {
    // What stands beside `prefixItems` is about the items that follow.
    const isRest = keyword === "items" && "prefixItems" in schema;
    const known = isRest ? undefined : translate(keyword, value);
    if (known === undefined) unknown[keyword] = value;
    else translated[keyword] = known;
  }
  if (Object.keys(unknown).length === 0) return translated;
  const rest = `This JSON Schema holds as well: ${JSON.stringify(unknown)}`;
  const { description } = translated;
  return { ...translated, description: typeof description === "string" ? `${description}\n${rest}` : rest };
}

/** The value of a keyword; nothing where Claude Code does not know it. */
function translate(keyword: string, value: unknown): unknown {
  if (WITH_MAP.has(keyword) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, translateSchema(each)]));
  }
  if (WITH_LIST.has(keyword) && Array.isArray(value)) return value.map(translateSchema);
  if (WITH_SCHEMA.has(keyword)) return translateSchema(value);
  return PLAIN.has(keyword) ? value : undefined;
}

/** Schemas may also be `true` or `false`. */
function translateSchema(value: unknown): unknown {
  return isRecord(value) ? toClaudeSchema(value) : value;
}

function wordsOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
