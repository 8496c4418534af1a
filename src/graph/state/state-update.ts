import { UnknownStateFieldError } from "../errors/errors.ts";
import { type BaseState, Reducers } from "./annotation.ts";
import { isStorable } from "./codec.ts";
import { ownDefault, ownedDate, ownResult, ownValue } from "./owned-value.ts";
import { SESSIONS_FIELD, type StateRules } from "./state-rules.ts";
import type { SizeLimit } from "./value-size.ts";

/** A state as the engine handles it: fields by name. */
export type StateRecord = BaseState & Readonly<Record<string, unknown>>;

/** The fields a node changes. */
export type StateChange = Readonly<Record<string, unknown>>;

/** Fields only the engine writes. */
export const ENGINE_FIELDS: ReadonlySet<string> = new Set(["executionId", "lastUpdated"]);

/**
 * What a run begins with, as its journal keeps it: the input, and what the author's functions give as first values, which
 * could be something else the next time (E14). One that no journal can keep is made anew instead.
 *
 * @param limit how large an input may be that a node has made
 * @throws UnknownStateFieldError, UnserializableValueError, ValueTooLargeError
 */
export function takeInput(rules: StateRules, input: StateChange, limit?: SizeLimit): StateChange {
  assertKnownFields(rules, input);
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(rules.fields)) {
    if (typeof field.default !== "function" || name in input) continue;
    const value = ownDefault(field.default());
    if (isStorable(value)) made[name] = value;
  }
  return { ...made, ...ownValue(input, ["input"], limit) };
}

/**
 * The state before the first node: defaults, then the input put over them field by field (no reducer is applied).
 *
 * @param input what {@link takeInput} gave, perhaps for another version of the schema
 */
export function createInitialState(rules: StateRules, input: StateChange, runId: string, now: number): StateRecord {
  const state = { outputs: {}, ...input, executionId: runId, lastUpdated: ownedDate(now) };
  return fillDefaults(rules, state);
}

/** A state with the first values of those declared fields that it lacks. */
export function fillDefaults(rules: StateRules, state: StateRecord): StateRecord {
  const defaults: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(rules.fields)) {
    if (name in state) continue;
    defaults[name] = ownDefault(typeof field.default === "function" ? field.default() : field.default);
  }
  return ownResult({ ...defaults, ...state });
}

/** A new state with the change applied through the reducers; the old one is untouched. */
export function applyChange(rules: StateRules, state: StateRecord, change: StateChange, now: number): StateRecord {
  const next: Record<string, unknown> & BaseState = { ...state, lastUpdated: ownedDate(now) };
  for (const name in change) {
    if (ENGINE_FIELDS.has(name)) continue;
    const reducer = rules.reducers.get(name);
    next[name] = ownResult(reducer === undefined ? change[name] : reducer(next[name], change[name]));
  }
  return Object.freeze(next);
}

/**
 * What of a change is worth keeping: the engine's own fields and values that already are the field's value are left
 * out, so that a node may return a whole state and still write only what changed.
 *
 * @throws UnknownStateFieldError
 */
export function pruneChange(rules: StateRules, state: StateRecord, change: StateChange): StateChange | undefined {
  assertKnownFields(rules, change);
  let kept: Record<string, unknown> | undefined;
  for (const name in change) {
    if (ENGINE_FIELDS.has(name)) continue;
    const reducer = rules.reducers.get(name);
    const isIdempotent = reducer === undefined || reducer === Reducers.merge;
    if (isIdempotent && Object.is(state[name], change[name]) && name in state) continue;
    kept ??= {};
    kept[name] = change[name];
  }
  return kept;
}

/** @throws UnknownStateFieldError */
export function assertKnownFields(rules: StateRules, change: StateChange): void {
  if (rules.isOpen) return;
  for (const name in change) {
    if (rules.reducers.has(name) || ENGINE_FIELDS.has(name)) continue;
    throw new UnknownStateFieldError(name, authorFields(rules));
  }
}

/** The fields that an author's code may set, for the error that names them. */
export function authorFields({ reducers }: StateRules): readonly string[] {
  return [...reducers.keys()].filter((field) => field !== SESSIONS_FIELD);
}
