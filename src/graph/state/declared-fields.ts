import { createHash } from "node:crypto";
import { noRedaction, type Redactor } from "../../contracts/index.ts";
import { given } from "../errors/given.ts";
import { type Reducer, Reducers } from "./annotation.ts";
import { encodeValue, isStorable } from "./codec.ts";
import { ownDefault } from "./owned-value.ts";
import type { StateRules } from "./state-rules.ts";
import type { StateChange } from "./state-update.ts";

/** What decides the value of a field when a journal is read again (E14). */
interface DeclaredField {
  /** The built-in reducer's name, or `custom`; absent for a field that updates replace. */
  readonly reducer?: string;
  /** The constant that the run started with, which can be another one when the graph is built again, such as a time. */
  readonly initial?: unknown;
  /** A hash of a constant that is longer than {@link MAX_INITIAL_LENGTH}. */
  readonly default?: string;
}

/** The longest constant that the first record contains, in characters of its encoding. */
const MAX_INITIAL_LENGTH = 1_000;

/** The declared fields of a state by name, as a journal keeps them. */
export type DeclaredFields = Readonly<Record<string, DeclaredField>>;

/** Settings of {@link describeFields}. */
interface DescribeFieldsOptions {
  /** Initial values that the journal has elsewhere. @default none */
  readonly stored?: StateChange;
  /** Constants with secrets are not kept. @default nothing is a secret */
  readonly redactor?: Redactor | undefined;
}

/** Describes the fields of a state. */
export function describeFields(
  { fields }: StateRules,
  { stored = {}, redactor = noRedaction }: DescribeFieldsOptions,
): DeclaredFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { reducer, default: initial }]) => {
      const isSecret = redactor.value(initial) !== initial;
      const kept = name in stored || isSecret ? {} : keep(initial);
      return [name, { ...given({ reducer: nameOf(reducer) }), ...kept }];
    }),
  );
}

function keep(initial: unknown): Pick<DeclaredField, "initial" | "default"> {
  // What a function makes is in the input, if a journal can keep it.
  if (typeof initial === "function" || !isStorable(initial)) return {};
  return encodeValue(initial).length <= MAX_INITIAL_LENGTH
    ? { initial: ownDefault(initial) }
    : { default: hashOf(initial) };
}

/** The rules with the initial values that a journal has of the fields, also of those that are gone. */
export function withInitials(rules: StateRules, recorded: DeclaredFields = {}): StateRules {
  const kept = Object.entries(recorded).flatMap(([name, field]) =>
    "initial" in field ? [[name, { ...rules.fields[name], default: field.initial }] as const] : [],
  );
  return kept.length === 0 ? rules : { ...rules, fields: { ...rules.fields, ...Object.fromEntries(kept) } };
}

/** Lists how fields that a run has differ from those of today. New fields are no difference. */
export function compareFields(recorded: DeclaredFields, { fields }: StateRules): readonly string[] {
  return Object.entries(recorded).flatMap(([name, before]) => {
    const field = fields[name];
    if (field === undefined) return [`the field "${name}" is gone`];
    const reducer = nameOf(field.reducer);
    return [
      ...(reducer === before.reducer
        ? []
        : [`the reducer of "${name}" was ${showReducer(before.reducer)} and is ${showReducer(reducer)}`]),
      ...(before.default === undefined || (isStorable(field.default) && before.default === hashOf(field.default))
        ? []
        : [`the default of "${name}" is another one`]),
    ];
  });
}

const CUSTOM = "custom";

/** Undefined for the reducer that does what none does. */
function nameOf(reducer: Reducer<unknown> | undefined): string | undefined {
  if (reducer === undefined || reducer === Reducers.replace) return undefined;
  return Object.entries(Reducers).find(([, known]) => known === reducer)?.[0] ?? CUSTOM;
}

function showReducer(name: string | undefined): string {
  if (name === undefined) return "none";
  return name === CUSTOM ? "a function" : `Reducers.${name}`;
}

function hashOf(initial: unknown): string {
  return createHash("sha256").update(encodeValue(initial)).digest("hex").slice(0, 8);
}
