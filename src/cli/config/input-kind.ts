import { isRecord, type JsonSchema, nearestName, recordsOf } from "../../contracts/index.ts";
import { NumberTooLargeError, type ParsedValue, parseJson, parseYesOrNo } from "./parse-assignment.ts";

/** How an input is written on the command line. */
export type InputKind =
  | { readonly type: "text" }
  | { readonly type: "number"; readonly isWhole: boolean }
  | { readonly type: "yes-or-no" }
  | { readonly type: "choice"; readonly choices: readonly (string | number | boolean)[] }
  | { readonly type: "list"; readonly items: InputKind }
  | { readonly type: "object" }
  /** JSON, or any other text as it is. */
  | { readonly type: "any" };

/** The kind of the values that a JSON Schema accepts. */
export function inputKindOf(schema: JsonSchema): InputKind {
  const choices = schema.const === undefined ? schema.enum : [schema.const];
  const choosable = Array.isArray(choices) ? choices.filter(isChoice) : [];
  if (choosable.length > 0) return { type: "choice", choices: choosable };
  const [branch, ...others] = recordsOf(schema.anyOf).filter(({ type }) => type !== "null");
  if (branch !== undefined && others.length === 0) return inputKindOf(branch);
  const [type, ...more] = [schema.type].flat().filter((name) => name !== "null");
  if (more.length > 0) return { type: "any" };
  switch (type) {
    case "string":
      return { type: "text" };
    case "number":
    case "integer":
      return { type: "number", isWhole: type === "integer" };
    case "boolean":
      return { type: "yes-or-no" };
    case "array":
      return { type: "list", items: isRecord(schema.items) ? inputKindOf(schema.items) : { type: "any" } };
    case "object":
      return { type: "object" };
    default:
      return { type: "any" };
  }
}

function isChoice(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** The kind in words, for tables and questions. */
export function describeKind(kind: InputKind): string {
  switch (kind.type) {
    case "text":
      return "text";
    case "number":
      return kind.isWhole ? "whole number" : "number";
    case "yes-or-no":
      return "yes or no";
    case "choice":
      return kind.choices.length === 1 ? `only ${kind.choices.join("")}` : `one of ${kind.choices.join(", ")}`;
    case "list":
      return isSimple(kind.items) ? `list, each: ${describeKind(kind.items)}` : "JSON list";
    case "object":
      return "JSON object";
    case "any":
      return "text or JSON";
  }
}

/** Whether a value has no commas or structure of its own, so that a list of it can be written with commas. */
function isSimple({ type }: InputKind): boolean {
  return type === "text" || type === "number" || type === "yes-or-no" || type === "choice";
}

/** Parses an input as its kind. A list is JSON, or its items with commas between them. */
export function parseInput(text: string, name: string, kind: InputKind): ParsedValue {
  const what = `The input "${name}"`;
  switch (kind.type) {
    case "text":
      return { value: text };
    case "number": {
      const value = Number(text);
      const isNumber = text.trim() !== "" && Number.isFinite(value);
      return isNumber ? { value } : { problem: `${what} must be a ${describeKind(kind)}, not "${text}".` };
    }
    case "yes-or-no": {
      const value = parseYesOrNo(text);
      return value === undefined ? { problem: `${what} must be yes or no, not "${text}".` } : { value };
    }
    case "choice":
      return parseChoice(text, what, kind.choices);
    case "list":
      return parseList(text, name, kind.items);
    case "object": {
      const value = readJson(text);
      return isRecord(value) ? { value } : { problem: `${what} must be an object. Write it as JSON: '{"a": 1}'.` };
    }
    case "any": {
      const value = readJson(text);
      return { value: value === undefined ? text : value };
    }
  }
}

/** Parses one of some values. @param what names the input in the problem: `--severity` */
export function parseChoice<Choice extends string | number | boolean>(
  text: string,
  what: string,
  choices: readonly Choice[],
): { readonly value: Choice } | { readonly problem: string } {
  const value = choices.find((choice) => String(choice) === text);
  if (value !== undefined) return { value };
  const nearest = nearestName(text, choices.map(String));
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  return { problem: `${what} must be ${describeKind({ type: "choice", choices })}, not "${text}".${hint}` };
}

function parseList(text: string, name: string, items: InputKind): ParsedValue {
  if (text.trimStart().startsWith("[") || !isSimple(items)) {
    const value = readJson(text);
    if (Array.isArray(value)) return { value };
    const example = isSimple(items) ? `a,b or '["a", "b"]'` : `'[{"a": 1}]'`;
    return { problem: `The input "${name}" must be a list. Write it as ${example}.` };
  }
  const parts = text.split(",").map((part) => part.trim());
  const parsed = parts.filter((part) => part !== "").map((part) => parseInput(part, name, items));
  const failed = parsed.find((part) => "problem" in part);
  return failed ?? { value: parsed.map((part) => ("value" in part ? part.value : undefined)) };
}

/** Undefined when the text is not JSON, or has a number that is too large. */
function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NumberTooLargeError) return undefined;
    throw error;
  }
}
