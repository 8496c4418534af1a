import { AtomicError } from "../../contracts/index.ts";
import { ignoreRejection, isPromise } from "../errors/promise-returned-error.ts";
import { type AnyOptionTable, findOptionProblems, type OptionAdvice } from "./find-option-problems.ts";
import { isObject } from "./option-checks.ts";
import { showValue } from "./show-value.ts";

/** How to check the options of a method. */
export interface CallOptions {
  readonly table: AnyOptionTable;
  readonly advice?: OptionAdvice;
}

/** The valid options of a method, and the problems of the others in whole sentences. */
export function checkOptions<Config extends object>(
  method: string,
  config: Config,
  { table, advice = {} }: CallOptions,
): { readonly config: Config; readonly problems: readonly string[] } {
  if (!isObject(config)) {
    const given: unknown = config;
    const problems = [`${method}() was given ${showValue(given)} instead of an object with its options`];
    // The cast is true: no option of a method is required.
    return { config: {} as Config, problems };
  }
  const found = findOptionProblems(table, config, { advice });
  if (found.length === 0) return { config, problems: [] };
  const wrong = new Set(found.map(({ name }) => name));
  // The cast is true as above.
  const kept = Object.fromEntries(Object.entries(config).filter(([name]) => !wrong.has(name))) as Config;
  return { config: kept, problems: found.map(({ text }) => `${method}() ${text}`) };
}

/** The problem with the number of arguments of a call, if there is one. */
export function checkArguments(
  method: string,
  given: readonly unknown[],
  { atMost, remedy }: { readonly atMost: number; readonly remedy: string },
): string | undefined {
  if (given.length <= atMost) return undefined;
  const last = showValue(given[atMost]);
  const takes = atMost === 0 ? "takes no argument" : "takes one argument";
  return `${method}() ${takes} and was given ${last}${atMost === 0 ? "" : " besides"}; ${remedy}`;
}

/** A method was called with invalid options. */
export class InvalidOptionsError extends AtomicError {
  constructor(
    /** The method that was called. */
    readonly method: string,
    /** All problems, in whole sentences. */
    readonly problems: readonly string[],
  ) {
    const list = problems.map((problem) => `  - ${problem}`).join("\n");
    super("OPTIONS_INVALID", `${method}() was called with options that cannot be right:\n${list}\nCorrect the call.`);
  }
}

/** @throws InvalidOptionsError */
export function assertOptions(method: string, config: object, about: CallOptions): void {
  const { problems } = checkOptions(method, config, about);
  if (problems.length > 0) throw new InvalidOptionsError(method, problems);
}

/** @throws InvalidOptionsError when the first argument of a method is not an object with fields */
export function assertInput(method: string, input: unknown): void {
  if (isPromise(input)) {
    ignoreRejection(input);
    throw new InvalidOptionsError(method, [
      `${method}() was given a promise instead of an object with fields; await it`,
    ]);
  }
  if (isObject(input)) return;
  throw new InvalidOptionsError(method, [`${method}() was given ${showValue(input)} instead of an object with fields`]);
}

/** @throws InvalidOptionsError when the first argument of a method is no id of a run */
export function assertRunId(method: string, runId: unknown): void {
  if (typeof runId === "string") return;
  throw new InvalidOptionsError(method, [
    `${method}() was given ${showValue(runId)} instead of the id of a run, such as result.runId`,
  ]);
}
