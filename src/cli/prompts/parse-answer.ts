import {
  type HumanRequest,
  type JsonSchema,
  messageOf,
  type RequestOption,
  type RunEvent,
} from "../../contracts/index.ts";
import { InvalidAnswerError } from "../../graph/index.ts";
import { safeText } from "../../view/index.ts";
import { NumberTooLargeError, parseJson, parseYesOrNo } from "../config/parse-assignment.ts";
import { quoteWord } from "../output/quote-word.ts";

/**
 * Parses what a person typed: as JSON when the question has a schema other than a string, or else as text. An option that
 * cannot be printed as it is can be chosen by its number, or by the rest of its label.
 *
 * @throws InvalidAnswerError when the schema requires JSON and the text is not, or when a number is too large
 */
export function parseAnswer({ id, schema, options = [] }: HumanRequest, text: string): unknown {
  const unprintable = findUnprintable(options, text);
  if (unprintable !== undefined) return unprintable.label;
  if (schema === undefined || schema.type === "string") return text;
  // The schema's error is clearer than a JSON error.
  if (schema.type === "boolean") return parseYesOrNo(text) ?? text;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof NumberTooLargeError) throw new InvalidAnswerError(id, error.message, []);
    if (error instanceof SyntaxError && !takesStructuresOnly(schema)) return text;
    throw new InvalidAnswerError(id, `it is not JSON (${messageOf(error)})`, []);
  }
}

/** Whether people see another label than the option has: it contains characters that a terminal would act on. */
export function isUnprintable({ label }: RequestOption): boolean {
  return safeText(label) !== label;
}

function findUnprintable(options: readonly RequestOption[], text: string): RequestOption | undefined {
  if (options.some(({ label }) => label.trim().toLowerCase() === text.trim().toLowerCase())) return undefined;
  const numbered = options.find((_, index) => String(index + 1) === text.trim());
  const shown = options.filter(({ label }) => safeText(label).trim() === text.trim());
  const found = numbered ?? (shown.length === 1 ? shown[0] : undefined);
  return found !== undefined && isUnprintable(found) ? found : undefined;
}

/** Whether every answer is an object or a list. */
function takesStructuresOnly({ type, anyOf, oneOf }: JsonSchema): boolean {
  if (type === "object" || type === "array") return true;
  const choices = anyOf ?? oneOf;
  // The cast is true: the choices of a JSON Schema are schemas.
  return Array.isArray(choices) && choices.every((choice) => takesStructuresOnly(choice as JsonSchema));
}

/** Describes the required shape of an answer; undefined when any text is accepted. */
export function describeShape({ schema }: HumanRequest): string | undefined {
  if (schema === undefined || schema.type === "string") return undefined;
  const { $schema: _dialect, ...shape } = schema;
  return `The answer is JSON of this shape: ${safeText(JSON.stringify(shape))}`;
}

/** The placeholder for an answer in a command. JSON has double quotes, so it is in single ones. */
export function answerPlaceholder(request: HumanRequest): string {
  return describeShape(request) === undefined ? '"…"' : "'…'";
}

/** The exact name of this question: the id of a node's first question also matches its later ones. */
export function exactIdOf({ id, nodeId }: Pick<HumanRequest, "id" | "nodeId">): string {
  return id === nodeId ? `${id}#1` : id;
}

/** The question with its exact name as its id, for programs that answer what they have read. */
export function withExactId(request: HumanRequest): HumanRequest {
  return { ...request, id: exactIdOf(request) };
}

/** An event for programs: the ids of questions in it are the exact ones. */
export function withExactIds(event: RunEvent): RunEvent {
  if (event.type === "request") return { ...event, request: withExactId(event.request) };
  if (event.type !== "answer") return event;
  return { ...event, requestId: exactIdOf({ id: event.requestId, nodeId: event.nodeId }) };
}

/** The option of `atomic runs answer` with the exact name of this question. */
export function requestOption(request: HumanRequest): string {
  return `--request ${quoteWord(safeText(exactIdOf(request)))}`;
}
