import type { BaseState, StateFields, StateOf, StateSchema } from "./annotation.ts";
import { ownValue } from "./owned-value.ts";
import { createRunId } from "./run-id.ts";
import { createStateRules } from "./state-rules.ts";
import { applyChange, createInitialState, pruneChange, type StateChange, takeInput } from "./state-update.ts";

/**
 * The initial state of a run of a graph with this schema: defaults, overridden by the input. For tests of nodes and
 * conditions; a run creates its own.
 *
 * ```ts
 * const state = initializeState(State, { topic: "locks" });
 * ```
 *
 * @throws UnknownStateFieldError, UnserializableValueError
 */
export function initializeState<Fields extends StateFields>(
  schema: StateSchema<Fields>,
  input: Partial<StateOf<StateSchema<Fields>>> = {},
): StateOf<StateSchema<Fields>> {
  const rules = createStateRules(schema);
  // The casts are true: the fields of the input and of the state are those of the schema.
  const taken = takeInput(rules, { ...input } as StateChange);
  const { executionId = createRunId() } = input as Partial<BaseState>;
  return createInitialState(rules, taken, executionId, Date.now()) as StateOf<StateSchema<Fields>>;
}

/**
 * A new state with an update applied by the schema's reducers, as after a node that returned it. Leaves `current` unchanged.
 *
 * @throws UnknownStateFieldError, UnserializableValueError, UnfitUpdateError
 */
export function applyStateUpdate<Fields extends StateFields>(
  schema: StateSchema<Fields>,
  current: StateOf<StateSchema<Fields>>,
  update: Partial<StateOf<StateSchema<Fields>>>,
): StateOf<StateSchema<Fields>> {
  const rules = createStateRules(schema);
  // The casts are true as above.
  const change = pruneChange(rules, current, update as StateChange) ?? {};
  return applyChange(rules, current, ownValue(change, ["update"]), { now: Date.now() }) as StateOf<StateSchema<Fields>>;
}
