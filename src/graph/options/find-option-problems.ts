import { nearestName } from "../../contracts/index.ts";
import { isObject, type OptionCheck, type RequiredOption } from "./option-checks.ts";
import { showValue } from "./show-value.ts";

type NamesOf<Config> = Config extends unknown ? keyof Config : never;

/**
 * What each option of a config may be. It has every name of the config's type, and says of each whether it is required, so
 * that it cannot drift from the type.
 */
export type OptionTable<Config> = {
  readonly [Name in NamesOf<Config>]-?: Partial<Pick<Config, Name & keyof Config>> extends Pick<
    Config,
    Name & keyof Config
  >
    ? OptionCheck
    : RequiredOption;
};

/** A table, whatever config it is about. */
export type AnyOptionTable = Readonly<Record<string, OptionCheck | RequiredOption>>;

/** Names that people may expect from elsewhere: what to do instead, and which option they mean, if any. */
export type OptionAdvice = Readonly<Record<string, readonly [advice: string, meant?: string]>>;

/** How a config is looked at. */
export interface FindOptions {
  /** What leads to the config, for example `retry.`. @default "" */
  readonly path?: string;
  readonly advice?: OptionAdvice;
  /** Whether it may have names of its own: only those that are nearly a known one are problems then. @default false */
  readonly isOpen?: boolean;
}

/** Something that is wrong with a config. */
export interface OptionProblem {
  /** The option that is wrong, unknown or missing. */
  readonly name: string;
  /** The rest of a sentence about whatever the config belongs to. */
  readonly text: string;
}

/** What is wrong with a config: unknown options, wrong values, and what is missing. `undefined` counts as not given. */
export function findOptionProblems(
  table: AnyOptionTable,
  config: object,
  options: FindOptions = {},
): readonly OptionProblem[] {
  const { path = "" } = options;
  const problems: OptionProblem[] = [];
  // What was probably meant is not missing besides.
  const meant = new Set<string>();
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(table, name) ? table[name] : undefined;
    if (check === undefined) {
      const unknown = describeUnknown(name, table, options);
      if (unknown.meant !== undefined) meant.add(unknown.meant);
      if (unknown.text !== undefined) problems.push({ name, text: unknown.text });
    } else problems.push(...valueProblems(check, value, path + name).map((text) => ({ name, text })));
  }
  for (const [name, check] of Object.entries(table)) {
    // The cast is true: every object can be asked for a property, which it may have from its class.
    const isGiven = (config as Readonly<Record<string, unknown>>)[name] !== undefined;
    if (isGiven || !("isRequired" in check) || meant.has(name)) continue;
    problems.push({ name, text: `has no ${path}${name}; ${check.remedy}` });
  }
  return problems;
}

function describeUnknown(
  name: string,
  table: AnyOptionTable,
  { path = "", advice = {}, isOpen = false }: FindOptions,
): { readonly text?: string | undefined; readonly meant?: string | undefined } {
  const known = Object.keys(table);
  const nearest = nearestName(name, known);
  const start = `has an unknown option "${path}${name}"`;
  const [told, meant] = (Object.hasOwn(advice, name) ? advice[name] : undefined) ?? [];
  if (told !== undefined) return { text: `${start}; ${told}`, meant };
  if (nearest !== undefined) return { text: `${start}; did you mean "${path}${nearest}"?`, meant: nearest };
  return isOpen ? {} : { text: `${start}; its options: ${known.join(", ")}` };
}

/** What is wrong with the value of an option. */
function valueProblems(check: OptionCheck, value: unknown, path: string): readonly string[] {
  if (check.accepts(value)) return check.inside?.(value, path) ?? [];
  const advice = check.advise?.(value);
  return [`has ${path} ${showValue(value)}; it must be ${check.expected}${advice === undefined ? "" : `; ${advice}`}`];
}

/** An object with options of its own. */
export function shape(table: AnyOptionTable, options: FindOptions & { readonly expected?: string } = {}): OptionCheck {
  return {
    expected: options.expected ?? "an object",
    accepts: isObject,
    // The cast is true: only what is accepted is looked into.
    inside: (value, path) =>
      findOptionProblems(table, value as object, { ...options, path: `${path}.` }).map(({ text }) => text),
  };
}

/** A list of things that all pass a check. */
export function listOf(item: OptionCheck, expected: string, { min = 0 } = {}): OptionCheck {
  return {
    expected,
    accepts: (value) => Array.isArray(value) && value.length >= min,
    // The cast is true: only what is accepted is looked into.
    inside: (value, path) =>
      [...(value as readonly unknown[])].flatMap((each, index) => valueProblems(item, each, `${path}[${index}]`)),
  };
}
