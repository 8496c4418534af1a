import { type HumanRequest, type JsonSchema, messageOf } from "../../contracts/index.ts";
import { InvalidAnswerError } from "../../graph/index.ts";
import { safeText } from "../../view/index.ts";
import { NumberTooLargeError, parseJson, parseYesOrNo } from "../config/parse-assignment.ts";
import { quoteWord } from "../output/quote-word.ts";

/**
 * What a person typed, as the question wants it: where it has a schema other than text, JSON is read as such.
 *
 * @throws InvalidAnswerError for what can only be JSON and is none, and for a number that is too large for one
 */
export function parseAnswer({ id, schema }: HumanRequest, text: string): unknown {
  if (schema === undefined || schema.type === "string") return text;
  // The schema's own complaint about text says more than a JSON error.
  if (schema.type === "boolean") return parseYesOrNo(text) ?? text;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NumberTooLargeError) throw new InvalidAnswerError(id, error.message, []);
    if (error instanceof SyntaxError && !takesStructuresOnly(schema)) return text;
    throw new InvalidAnswerError(id, `it is no JSON (${messageOf(error)})`, []);
  }
}

/** Whether every answer is an object or a list. */
function takesStructuresOnly({ type, anyOf, oneOf }: JsonSchema): boolean {
  if (type === "object" || type === "array") return true;
  const choices = anyOf ?? oneOf;
  // The cast is true: the choices of a JSON Schema are schemas.
  return Array.isArray(choices) && choices.every((choice) => takesStructuresOnly(choice as JsonSchema));
}

/** What an answer must look like, for people; nothing where any text is welcome. */
export function describeShape({ schema }: HumanRequest): string | undefined {
  if (schema === undefined || schema.type === "string") return undefined;
  const { $schema: _dialect, ...shape } = schema;
  return `The answer is JSON of this shape: ${safeText(JSON.stringify(shape))}`;
}

/** Where an answer of one's own stands in a command: JSON has double quotes, which a shell keeps between single ones. */
export function answerPlaceholder(request: HumanRequest): string {
  return describeShape(request) === undefined ? '"…"' : "'…'";
}

/** The name of this question alone: the id of a node's first question would also stand for the node's later ones. */
export function exactIdOf({ id, nodeId }: HumanRequest): string {
  return id === nodeId ? `${id}#1` : id;
}

/** The option of `atomic runs answer` that names this question alone. */
export function requestOption(request: HumanRequest): string {
  return `--request ${quoteWord(safeText(exactIdOf(request)))}`;
}
