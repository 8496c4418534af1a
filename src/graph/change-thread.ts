import { ownResult } from "./owned-value.ts";
import { isJoinedByChanges, noteChange, type Thread } from "./run-state.ts";
import { applyChange, type StateChange } from "./state-update.ts";

/** A change of a run's state that no node made. */
export interface OutsideChange {
  /** Combined with the state by the fields' reducers. */
  readonly update?: StateChange | undefined;
  /** Takes the place of the fields' values, before that. */
  readonly set?: StateChange | undefined;
}

/**
 * Changes the state of a thread and of the branches within it, as if they had begun with it; of a field without a reducer
 * this value holds, whatever a branch has made of it. Subgraphs have states of their own, and keep them.
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
  const { set, update = {} } = change;
  const { rules } = thread.code;
  const state = set === undefined ? thread.state : ownResult({ ...thread.state, ...set });
  thread.state = applyChange(rules, state, update, now);
  for (const child of thread.fork?.children ?? []) {
    if (!isJoinedByChanges(child)) continue;
    for (const field of Object.keys({ ...set, ...update })) child.changes.replaced.delete(field);
    changeStates(child, change, now);
  }
}
