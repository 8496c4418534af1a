/** What zod calls its types, in words for people. */
const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** A limit: `Too small: expected string to have >=3 characters`. */
const LIMIT = /^Too (?:small|big): expected (\w+) to (?:be|have) ([<>]=?)(\S+?)(?: (characters|items))?$/;

const SIGNS: Readonly<Record<string, string>> = {
  ">": "above",
  ">=": "of at least",
  "<": "below",
  "<=": "of at most",
};

/**
 * What a value must be, in plain words, of a message that zod itself writes: `a number above 0`. Undefined for any other message,
 * such as one that the author of a check wrote.
 */
export function describeExpected(message: string): string | undefined {
  const text = message.replace(/\.$/, "");
  const limit = LIMIT.exec(text);
  if (limit !== null) return describeLimit(limit);
  const [, kind] = /^Invalid input: expected (\w+), received \w+$/.exec(text) ?? [];
  if (kind !== undefined) return KINDS[kind];
  if (text === "Invalid URL") return 'an address, such as "https://example.com"';
  const [, choices] = /^Invalid option: expected one of (.+)$/.exec(text) ?? [];
  if (choices !== undefined) return `one of ${choices.replaceAll('"|"', '", "')}`;
  const [, divisor] = /^Invalid number: must be a multiple of (\S+)$/.exec(text) ?? [];
  return divisor === undefined ? undefined : `a multiple of ${divisor}`;
}

function describeLimit([, origin = "", sign = "", bound = "", unit]: RegExpExecArray): string | undefined {
  const kind = KINDS[origin];
  if (kind === undefined) return undefined;
  if (unit === undefined) return `${kind} ${SIGNS[sign]} ${bound}`;
  if (sign === ">=" && bound === "1") return unit === "items" ? "a list that is not empty" : "a text that is not empty";
  const noun = unit === "items" ? "element" : "character";
  return `${kind} ${SIGNS[sign]} ${bound} ${noun}${bound === "1" ? "" : "s"}`;
}
