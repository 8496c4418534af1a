import { fields, type OptionCheck, yesOrNo } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";

/** A built-in reducer was given a value of another type. */
export class ReducerInputError extends TypeError {}

/** What the built-in reducers combine. */
const KINDS = {
  number: { expected: "a number", accepts: (value) => typeof value === "number" },
  boolean: yesOrNo,
  list: { expected: "a list", accepts: Array.isArray },
  items: {
    expected: "a list of objects",
    accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null),
  },
  fields: { ...fields, expected: "an object of fields" },
} as const satisfies Readonly<Record<string, OptionCheck>>;

/**
 * Checks what a built-in reducer combines. Files that are run directly are not type-checked, and JavaScript would split a
 * text into a list of its characters, or append a text to a number.
 *
 * @throws ReducerInputError
 */
export function assertInput(reducer: string, kind: keyof typeof KINDS, current: unknown, update: unknown): void {
  const { accepts, expected } = KINDS[kind];
  if (!accepts(update)) {
    throw new ReducerInputError(`Reducers.${reducer} takes ${expected}, and was given ${showValue(update)}`);
  }
  // A field whose objects are merged may start without one.
  if (accepts(current) || (kind === "fields" && (current === undefined || current === null))) return;
  throw new ReducerInputError(
    `Reducers.${reducer} adds to ${expected}, and the field's value is ${showValue(current)}`,
  );
}
