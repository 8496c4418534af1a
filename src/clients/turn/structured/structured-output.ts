import type { ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema, UnknownRecord } from "../../../contracts/index.ts";

/** How often a vendor without structured output of its own is asked again for an answer of the right shape. */
export const STRUCTURED_OUTPUT_RETRIES = 2;

/** What an answer is worth. */
export type StructuredAnswer =
  | { readonly type: "valid"; readonly value: unknown }
  | { readonly type: "invalid"; readonly problems: readonly string[] };

/** Tells what is wrong with a value; nothing when it fits. */
export type SchemaValidator = (value: unknown) => readonly string[];

/** What has been compiled, which takes 10 to 45 ms, for as long as its schema lives. Holds nothing that is not in the key. */
const COMPILED = new WeakMap<JsonSchema, ValidateFunction>();

/**
 * Compiles a schema (draft 2020-12, unknown keywords and formats ignored; one that names an older draft is read as if it
 * did not). The same object is compiled once: it must not be changed afterwards. @throws what ajv throws for a broken one
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

/** The schema without the name of its dialect, which vendors' validators may not know: those refuse the whole schema. */
export function withoutDialect(schema: JsonSchema): { [keyword: string]: unknown } {
  const { $schema: _, ...rules } = schema;
  return rules;
}

/** What ajv's message leaves out: which property is too much, which values would be right. */
function namesIn({ additionalProperty, allowedValues }: UnknownRecord): string {
  if (typeof additionalProperty === "string") return `: "${additionalProperty}"`;
  return Array.isArray(allowedValues) ? `: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}` : "";
}

/** What is added to a message so that the answer can be read. */
export function describeSchema(schema: JsonSchema): string {
  return [
    "Answer with one JSON value that fits this JSON Schema, and with nothing else: no explanation, no code fence.",
    // Without a name that a model might take for a property of the answer.
    JSON.stringify(withoutDialect(schema)),
  ].join("\n");
}

/** What an agent is told about an answer that does not fit. */
export function describeProblems(problems: readonly string[]): string {
  return [
    "Your answer does not fit the JSON Schema:",
    ...problems.map((problem) => `- ${problem}`),
    "Answer again with the corrected JSON value and nothing else.",
  ].join("\n");
}

/** Reads an answer: the whole text, else its last code fence, else the outermost braces or brackets. Pure. */
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
