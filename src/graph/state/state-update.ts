import { messageOf, noRedaction, type Redactor, redactFields } from "../../contracts/index.ts";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import { type BaseState, Reducers } from "./annotation.ts";
import { isStorable } from "./codec.ts";
import { ownDefault, ownedDate, ownResult, ownValue } from "./owned-value.ts";
import { reduceOne } from "./reduce-all.ts";
import { SESSIONS_FIELD, type StateRules } from "./state-rules.ts";
import type { SizeLimit } from "./value-size.ts";

/** A state as the engine sees it: fields by name. */
export type StateRecord = BaseState & Readonly<Record<string, unknown>>;

/** The fields that a node changes. */
export type StateChange = Readonly<Record<string, unknown>>;

/** When and where a change is made. */
interface ChangeOrigin {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The step that makes it, for errors. */
  readonly nodeId?: string;
}

/** Fields that only the engine writes. */
export const ENGINE_FIELDS: ReadonlySet<string> = new Set(["executionId", "lastUpdated"]);

interface TakeInputOptions {
  /** The maximum size of an input that a node made. */
  readonly limit?: SizeLimit;
  /** Takes secrets out of the input and the initial values. @default nothing is redacted */
  readonly redactor?: Redactor;
}

/**
 * The input of a run as its journal keeps it: the input, and the initial values that the author's functions return, which
 * could differ the next time (E14). Values that a journal cannot keep are left out and made again by replay.
 *
 * @throws UnknownStateFieldError, UnserializableValueError, ValueTooLargeError
 */
export function takeInput(
  rules: StateRules,
  input: StateChange,
  { limit, redactor = noRedaction }: TakeInputOptions = {},
): StateChange {
  assertKnownFields(rules, input);
  const made: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(rules.fields)) {
    if (name in input) continue;
    const given = typeof field.default === "function" ? field.default() : field.default;
    const kept = redactor.value(given);
    // A constant is the same the next time, unless a secret was taken out of it.
    if (typeof field.default !== "function" && kept === given) continue;
    const value = ownDefault(kept);
    if (isStorable(value)) made[name] = value;
  }
  return { ...made, ...ownValue(redactFields(input, redactor), ["input"], limit) };
}

/**
 * The state before the first node: the defaults, overridden field by field by the input. No reducer is applied.
 *
 * @param input the result of {@link takeInput}, perhaps for another version of the schema
 */
export function createInitialState(rules: StateRules, input: StateChange, runId: string, now: number): StateRecord {
  const state = { outputs: {}, ...input, executionId: runId, lastUpdated: ownedDate(now) };
  return fillDefaults(rules, state);
}

/** The function of a field's initial value threw. */
export class FailedDefaultError extends Error {
  constructor(
    readonly field: string,
    cause: unknown,
  ) {
    super(`The default of "${field}" threw: ${messageOf(cause)}`, { cause });
  }
}

/** Adds the defaults of the declared fields that a state lacks. @throws FailedDefaultError */
export function fillDefaults(rules: StateRules, state: StateRecord): StateRecord {
  const defaults: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(rules.fields)) {
    if (name in state) continue;
    defaults[name] = ownDefault(initialValue(name, field.default));
  }
  return ownResult({ ...defaults, ...state });
}

function initialValue(field: string, initial: unknown): unknown {
  if (typeof initial !== "function") return initial;
  try {
    return initial();
  } catch (error) {
    throw new FailedDefaultError(field, error);
  }
}

/** Applies a change through the reducers. Returns a new state and leaves the old one unchanged. */
export function applyChange(
  rules: StateRules,
  state: StateRecord,
  change: StateChange,
  { now, nodeId }: ChangeOrigin,
): StateRecord {
  const next: Record<string, unknown> & BaseState = { ...state, lastUpdated: ownedDate(now) };
  for (const name in change) {
    if (ENGINE_FIELDS.has(name)) continue;
    const reducer = rules.reducers.get(name);
    const update = change[name];
    next[name] = ownResult(reducer === undefined ? update : reduceOne({ name, reducer, nodeId }, next[name], update));
  }
  return Object.freeze(next);
}

/** Applies an update and discards the result. @throws as `applyChange` */
export function assertFits(rules: StateRules, state: StateRecord, update: StateChange): void {
  applyChange(rules, state, update, { now: 0 });
}

/**
 * Removes from a change the engine's own fields and the values that the state has already, so a node may return a whole
 * state and still write only what changed.
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

/** The fields that authors may set, for error messages. */
export function authorFields({ reducers }: StateRules): readonly string[] {
  return [...reducers.keys()].filter((field) => field !== SESSIONS_FIELD);
}
