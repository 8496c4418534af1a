import { createHash } from "node:crypto";
import { type Reducer, Reducers } from "./annotation.ts";
import { encodeValue, isStorable } from "./codec.ts";
import type { StateRules } from "./state-rules.ts";
import type { StateChange } from "./state-update.ts";

/** What decides the value of a field when a journal is read again (E14). */
interface DeclaredField {
  /** The built-in reducer's name, or `custom`; absent for a field that updates replace. */
  readonly reducer?: string;
  /** A hash of the constant that the run started with; absent when the journal has the value itself. */
  readonly default?: string;
}

/** The declared fields of a state by name, as a journal keeps them. */
export type DeclaredFields = Readonly<Record<string, DeclaredField>>;

/** Describes the fields of a state. @param stored initial values that the journal has */
export function describeFields({ fields }: StateRules, stored: StateChange = {}): DeclaredFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { reducer, default: initial }]) => {
      const hash = name in stored ? undefined : hashOf(initial);
      return [
        name,
        {
          ...(reducer === undefined ? {} : { reducer: nameOf(reducer) }),
          ...(hash === undefined ? {} : { default: hash }),
        },
      ];
    }),
  );
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
      ...(before.default === undefined || before.default === hashOf(field.default)
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

function hashOf(initial: unknown): string | undefined {
  const value: unknown = typeof initial === "function" ? initial() : initial;
  return isStorable(value) ? createHash("sha256").update(encodeValue(value)).digest("hex").slice(0, 8) : undefined;
}
