import { ownResult } from "../state/owned-value.ts";
import { reduceAll } from "../state/reduce-all.ts";
import { applyChange, type StateChange } from "../state/state-update.ts";
import { UnfitUpdateError } from "../state/unfit-update-error.ts";
import { isJoinedByChanges, noteChange, type Thread } from "./run-state.ts";

/** A change of a run's state that no node made. */
export interface OutsideChange {
  /** Combined with the state by the fields' reducers. */
  readonly update?: StateChange | undefined;
  /** Takes the place of the fields' values, before that. */
  readonly set?: StateChange | undefined;
}

/**
 * Changes the state of a thread and of the branches within it, as if they had begun with it: what a branch has added to a
 * field with a reducer, and brings to its join (E2), stays. Of a field without one this value holds, whatever a branch has
 * made of it. Subgraphs have states of their own, and keep them.
 */
export function changeThread(thread: Thread, change: OutsideChange, now: number): void {
  pinItems(thread);
  changeStates(thread, change, now);
  for (const fields of [change.set, change.update]) if (fields !== undefined) noteChange(thread, fields);
}

/**
 * What a map is over was decided when it began (E14): before the state is changed from outside, a list that is one of
 * its fields becomes the map's own.
 */
export function pinItems({ fork, state }: Thread): void {
  if (fork === undefined) return;
  if (fork.items !== undefined && "itemsOf" in fork.items) {
    const items = state[fork.items.itemsOf];
    if (Array.isArray(items)) fork.items = { items };
  }
  for (const child of fork.children) pinItems(child);
}

function changeStates(thread: Thread, change: OutsideChange, now: number): void {
  const { set = {}, update = {} } = change;
  thread.state = applyChange(thread.code.rules, ownResult({ ...thread.state, ...set }), update, now);
  for (const child of thread.fork?.children ?? []) {
    if (!isJoinedByChanges(child)) continue;
    for (const field of Object.keys({ ...set, ...update })) child.changes.replaced.delete(field);
    changeStates(child, { set: addOwnUpdates(child, set), update }, now);
  }
}

/** The values, and what a branch has added to them. @throws UnfitUpdateError */
function addOwnUpdates({ code: { rules }, changes }: Thread, values: StateChange): StateChange {
  const added: Record<string, unknown> = { ...values };
  for (const field of Object.keys(values)) {
    const updates = changes.reduced.filter(([name]) => name === field).map(([, update]) => update);
    const reducer = rules.reducers.get(field);
    if (reducer === undefined || updates.length === 0) continue;
    try {
      added[field] = reduceAll(reducer, values[field], updates);
    } catch (error) {
      throw new UnfitUpdateError(field, error);
    }
  }
  return added;
}
