import { nearestName } from "../../contracts/index.ts";
import { isPromise } from "../errors/promise-returned-error.ts";
import { isObject, type OptionCheck, type RequiredOption } from "./option-checks.ts";
import { showValue } from "./show-value.ts";

type NamesOf<Config> = Config extends unknown ? keyof Config : never;

/**
 * The check of each option of a config. The type makes it list every option of the config's type, and whether each is
 * required, so the two cannot drift apart.
 */
export type OptionTable<Config> = {
  readonly [Name in NamesOf<Config>]-?: Partial<Pick<Config, Name & keyof Config>> extends Pick<
    Config,
    Name & keyof Config
  >
    ? OptionCheck
    : RequiredOption;
};

/** A table for any config. */
export type AnyOptionTable = Readonly<Record<string, OptionCheck | RequiredOption>>;

/** Names that people may know from elsewhere: what to do instead, and which option they mean, if any. */
export type OptionAdvice = Readonly<Record<string, readonly [advice: string, meant?: string]>>;

/** How to check a config. */
export interface FindOptions {
  /** The path of the config, for example `retry.`. @default "" */
  readonly path?: string;
  readonly advice?: OptionAdvice;
  /** Whether unknown names are allowed. Only misspellings of known ones are problems then. @default false */
  readonly isOpen?: boolean;
  /** Options of another form of the config, which the list of options includes. @default none */
  readonly others?: readonly string[];
}

/** A problem of a config. */
export interface OptionProblem {
  /** The invalid, unknown or missing option. */
  readonly name: string;
  /** The rest of a sentence that starts with the owner of the config. */
  readonly text: string;
}

/** Finds unknown options, invalid values and missing options. `undefined` counts as missing. */
export function findOptionProblems(
  table: AnyOptionTable,
  config: object,
  options: FindOptions = {},
): readonly OptionProblem[] {
  const { path = "" } = options;
  const problems: OptionProblem[] = [];
  // An option that was probably misspelled is not also reported as missing.
  const meant = new Set<string>();
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(table, name) ? table[name] : undefined;
    if (check === undefined) {
      const unknown = describeUnknown(name, table, options);
      if (unknown.meant !== undefined) meant.add(unknown.meant);
      if (unknown.text !== undefined) problems.push({ name, text: unknown.text });
    } else problems.push(...findValueProblems(check, value, path + name).map((text) => ({ name, text })));
  }
  // The cast is true: every object has properties, perhaps from its class.
  const isGiven = (name: string): boolean => (config as Readonly<Record<string, unknown>>)[name] !== undefined;
  for (const [name, check] of Object.entries(table)) {
    const { insteadOf: other } = check;
    if (other !== undefined && isGiven(name) && isGiven(other)) {
      problems.push({ name, text: `has both ${path}${other} and ${path}${name}; give it one of them` });
    }
    if (isGiven(name) || !("isRequired" in check) || meant.has(name)) continue;
    problems.push({ name, text: `has no ${path}${name}; ${check.remedy}` });
  }
  return problems;
}

function describeUnknown(
  name: string,
  table: AnyOptionTable,
  { path = "", advice = {}, isOpen = false, others = [] }: FindOptions,
): { readonly text?: string | undefined; readonly meant?: string | undefined } {
  const known = Object.keys(table);
  const nearest = nearestName(name, known);
  const start = `has an unknown option "${path}${name}"`;
  const [told, meant] = (Object.hasOwn(advice, name) ? advice[name] : undefined) ?? [];
  if (told !== undefined) return { text: `${start}; ${told}`, meant };
  if (nearest !== undefined) return { text: `${start}; did you mean "${path}${nearest}"?`, meant: nearest };
  return isOpen ? {} : { text: `${start}; its options: ${[...known, ...others].join(", ")}` };
}

/** The problems of an option's value, each as the rest of a sentence. */
export function findValueProblems(check: OptionCheck, value: unknown, path: string): readonly string[] {
  if (check.accepts(value)) return check.inside?.(value, path) ?? [];
  const advice = isPromise(value) ? "await it" : check.advise?.(value);
  return [`has ${path} ${showValue(value)}; it must be ${check.expected}${advice === undefined ? "" : `; ${advice}`}`];
}

/** An object with options of its own. */
export function shape(table: AnyOptionTable, options: FindOptions & { readonly expected?: string } = {}): OptionCheck {
  return {
    expected: options.expected ?? "an object",
    accepts: (value) => isObject(value) && !isPromise(value),
    // The cast is true: only what is accepted is looked into.
    inside: (value, path) =>
      findOptionProblems(table, value as object, { ...options, path: `${path}.` }).map(({ text }) => text),
  };
}

/** A list whose items all pass a check. */
export function listOf(item: OptionCheck, expected: string, { min = 0 } = {}): OptionCheck {
  return {
    expected,
    accepts: (value) => Array.isArray(value) && value.length >= min,
    // The cast is true: only what is accepted is looked into.
    inside: (value, path) =>
      [...(value as readonly unknown[])].flatMap((each, index) => findValueProblems(item, each, `${path}[${index}]`)),
  };
}
