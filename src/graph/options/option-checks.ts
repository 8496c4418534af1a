import { nearestName } from "../../contracts/index.ts";
import { isPromise } from "../errors/promise-returned-error.ts";

/** The check of an option. */
export interface OptionCheck {
  /** What is valid; completes "it must be …". */
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** A hint for a value that is not accepted. */
  advise?(value: unknown): string | undefined;
  /** Problems inside an accepted value, each as the rest of a sentence; `path` is the path of the value. */
  inside?(value: unknown, path: string): readonly string[];
  /** The option that this one takes the place of; a config has only one of the two. */
  readonly insteadOf?: string;
}

/** A required option. */
export interface RequiredOption extends OptionCheck {
  readonly isRequired: true;
  /** What to do when it is missing. */
  readonly remedy: string;
}

/** Makes an option required. */
export function required(check: OptionCheck, remedy = `give it ${check.expected}`): RequiredOption {
  return { ...check, isRequired: true, remedy };
}

/** An option that takes the place of another one. */
export function insteadOf(name: string, check: OptionCheck): OptionCheck {
  return { ...check, insteadOf: name };
}

export const anything: OptionCheck = { expected: "anything", accepts: () => true };
export const text: OptionCheck = { expected: "a text", accepts: (value) => typeof value === "string" };
export const someText: OptionCheck = {
  expected: "a text that is not empty",
  accepts: (value) => typeof value === "string" && value !== "",
};
export const aFunction: OptionCheck = { expected: "a function", accepts: (value) => typeof value === "function" };
export const yesOrNo: OptionCheck = { expected: "true or false", accepts: (value) => typeof value === "boolean" };
export const object: OptionCheck = { expected: "an object", accepts: isObject };

/** Values by name. Of an object with a class, what it has beside its fields would be lost: a map, a date and an error are none. */
export const fields: OptionCheck = {
  expected: "an object of fields, for example { done: true }",
  accepts: (value) => isObject(value) && !isPromise(value) && (isPlain(value) || Object.keys(value).length > 0),
};

/** A count: 1, 2, … */
export const count: OptionCheck = {
  expected: "a whole number from 1",
  accepts: (value) => Number.isInteger(value) && isAtLeast(value, 1),
};

/** The same, or no limit. */
export const countOrInfinity: OptionCheck = {
  expected: "a whole number from 1, or Infinity",
  accepts: (value) => value === Number.POSITIVE_INFINITY || count.accepts(value),
};

export const wholeNumber: OptionCheck = {
  expected: "a whole number from 0",
  accepts: (value) => Number.isInteger(value) && isAtLeast(value, 0),
};
export const amount: OptionCheck = { expected: "a number from 0", accepts: (value) => isAtLeast(value, 0) };
export const fraction: OptionCheck = {
  expected: "a number from 0 to 1",
  accepts: (value) => isAtLeast(value, 0) && isAtLeast(1, value),
};

/** A pause, possibly 0. */
export const milliseconds: OptionCheck = {
  expected: "a number of milliseconds from 0",
  accepts: (value) => isAtLeast(value, 0),
  advise: inMilliseconds,
};

/** A time limit, above 0. */
export const timeLimit: OptionCheck = {
  expected: "a number of milliseconds above 0",
  accepts: (value) => isAtLeast(value, 0) && value !== 0,
  advise: inMilliseconds,
};

/** A schema that follows Standard Schema, such as those of zod, valibot and arktype. */
export const schema: OptionCheck = {
  expected: "a schema, for example one of zod 4",
  accepts: (value) => (isObject(value) || typeof value === "function") && "~standard" in value,
};

/** An object with these methods. */
export function having(methods: readonly string[], expected: string): OptionCheck {
  return {
    expected,
    // The cast is true: every object has properties.
    accepts: (value) =>
      isObject(value) && methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function"),
  };
}

/** A saver of this room, or a custom one. */
export const saver: OptionCheck = having(["open", "read", "list"], "a saver, for example new MemorySaver()");

/** A node, however it was made. Its own problems are reported for its place in the graph. */
export const node: OptionCheck = having(["execute"], "a node");

/** One of these texts. `others` maps the terms of other programs to them. */
export function oneOf(known: readonly string[], others: Readonly<Record<string, string>> = {}): OptionCheck {
  const shown = known.map((value) => JSON.stringify(value));
  return {
    expected: [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter((part) => part !== "").join(" or "),
    accepts: (value) => typeof value === "string" && known.includes(value),
    advise(value) {
      const given = typeof value === "string" ? value : "";
      const meant = (Object.hasOwn(others, given) ? others[given] : undefined) ?? nearestName(given, known);
      return meant === undefined ? undefined : `did you mean "${meant}"?`;
    },
  };
}

/** The strategies of a fork. */
export const strategy: OptionCheck = oneOf(["all", "race", "any", "settled"], { first: "race", allSettled: "settled" });

/** A value that passes either check. */
export function either(first: OptionCheck, second: OptionCheck): OptionCheck {
  return {
    expected: `${first.expected} or ${second.expected}`,
    accepts: (value) => first.accepts(value) || second.accepts(value),
    advise: (value) => first.advise?.(value) ?? second.advise?.(value),
    inside: (value, path) => (first.accepts(value) ? first : second).inside?.(value, path) ?? [],
  };
}

/** A text, or a function that makes it. */
export const textOrFunction: OptionCheck = either(text, aFunction);

/** A check with hints for other names of its values. */
export function described(check: OptionCheck, expected: string): OptionCheck {
  return { ...check, expected };
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an object has no class. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isAtLeast(value: unknown, least: unknown): boolean {
  return typeof value === "number" && typeof least === "number" && value >= least;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };

/** Suggests the number of milliseconds for a text like `5s`. */
function inMilliseconds(value: unknown): string | undefined {
  const [, digits, unit = "ms"] = (typeof value === "string" && /^(\d+(?:\.\d+)?) ?([a-z]+)?$/.exec(value)) || [];
  const factor = UNIT_MS[unit];
  return digits === undefined || factor === undefined ? undefined : `write ${Number(digits) * factor}`;
}
