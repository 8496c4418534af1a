import { nearestName } from "../../contracts/index.ts";
import type { GraphProblem } from "../errors/graph-problems.ts";
import { isPromise } from "../errors/promise-returned-error.ts";
import { findOptionProblems, type OptionTable } from "../options/find-option-problems.ts";
import { aFunction, isObject, type OptionCheck } from "../options/option-checks.ts";
import { showValue } from "../options/show-value.ts";
import { type Annotation, Reducers } from "./annotation.ts";

const reducer: OptionCheck = {
  ...aFunction,
  advise(value) {
    const nearest = typeof value === "string" ? nearestName(value, Object.keys(Reducers)) : undefined;
    return nearest === undefined ? undefined : `write Reducers.${nearest}`;
  },
};

const ANNOTATION_OPTIONS: OptionTable<Partial<Annotation<unknown>>> = {
  default: { expected: "a value, or a function that returns it", accepts: (value) => !isPromise(value) },
  reducer,
};

/** Finds the problems of a graph's state schema. */
export function findStateProblems(schema: unknown): readonly GraphProblem[] {
  if (schema === undefined) return [];
  if (!isObject(schema) || !("fields" in schema) || !isObject(schema.fields)) {
    const text = `graph() was given ${showValue(schema)} instead of what defineState() returns`;
    return [{ text, origin: undefined }];
  }
  const origin = "origin" in schema && schema.origin instanceof Error ? schema.origin : undefined;
  return Object.entries(schema.fields).flatMap(([name, field]: [string, unknown]) =>
    describeField(field).map((problem) => ({ text: `the field "${name}" ${problem}`, origin })),
  );
}

function describeField(field: unknown): readonly string[] {
  if (!isObject(field) || !("default" in field)) return [`is ${showValue(field)}; declare it with annotation()`];
  if ("reducer" in field && field.reducer === Reducers.mergeById) {
    return [
      'has the reducer Reducers.mergeById without a field; write Reducers.mergeById("id"), or the field that identifies items',
    ];
  }
  const isMeantAsConfig = isObject(field.default) && isNearlyConfig(field.default);
  return [field, ...(isMeantAsConfig ? [field.default] : [])].flatMap((config) =>
    // The cast is true: both are objects.
    findOptionProblems(ANNOTATION_OPTIONS, config as object).map((problem) => problem.text),
  );
}

/** Whether `annotation({ default, reducr })` was meant as options, not as an initial value. */
function isNearlyConfig(value: object): boolean {
  const others = Object.keys(value).filter((name) => name !== "default");
  return "default" in value && others.length === 1 && nearestName(others[0] ?? "", ["reducer"]) !== undefined;
}
