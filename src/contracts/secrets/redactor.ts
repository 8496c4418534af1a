import { begunLength } from "./begun-length.ts";
import { LABEL, labelOf } from "./label.ts";
import { redactKeyBlocks } from "./redact-key-blocks.ts";
import { redactParts } from "./redact-parts.ts";
import { redactPlaces } from "./secret-places.ts";
import { redactShapes } from "./secret-shapes.ts";
import { type KnownSecret, listVariants } from "./secret-values.ts";

/** Replaces secrets in what a program writes and shows. The result has `[redacted]`, or `[redacted:NAME]`, in their places. */
export interface Redactor {
  /** Takes the secrets out of a text. Idempotent, in linear time. */
  text(text: string): string;
  /**
   * Takes the secrets out of the strings in a value: those of objects and their keys, lists, Maps and Sets. Returns the
   * value itself when it has none; changes nothing in place. Values of classes stay as they are.
   */
  value<T>(value: T): T;
  /** Adds secrets that become known later. */
  learn(secrets: readonly KnownSecret[]): void;
  /** How many characters at the end of a text can be the beginning of a known secret; for texts that arrive in pieces. */
  begunLength(text: string): number;
}

/** Redacts nothing: the default where no redactor is given. */
export const noRedaction: Redactor = {
  text: (text) => text,
  value: (value) => value,
  learn: () => undefined,
  begunLength: () => 0,
};

/** Takes secrets out of the values of fields; the names stay. Returns the same object if there is none. */
export function redactFields<Fields extends Readonly<Record<string, unknown>>>(
  fields: Fields,
  redactor: Redactor,
): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const name in fields) {
    const value = redactor.value(fields[name]);
    if (value === fields[name]) continue;
    copy ??= { ...fields };
    copy[name] = value;
  }
  // The cast is true: a redacted value has the shape of the original.
  return (copy as Fields | undefined) ?? fields;
}

/** What a {@link Redactor} knows from the start. */
export interface RedactorOptions {
  /** @default none: only what has the form or the place of a secret is redacted */
  readonly secrets?: readonly KnownSecret[];
}

/** How often a text is searched again because a replacement has changed what is next to it. */
const MAX_PASSES = 8;

/** What has the form, or the place, of a secret. */
const RULES = [redactKeyBlocks, redactShapes, redactPlaces];

/**
 * Creates a redactor. It finds, in this order: the secrets it knows, blocks of private keys, well-known forms of tokens,
 * and what is in the place of a secret, in headers and URLs.
 *
 * @example
 * const redactor = createRedactor({ secrets: secretsOfEnvironment({ API_TOKEN: "tok-12345678" }) });
 * redactor.text("curl -H 'x-api-key: tok-12345678'"); // "curl -H 'x-api-key: [redacted:API_TOKEN]'"
 */
export function createRedactor({ secrets = [] }: RedactorOptions = {}): Redactor {
  // Longest first: a secret can be a part of another one.
  let variants: readonly KnownSecret[] = [];
  const learn = (more: readonly KnownSecret[]): void => {
    const all = new Map(variants.map((variant) => [variant.value, variant]));
    for (const variant of more.flatMap(listVariants)) if (!all.has(variant.value)) all.set(variant.value, variant);
    variants = [...all.values()].sort((left, right) => right.value.length - left.value.length);
  };
  learn(secrets);

  const pass = (text: string): string => {
    let result = text;
    for (const { name, value } of variants) {
      if (!result.includes(value)) continue;
      result = outsideLabels(result, (part) => part.replaceAll(value, () => labelOf(name)));
    }
    for (const rule of RULES) result = outsideLabels(result, rule);
    return result;
  };
  const text = (given: string): string => {
    let result = given;
    for (let count = 0; count < MAX_PASSES; count++) {
      const next = pass(result);
      if (next === result) break;
      result = next;
    }
    return result;
  };
  return {
    text,
    value: (value) => redactParts(value, text),
    learn,
    begunLength: (given) => variants.reduce((most, { value }) => Math.max(most, begunLength(given, value)), 0),
  };
}

/** Applies a function to the text between the replacements of earlier ones, which it must not see. */
function outsideLabels(text: string, redact: (part: string) => string): string {
  if (!text.includes("[redacted")) return redact(text);
  // The pattern has a group: every second part is a label.
  return text
    .split(LABEL)
    .map((part, index) => (index % 2 === 1 ? part : redact(part)))
    .join("");
}
