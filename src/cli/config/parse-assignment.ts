import { UsageError } from "./usage-error.ts";

/**
 * Reads options of the form `NAME=VALUE`, up to the first equals sign.
 *
 * @param usage the option as a person writes it, for example `--input NAME=VALUE`
 * @throws UsageError for what has no name, and for a name that is given twice
 */
export function parseAssignments(texts: readonly string[], usage: string): ReadonlyMap<string, string> {
  const assignments = new Map<string, string>();
  for (const text of texts) {
    const separator = text.indexOf("=");
    if (separator < 1) throw new UsageError(`"${text}" sets nothing. Write ${usage}.`);
    const name = text.slice(0, separator);
    if (assignments.has(name)) throw new UsageError(`"${name}" is set twice. Leave one of them out.`);
    assignments.set(name, text.slice(separator + 1));
  }
  return assignments;
}

/**
 * The kind of value that replaces a default on the command line, for people. Where the default is null, any JSON does.
 * A value that JSON cannot say, such as a Date, has the name of its class.
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

/** A value, or why the text is none. */
export type ParsedValue = { readonly value: unknown } | { readonly problem: string };

/** What a value is for. */
export interface ValueTarget {
  /** What has the name, as in `input`. */
  readonly noun: string;
  readonly name: string;
  /** The value that it replaces: the new one is of the same kind. */
  readonly standard: unknown;
}

/** Reads a value as the kind of the one that it replaces: a text as it stands, yes or no, a number, or else JSON. */
export function parseValue(text: string, { noun, name, standard }: ValueTarget): ParsedValue {
  const what = `The ${noun} "${name}"`;
  const kind = kindOf(standard);
  switch (kind) {
    case "text":
      return { value: text };
    case "yes or no": {
      const value = parseYesOrNo(text);
      return value === undefined
        ? { problem: `${what} is yes or no. Write ${name}=yes or ${name}=no (true, false).` }
        : { value };
    }
    case "number": {
      const value = Number(text);
      const isNumber = text.trim() !== "" && Number.isFinite(value);
      return isNumber ? { value } : { problem: `${what} is a number, and "${text}" is none.` };
    }
    case "JSON":
    case "JSON list":
    case "JSON object": {
      const value = tryParseJson(text);
      if (value instanceof NumberTooLargeError) return { problem: `${what} was refused: ${value.message}.` };
      if (value !== undefined && (kind === "JSON" || kindOf(value) === kind)) return { value };
      const [noun, example] = JSON_KINDS[kind];
      return { problem: `${what} is ${noun}. Write it as JSON, for example ${example.replaceAll("NAME", name)}.` };
    }
    default:
      return { problem: `${what} is a ${kind}, which JSON cannot say.` };
  }
}

/** What a value of a kind is called, and examples of it. */
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

/** Text that is JSON but no value: JSON has no word for infinity, and reads one in `1e400`. */
export class NumberTooLargeError extends Error {
  constructor() {
    super("a number in it is too large");
  }
}

/** @throws SyntaxError for what is no JSON, and NumberTooLargeError */
export function parseJson(text: string): unknown {
  let isTooLarge = false;
  const value: unknown = JSON.parse(text, (_key, part: unknown) => {
    isTooLarge ||= typeof part === "number" && !Number.isFinite(part);
    return part;
  });
  if (isTooLarge) throw new NumberTooLargeError();
  return value;
}

/** `undefined` for what is no JSON; a number that is too large is an error. */
function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error instanceof NumberTooLargeError ? error : undefined;
  }
}
