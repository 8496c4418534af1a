import { UsageError } from "./usage-error.ts";

/**
 * Parses options of the form `NAME=VALUE`; the first equals sign separates them.
 *
 * @param usage the option as people type it, for example `--input NAME=VALUE`
 * @throws UsageError when a name is missing or given twice
 */
export function parseAssignments(texts: readonly string[], usage: string): ReadonlyMap<string, string> {
  const assignments = new Map<string, string>();
  for (const text of texts) {
    const separator = text.indexOf("=");
    if (separator < 1) throw new UsageError(`"${text}" sets nothing. Write ${usage}.`);
    const name = text.slice(0, separator);
    if (assignments.has(name)) throw new UsageError(`"${name}" is set twice. Omit one of them.`);
    assignments.set(name, text.slice(separator + 1));
  }
  return assignments;
}

/**
 * The kind of a default value, for messages; a value on the command line must be of the same kind. A default of null
 * accepts any JSON. The kind of a value that JSON cannot represent, such as a Date, is the name of its class.
 */
export function kindOf(standard: unknown): string {
  if (standard === undefined || typeof standard === "string") return "text";
  if (typeof standard === "boolean") return "yes or no";
  if (standard === null) return "JSON";
  if (Array.isArray(standard)) return "JSON list";
  if (typeof standard !== "object") return typeof standard;
  const name = Object.getPrototypeOf(standard)?.constructor?.name || "Object";
  return name === "Object" ? "JSON object" : name;
}

/** A value, or why the text is not one. */
export type ParsedValue = { readonly value: unknown } | { readonly problem: string };

/** The input or setting that a value is for. */
export interface ValueTarget {
  /** What the name belongs to, such as `input`. */
  readonly noun: string;
  readonly name: string;
  /** The default value; the new one must be of the same kind. */
  readonly standard: unknown;
}

/** Parses a value as the kind of its default: text, yes or no, a number, or JSON. */
export function parseValue(text: string, { noun, name, standard }: ValueTarget): ParsedValue {
  const what = `The ${noun} "${name}"`;
  const kind = kindOf(standard);
  switch (kind) {
    case "text":
      return { value: text };
    case "yes or no": {
      const value = parseYesOrNo(text);
      return value === undefined
        ? { problem: `${what} must be yes or no. Write ${name}=yes or ${name}=no (true, false).` }
        : { value };
    }
    case "number": {
      const value = Number(text);
      const isNumber = text.trim() !== "" && Number.isFinite(value);
      return isNumber ? { value } : { problem: `${what} must be a number, not "${text}".` };
    }
    case "JSON":
    case "JSON list":
    case "JSON object": {
      const value = tryParseJson(text);
      if (value instanceof NumberTooLargeError) return { problem: `${what} was rejected: ${value.message}.` };
      if (value !== undefined && (kind === "JSON" || kindOf(value) === kind)) return { value };
      const [noun, example] = JSON_KINDS[kind];
      return { problem: `${what} must be ${noun}. Write it as JSON, for example ${example.replaceAll("NAME", name)}.` };
    }
    default:
      return { problem: `${what} must be a ${kind}, which JSON cannot represent.` };
  }
}

/** A kind's name in a sentence, with examples. */
const JSON_KINDS = {
  JSON: ["a value", `NAME='"a text"' or NAME='{"a": 1}'`],
  "JSON list": ["a list", `NAME='["a", "b"]'`],
  "JSON object": ["an object", `NAME='{"a": 1}'`],
} as const;

/** `undefined` for any other word. */
export function parseYesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "yes") return true;
  return word === "false" || word === "no" ? false : undefined;
}

/** A number beyond what a double can hold: JSON.parse reads `1e400` as infinity, which JSON cannot represent. */
export class NumberTooLargeError extends Error {
  constructor() {
    super("a number in it is too large");
  }
}

/** @throws SyntaxError when the text is not JSON, NumberTooLargeError */
export function parseJson(text: string): unknown {
  let isTooLarge = false;
  const value: unknown = JSON.parse(text, (_key, part: unknown) => {
    isTooLarge ||= typeof part === "number" && !Number.isFinite(part);
    return part;
  });
  if (isTooLarge) throw new NumberTooLargeError();
  return value;
}

/** `undefined` when the text is not JSON; returns the error for a number that is too large. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error instanceof NumberTooLargeError ? error : undefined;
  }
}
