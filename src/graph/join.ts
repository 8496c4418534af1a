import { isDeepStrictEqual } from "node:util";
import { ConcurrentUpdateError } from "./errors.ts";
import { type Fork, noteChange, type RunState, type Thread } from "./run-state.ts";
import { applyChange, pruneChange, type StateChange, type StateRecord, type StateRules } from "./state-update.ts";

/**
 * Brings ended branches back into the thread that forked (E2): in declaration order, through the reducers, or with the
 * fork's own `merge`. The thread is left untouched when this throws.
 *
 * @throws ConcurrentUpdateError
 */
export function joinBranches(run: RunState, thread: Thread, fork: Fork, ended: readonly Thread[], now: number): void {
  const { merge, strategy, id } = fork.instruction;
  const ownChanges: StateChange[] = [];
  let state = merge === undefined ? mergeByReducers(run.rules, thread, fork, ended) : thread.state;
  if (merge !== undefined) {
    const results = new Map(ended.map((child) => [child.branchName, child.state]));
    const change = pruneChange(run.rules, thread.state, merge(results, thread.state));
    if (change !== undefined) ownChanges.push(change);
  }
  if (strategy === "settled") ownChanges.push({ outputs: { [id]: describeOutcomes(fork) } });
  for (const change of ownChanges) state = applyChange(run.rules, state, change, now);
  // Nothing throws any more.
  thread.state = { ...state, lastUpdated: new Date(now) };
  if (merge === undefined) for (const child of ended) passOnChanges(child, thread);
  for (const change of ownChanges) noteChange(run.rules, thread, change);
}

function mergeByReducers(rules: StateRules, thread: Thread, fork: Fork, ended: readonly Thread[]): StateRecord {
  const replaced = new Map<string, Thread>();
  const next: Record<string, unknown> & StateRecord = { ...thread.state };
  for (const child of ended) {
    for (const field of child.changes.replaced) {
      const earlier = replaced.get(field);
      if (earlier !== undefined && !isDeepStrictEqual(earlier.state[field], child.state[field])) {
        throw new ConcurrentUpdateError(field, [earlier.branchName, child.branchName], fork.instruction.id);
      }
      replaced.set(field, child);
      next[field] = child.state[field];
    }
    for (const [field, update] of child.changes.reduced) {
      const reducer = rules.reducers.get(field);
      next[field] = reducer === undefined ? update : reducer(next[field], update);
    }
  }
  return next;
}

/** A branch's changes become those of the branch around it; the run's own thread keeps none. */
function passOnChanges(child: Thread, thread: Thread): void {
  if (thread.parent === undefined) return;
  for (const field of child.changes.replaced) thread.changes.replaced.add(field);
  for (const change of child.changes.reduced) thread.changes.reduced.push(change);
}

function describeOutcomes(fork: Fork): readonly StateChange[] {
  return fork.children.map(({ branchName }) => {
    const failure = fork.failures.get(branchName);
    if (failure === undefined) return { branch: branchName, status: "completed" };
    return { branch: branchName, status: "failed", error: { code: failure.code, message: failure.message } };
  });
}
