import { isRecord, type JsonSchema } from "../../contracts/index.ts";
import { questionText } from "../../view/index.ts";
import type { QuestionShape } from "../dialogs/question-state.ts";
import type { AskedRequest } from "../host/runs-port.ts";

/** One of the questions that a request consists of. */
export interface RequestQuestion {
  readonly question: string;
  readonly shape: QuestionShape;
  /** The part of the answer for what a person chose and typed. Undefined leaves the part out. */
  readonly toValue: (values: readonly string[]) => unknown;
}

/** Leaves out a part that the answer may lack. */
const LEAVE_OUT = "(leave it out)";

/**
 * The questions of a request, in the order in which they are put: one for each property where the answer is an object of simple
 * values, and otherwise one. A schema that is more than that takes JSON as text.
 */
export function questionsOf(request: AskedRequest): readonly RequestQuestion[] {
  const { options, schema, acceptsText = false } = request;
  const question = questionText(request);
  if (options !== undefined) {
    const isList = schema?.type === "array";
    const shape = { options, isMultiple: isList, acceptsText };
    return [{ question, shape, toValue: isList ? (values) => values : first }];
  }
  if (schema === undefined) return [{ question, shape: ANY_TEXT, toValue: first }];
  const parts = partsOf(schema, question);
  if (parts !== undefined) return parts;
  const simple = simpleValueOf(schema);
  return [{ question, ...(simple ?? { shape: ANY_TEXT, toValue: first }) }];
}

/** The answer to a request, from what a person said to each of its questions. */
export function answerOf(request: AskedRequest, given: readonly (readonly string[])[]): unknown {
  const questions = questionsOf(request);
  const values = questions.map(({ toValue }, index) => toValue(given[index] ?? []));
  const names = propertiesOf(request);
  if (names === undefined) return values[0];
  return Object.fromEntries(
    names.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]]])),
  );
}

/** The question that a rejection names, as in `… was rejected: count: Too small`. The first one where it names none. */
export function rejectedQuestion(request: AskedRequest, rejection: string): number {
  const names = propertiesOf(request) ?? [];
  return Math.max(
    0,
    names.findIndex((name) => rejection.includes(`: ${name}: `) || rejection.includes(`; ${name}: `)),
  );
}

/** What is known of a request besides its question: the shape of a JSON answer, and what happens without an answer. */
export function notesOf(request: AskedRequest): readonly string[] {
  const { schema, options, autoApproveValue } = request;
  const isJson = options === undefined && schema !== undefined && schema.type !== "string" && !isAskedInParts(request);
  const shape = isJson ? [`The answer is JSON of this shape: ${JSON.stringify(withoutDialect(schema))}`] : [];
  return [
    ...shape,
    ...(autoApproveValue === undefined ? [] : [`Without an answer: ${JSON.stringify(autoApproveValue)}`]),
  ];
}

const ANY_TEXT: QuestionShape = { options: [], isMultiple: false, acceptsText: true };

function first([value]: readonly string[]): unknown {
  return value;
}

function isAskedInParts({ schema = {}, question }: AskedRequest): boolean {
  return partsOf(schema, question) !== undefined || simpleValueOf(schema) !== undefined;
}

function withoutDialect({ $schema: _dialect, ...shape }: JsonSchema): object {
  return shape;
}

/** The properties that have a question each. Undefined where there is one question. */
function propertiesOf({ options, schema, question }: AskedRequest): readonly string[] | undefined {
  const isWhole = options !== undefined || schema === undefined || partsOf(schema, question) === undefined;
  return isWhole || !isRecord(schema.properties) ? undefined : Object.keys(schema.properties);
}

/** A question for each property. Undefined when one of them is more than a simple value. */
function partsOf(schema: JsonSchema, question: string): readonly RequestQuestion[] | undefined {
  const { type, properties, required } = schema;
  if (type !== "object" || !isRecord(properties)) return undefined;
  const parts = Object.entries(properties).flatMap(([name, property]) => {
    const simple = isRecord(property) ? simpleValueOf(property) : undefined;
    if (simple === undefined || !isRecord(property)) return [];
    const isNeeded = Array.isArray(required) && required.includes(name);
    const about = [property.title, property.description].find((text) => typeof text === "string");
    const text = `${question}\n${about === undefined ? name : `${name}: ${about}`}`;
    return [{ question: text, ...(isNeeded ? simple : optional(simple)) }];
  });
  return parts.length === 0 || parts.length < Object.keys(properties).length ? undefined : parts;
}

type SimpleValue = Omit<RequestQuestion, "question">;

/** A value that a person chooses or types without JSON. Undefined for any other. */
function simpleValueOf(schema: JsonSchema): SimpleValue | undefined {
  const choices = choicesOf(schema);
  switch (schema.type) {
    case "string":
      return choices === undefined
        ? { shape: ANY_TEXT, toValue: first }
        : { shape: { options: choices, isMultiple: false, acceptsText: false }, toValue: first };
    case "boolean":
      return {
        shape: { options: [{ label: "yes" }, { label: "no" }], isMultiple: false, acceptsText: false },
        toValue: ([value]) => value === "yes",
      };
    case "number":
    case "integer":
      return { shape: { ...ANY_TEXT, isNumber: true }, toValue: toNumber };
    case "array": {
      const items = isRecord(schema.items) && schema.items.type === "string" ? choicesOf(schema.items) : undefined;
      return items && { shape: { options: items, isMultiple: true, acceptsText: false }, toValue: (values) => values };
    }
    default:
      return undefined;
  }
}

function choicesOf({ enum: values }: JsonSchema): QuestionShape["options"] | undefined {
  if (!Array.isArray(values) || values.length === 0) return undefined;
  return values.every((value) => typeof value === "string") ? values.map((label) => ({ label })) : undefined;
}

/** What is no number stays a text: the check of the answer says what is wrong with it. */
function toNumber([text = ""]: readonly string[]): unknown {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? text : number;
}

function optional({ shape, toValue }: SimpleValue): SimpleValue {
  return {
    shape: { ...shape, options: [...shape.options, { label: LEAVE_OUT }] },
    toValue: (values) => (values.includes(LEAVE_OUT) ? undefined : toValue(values)),
  };
}
