import { AtomicError, messageOf } from "../../contracts/index.ts";
import { ignoreRejection, isPromise } from "../errors/promise-returned-error.ts";
import { isAboutFrozenValue } from "../errors/state-mutation-error.ts";
import { UnfitUpdateError } from "../errors/unfit-update-error.ts";
import { showValue } from "../options/show-value.ts";
import { type Reducer, Reducers } from "./annotation.ts";
import { assertInput, ReducerInputError } from "./reducer-input.ts";

/** A field whose updates are combined. */
export interface ReducedField {
  readonly name: string;
  readonly reducer: Reducer<unknown>;
  /** The step that the updates are from, if they are from one. */
  readonly nodeId?: string | undefined;
}

/**
 * Combines a value with an update.
 *
 * @throws UnfitUpdateError when the reducer throws, returns a promise, or returns nothing; what it throws, if that is one of
 * Atomic's errors, or about a change in place
 */
export function reduceOne(field: ReducedField, current: unknown, update: unknown): unknown {
  let value: unknown;
  try {
    value = field.reducer(current, update);
  } catch (thrown) {
    throw rejectionOf(field, update, thrown);
  }
  if (isPromise(value)) {
    ignoreRejection(value);
    throw wrongReturn(field, update, "a promise");
  }
  // A reducer may clear its field for an update that says so.
  if (value === undefined && current !== undefined && update !== undefined && update !== null) {
    throw wrongReturn(field, update, "undefined");
  }
  return value;
}

/**
 * Combines a value with several updates, in order. The built-in reducers run in a single pass, so the accumulated value is
 * not copied for each update.
 *
 * @throws as {@link reduceOne}
 */
export function reduceAll(field: ReducedField, current: unknown, updates: readonly unknown[]): unknown {
  const { reducer } = field;
  if (reducer === Reducers.concat) {
    assertAll(field, current, updates);
    const list: unknown[] = [];
    // The cast is true: this was just checked.
    for (const part of [current, ...updates] as readonly (readonly unknown[])[])
      for (const item of part) list.push(item);
    return list;
  }
  if (reducer === Reducers.merge) {
    assertAll(field, current, updates);
    // The cast is true as above.
    const parts = [current, ...updates] as readonly (object | undefined)[];
    // Not Object.assign(), which treats the name "__proto__" specially.
    return Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
  }
  return updates.reduce((value, update) => reduceOne(field, value, update), current);
}

/** The checks of `concat` and `merge`. */
function assertAll(field: ReducedField, current: unknown, updates: readonly unknown[]): void {
  const isList = field.reducer === Reducers.concat;
  for (const update of updates) {
    try {
      assertInput(isList ? "concat" : "merge", isList ? "list" : "fields", current, update);
    } catch (thrown) {
      throw rejectionOf(field, update, thrown);
    }
  }
}

function rejectionOf({ name, nodeId }: ReducedField, update: unknown, thrown: unknown): unknown {
  if (thrown instanceof AtomicError || (thrown instanceof Error && isAboutFrozenValue(thrown))) return thrown;
  const message = messageOf(thrown);
  const problem =
    thrown instanceof ReducerInputError ? message : `its reducer was given ${showValue(update)}, and threw: ${message}`;
  return new UnfitUpdateError(name, problem, { nodeId, cause: thrown });
}

function wrongReturn({ name, nodeId }: ReducedField, update: unknown, returned: string): UnfitUpdateError {
  const problem = `its reducer was given ${showValue(update)}, and returned ${returned}`;
  return new UnfitUpdateError(name, problem, { nodeId, remedy: "A reducer returns the new value, at once." });
}
