import { ownedDate, ownResult } from "../state/owned-value.ts";
import { reduceAll } from "../state/reduce-all.ts";
import { applyChange, type StateChange, type StateRecord } from "../state/state-update.ts";
import { isJoinedByChanges, noteChange, type Thread } from "./records/run-state.ts";

/** A change of a run's state that no node made. `set` applies first, then `update`. */
export interface OutsideChange {
  /** Applied through the reducers. */
  readonly update?: StateChange | undefined;
  /** Replaces values and bypasses the reducers. */
  readonly set?: StateChange | undefined;
}

/**
 * Changes the state of a thread and of its open branches, as if the branches had started from the changed state: a branch
 * keeps what it added through a reducer and sees what its join will produce (E2). Fields without a reducer take the new
 * value, whatever a branch wrote to them. Subgraphs keep their own state.
 *
 * @throws UnfitUpdateError when a reducer rejects the new value as the base of a branch's updates
 */
export function changeThread(thread: Thread, { set = {}, update = {} }: OutsideChange, now: number): void {
  pinItems(thread);
  thread.state = applyChange(thread.code.rules, ownResult({ ...thread.state, ...set }), update, { now });
  rebaseBranches(thread, Object.keys({ ...set, ...update }), now);
  for (const fields of [set, update]) noteChange(thread, fields);
}

/**
 * The items of a map are fixed when it starts (E14): before the state changes from outside, a map over one of its fields
 * gets its own copy of the list.
 */
export function pinItems({ fork, state }: Thread): void {
  if (fork === undefined) return;
  if (fork.items !== undefined && "itemsOf" in fork.items) {
    const items = state[fork.items.itemsOf];
    if (Array.isArray(items)) fork.items = { items };
  }
  for (const child of fork.children) pinItems(child);
}

/** Sets these fields of the branches to the thread's values and applies the branches' own updates to them again. */
function rebaseBranches(thread: Thread, fields: readonly string[], now: number): void {
  for (const child of thread.fork?.children ?? []) {
    if (!isJoinedByChanges(child)) continue;
    const state: Record<string, unknown> = { ...child.state, lastUpdated: ownedDate(now) };
    for (const field of fields) {
      child.changes.replaced.delete(field);
      state[field] = ownResult(withOwnUpdates(child, field, thread.state[field]));
    }
    // The cast is true: the fields are those of the branch's state, all of which it still has.
    child.state = Object.freeze(state) as StateRecord;
    rebaseBranches(child, fields, now);
  }
}

/** A value of the thread around a branch, and what the branch added to it. @throws UnfitUpdateError */
function withOwnUpdates({ code: { rules }, changes }: Thread, field: string, value: unknown): unknown {
  const updates = changes.reduced.filter(([name]) => name === field).map(([, update]) => update);
  const reducer = rules.reducers.get(field);
  if (reducer === undefined || updates.length === 0) return value;
  return reduceAll({ name: field, reducer }, value, updates);
}
