import { nearestName } from "../../contracts/index.ts";

/** What an option may be. */
export interface OptionCheck {
  /** What is right, as it stands behind "it must be". */
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** What else helps with a value that is not accepted. */
  advise?(value: unknown): string | undefined;
  /** What is wrong inside of a value that is accepted, each as the rest of a sentence; `path` leads to the value. */
  inside?(value: unknown, path: string): readonly string[];
}

/** An option that has to be there. */
export interface RequiredOption extends OptionCheck {
  readonly isRequired: true;
  /** What to do when it is missing. */
  readonly remedy: string;
}

/** Makes an option one that has to be there. */
export function required(check: OptionCheck, remedy = `give it ${check.expected}`): RequiredOption {
  return { ...check, isRequired: true, remedy };
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

/** How often or how many: 1, 2, … */
export const count: OptionCheck = {
  expected: "a whole number from 1",
  accepts: (value) => Number.isInteger(value) && isAtLeast(value, 1),
};

/** The same, where there need be no bound. */
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

/** A pause, which may be none. */
export const milliseconds: OptionCheck = {
  expected: "a number of milliseconds from 0",
  accepts: (value) => isAtLeast(value, 0),
  advise: inMilliseconds,
};

/** A limit, which has to leave some time. */
export const timeLimit: OptionCheck = {
  expected: "a number of milliseconds above 0",
  accepts: (value) => isAtLeast(value, 0) && value !== 0,
  advise: inMilliseconds,
};

/** Something that knows how to check values; zod, valibot and arktype schemas do. */
export const schema: OptionCheck = {
  expected: "a schema, for example one of zod 4",
  accepts: (value) => (isObject(value) || typeof value === "function") && "~standard" in value,
};

/** An object with these methods. */
export function having(methods: readonly string[], expected: string): OptionCheck {
  return {
    expected,
    // The cast is true: every object can be asked for a property.
    accepts: (value) =>
      isObject(value) && methods.every((name) => typeof (value as Record<string, unknown>)[name] === "function"),
  };
}

/** A saver of this room, or somebody's own. */
export const saver: OptionCheck = having(["open", "read", "list"], "a saver, for example new MemorySaver()");

/** A node, however it was made: what is wrong with it is said where it stands in the graph. */
export const node: OptionCheck = having(["execute"], "a node");

/** One of these texts; `others` are those of other programs, and what to write here. */
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

/** What passes one of two checks. */
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

/** A check whose values people may call otherwise. */
export function described(check: OptionCheck, expected: string): OptionCheck {
  return { ...check, expected };
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAtLeast(value: unknown, least: unknown): boolean {
  return typeof value === "number" && typeof least === "number" && value >= least;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 };

/** The number that somebody meant by a text like `5s`. */
function inMilliseconds(value: unknown): string | undefined {
  const [, digits, unit = "ms"] = (typeof value === "string" && /^(\d+(?:\.\d+)?) ?([a-z]+)?$/.exec(value)) || [];
  const factor = UNIT_MS[unit];
  return digits === undefined || factor === undefined ? undefined : `write ${Number(digits) * factor}`;
}
