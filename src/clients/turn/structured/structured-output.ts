import type { ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema, UnknownRecord } from "../../../contracts/index.ts";

/** How many more attempts a vendor without its own structured output gets for an answer that fits the schema. */
export const STRUCTURED_OUTPUT_RETRIES = 2;

/** The value of an answer, or its problems. */
export type StructuredAnswer =
  | { readonly type: "valid"; readonly value: unknown }
  | { readonly type: "invalid"; readonly problems: readonly string[] };

/** Returns the problems of a value; none when it fits. */
export type SchemaValidator = (value: unknown) => readonly string[];

/** Compiled schemas, which take 10 to 45 ms, for as long as the schema object lives. Depends only on the key. */
const COMPILED = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * Compiles a schema (draft 2020-12; ignores unknown keywords and formats, and the name of an older draft). The same
 * object is compiled once: it must not be changed afterwards. @throws what ajv throws for an invalid schema
 */
export async function createSchemaValidator(
  schema: JsonSchema,
  {
    subject = "the answer",
  }: { /** What problems call the whole value. @default "the answer" */ readonly subject?: string } = {},
): Promise<SchemaValidator> {
  const validate = COMPILED.get(schema) ?? (await compile(schema));
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = "is invalid", params }) => `${instancePath || subject} ${message}${namesIn(params)}`,
    );
  };
}

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const validator = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const validate = validator.compile(withoutDialect(schema));
  COMPILED.set(schema, validate);
  return validate;
}

/** The schema without the name of its dialect: some vendors' validators reject the whole schema if they do not know it. */
export function withoutDialect(schema: JsonSchema): { [keyword: string]: unknown } {
  const { $schema: _, ...rules } = schema;
  return rules;
}

/** Facts that ajv's message omits: the additional property, the allowed values. */
function namesIn({ additionalProperty, allowedValues }: UnknownRecord): string {
  if (typeof additionalProperty === "string") return `: "${additionalProperty}"`;
  return Array.isArray(allowedValues) ? `: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}` : "";
}

/** Added to a message so that the answer can be parsed. */
export function describeSchema(schema: JsonSchema): string {
  return [
    "Answer with one JSON value that fits this JSON Schema, and with nothing else: no explanation, no code fence.",
    // Without a name that a model might mistake for a property of the answer.
    JSON.stringify(withoutDialect(schema)),
  ].join("\n");
}

/** The message to an agent about an answer that does not fit. */
export function describeProblems(problems: readonly string[]): string {
  return [
    "Your answer does not fit the JSON Schema:",
    ...problems.map((problem) => `- ${problem}`),
    "Answer again with the corrected JSON value and nothing else.",
  ].join("\n");
}

/** Parses an answer: the whole text, else its last code fence, else the outermost braces or brackets. Pure. */
export function readStructuredAnswer(text: string, validate: SchemaValidator): StructuredAnswer {
  const candidates = [text, lastFence(text), between(text, "{", "}"), between(text, "[", "]")];
  let problems: readonly string[] | undefined;
  for (const candidate of candidates) {
    const parsed = candidate === undefined ? undefined : parseJson(candidate);
    if (parsed === undefined) continue;
    const found = validate(parsed.value);
    if (found.length === 0) return { type: "valid", value: parsed.value };
    problems ??= found;
  }
  return { type: "invalid", problems: problems ?? ["the answer is not JSON"] };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function lastFence(text: string): string | undefined {
  return [...text.matchAll(/^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```/gm)].at(-1)?.[1];
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  const end = text.lastIndexOf(close);
  return start >= 0 && end > start ? text.slice(start, end + 1) : undefined;
}
