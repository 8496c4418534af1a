import { createHash } from "node:crypto";
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

/** Describes the fields of a state. @param stored initial values that the journal has elsewhere */
export function describeFields({ fields }: StateRules, stored: StateChange = {}): DeclaredFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { reducer, default: initial }]) => [
      name,
      { ...(reducer === undefined ? {} : { reducer: nameOf(reducer) }), ...(name in stored ? {} : keep(initial)) },
    ]),
  );
}

function keep(initial: unknown): Pick<DeclaredField, "initial" | "default"> {
  // What a function makes is in the input, if a journal can keep it.
  if (typeof initial === "function" || !isStorable(initial)) return {};
  return encodeValue(initial).length <= MAX_INITIAL_LENGTH
    ? { initial: ownDefault(initial) }
    : { default: hashOf(initial) };
}

/** The initial values that the journal has of a state's fields. */
export function initialsOf(fields: DeclaredFields = {}): StateChange {
  const kept = Object.entries(fields).filter(([, field]) => "initial" in field);
  return Object.fromEntries(kept.map(([name, { initial }]) => [name, initial]));
}

/** Lists how fields that a run has differ from those of today. New fields are no difference. */
export function compareFields(recorded: DeclaredFields, { fields }: StateRules): readonly string[] {
  return Object.entries(recorded).flatMap(([name, before]) => {
    const field = fields[name];
    if (field === undefined) return [`the field "${name}" is gone`];
    const reducer = field.reducer && nameOf(field.reducer);
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

function nameOf(reducer: Reducer<unknown>): string {
  return Object.entries(Reducers).find(([, known]) => known === reducer)?.[0] ?? CUSTOM;
}

function showReducer(name: string | undefined): string {
  if (name === undefined) return "none";
  return name === CUSTOM ? "a function" : `Reducers.${name}`;
}

function hashOf(initial: unknown): string {
  return createHash("sha256").update(encodeValue(initial)).digest("hex").slice(0, 8);
}
