import type { SubgraphFork } from "../compile/program.ts";
import { ConcurrentUpdateError } from "../errors/update-errors.ts";
import { isEqualValue } from "../state/is-equal-value.ts";
import { ownedDate, ownResult, ownValue } from "../state/owned-value.ts";
import { reduceAll } from "../state/reduce-all.ts";
import type { StateRules } from "../state/state-rules.ts";
import { applyChange, pruneChange, type StateChange, type StateRecord } from "../state/state-update.ts";
import { ValueTooLargeError } from "../state/value-size.ts";
import { takeFields, takeUpdate } from "./assert-result.ts";
import { errorInfoOf } from "./records/failure.ts";
import { type Fork, isJoinedByChanges, noteChange, placeOf, type RunState, type Thread } from "./records/run-state.ts";

/** Branches that have ended, and where they join. */
export interface EndedBranches {
  readonly thread: Thread;
  readonly fork: Fork;
  readonly ended: readonly Thread[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Merges ended branches into the thread that forked (E2): in declaration order, through the reducers, or with the fork's
 * own `merge`. Leaves the thread unchanged when it throws.
 *
 * @returns the update of a subgraph's node
 * @throws ConcurrentUpdateError, InvalidResultError, UnfitUpdateError, ValueTooLargeError
 */
export function joinBranches(run: RunState, branches: EndedBranches): StateChange | undefined {
  const { thread, fork, ended, now } = branches;
  const { merge, id } = fork.instruction;
  const ownChanges: StateChange[] = [];
  const isMerged = merge === undefined && fork.instruction.op !== "subgraph";
  let state = isMerged ? mergeByReducers(thread.code.rules, thread, fork, ended) : thread.state;
  const collected = collectOutputs(fork, merge === undefined);
  // Applied before the result of `merge`: an author who writes to the same field means it.
  if (collected !== undefined) ownChanges.push({ outputs: { [id]: collected } });
  const update = fork.instruction.op === "subgraph" ? finishSubgraph(run, fork.instruction, branches) : undefined;
  if (update !== undefined) ownChanges.push(update);
  if (merge !== undefined) {
    const results = new Map(ended.map((child) => [child.branchName, child.state]));
    const failures = new Map([...fork.failures].map(([name, failure]) => [name, errorInfoOf(failure)]));
    const merged = merge(results, thread.state, failures, placeOf(thread));
    const change = ownResult(pruneChange(thread.code.rules, thread.state, takeFields(id, merged, "merge")));
    if (change !== undefined) ownChanges.push(change);
  }
  for (const change of ownChanges) state = applyChange(thread.code.rules, state, change, { now, nodeId: id });
  // Nothing below throws.
  thread.state = Object.freeze({ ...state, lastUpdated: ownedDate(now) });
  if (isMerged) for (const child of ended) passOnChanges(child, fork, thread);
  for (const change of ownChanges) noteChange(thread, change);
  return update;
}

/** The update that a node makes of its subgraph's final state. @throws ValueTooLargeError */
function finishSubgraph(
  run: RunState,
  { node, taskId }: SubgraphFork,
  { thread, ended }: EndedBranches,
): StateChange | undefined {
  const subState = ended[0]?.state;
  if (subState === undefined || node.subgraph === undefined) return undefined;
  const update = takeUpdate(node.id, node.subgraph.finish(subState, thread.state, placeOf(thread)), "outputMapper");
  const change = pruneChange(thread.code.rules, thread.state, update ?? {});
  if (run.replayedOversized !== undefined) {
    const rejected = run.replayedOversized.find(({ task }) => task === taskId);
    if (rejected === undefined) return ownValue(change);
    throw new ValueTooLargeError(node.id, rejected.field, rejected.bytes, rejected.maxBytes);
  }
  try {
    return ownValue(change, [], { nodeId: node.id, maxBytes: run.maxUpdateBytes });
  } catch (error) {
    if (error instanceof ValueTooLargeError) {
      const { field, bytes, maxBytes } = error;
      run.oversized.push({ task: taskId, field, bytes, maxBytes });
    }
    throw error;
  }
}

function mergeByReducers(rules: StateRules, thread: Thread, fork: Fork, ended: readonly Thread[]): StateRecord {
  const replaced = new Map<string, Thread>();
  const reduced = new Map<string, unknown[]>();
  const next: Record<string, unknown> & StateRecord = { ...thread.state };
  for (const child of ended) {
    for (const field of child.changes.replaced) {
      const earlier = replaced.get(field);
      if (earlier !== undefined && !isEqualValue(earlier.state[field], child.state[field])) {
        throw new ConcurrentUpdateError(field, [earlier.branchName, child.branchName], fork.instruction.id);
      }
      replaced.set(field, child);
      next[field] = child.state[field];
    }
    for (const [field, update] of child.changes.reduced) {
      if (field === "outputs" && fork.instruction.op === "map") continue;
      const updates = reduced.get(field);
      if (updates === undefined) reduced.set(field, [update]);
      else updates.push(update);
    }
  }
  for (const [field, updates] of reduced) {
    const reducer = rules.reducers.get(field);
    const { id: nodeId } = fork.instruction;
    next[field] =
      reducer === undefined
        ? updates.at(-1)
        : ownResult(reduceAll({ name: field, reducer, nodeId }, next[field], updates));
  }
  return next;
}

/** Adds a branch's changes to those of the branch around it; no other thread keeps changes. */
function passOnChanges(child: Thread, fork: Fork, thread: Thread): void {
  if (!isJoinedByChanges(thread)) return;
  const isMap = fork.instruction.op === "map";
  for (const field of child.changes.replaced) thread.changes.replaced.add(field);
  for (const change of child.changes.reduced)
    if (!isMap || change[0] !== "outputs") thread.changes.reduced.push(change);
}

/**
 * The value that a fork adds to `outputs` under its own id: for `settled`, how each branch ended; for a map, the list of
 * the branches' outputs, because all branches have the same nodes and would overwrite each other's names.
 */
function collectOutputs(fork: Fork, isMergedByReducers: boolean): readonly unknown[] | undefined {
  const { instruction } = fork;
  // Branches that were dropped because a node ended the graph are not listed.
  const children = fork.children.filter(({ isLive }) => !isLive);
  const isSettled = instruction.strategy === "settled";
  if (instruction.op !== "map") return isSettled ? children.map((child) => describeOutcome(child, fork)) : undefined;
  const bodyNodeId = isMergedByReducers ? instruction.bodyNodeId : undefined;
  const outputs = children.map((child) => outputsOf(child, bodyNodeId));
  if (isSettled) {
    return children.map((child, index) => {
      const outcome = describeOutcome(child, fork);
      return outputs[index] === undefined || fork.failures.has(child.branchName)
        ? outcome
        : { ...outcome, output: outputs[index] };
    });
  }
  // An empty list is there for the steps after it, as any other one is.
  const isStored = fork.children.length === 0 || outputs.some((output) => output !== undefined);
  return isMergedByReducers && isStored ? outputs : undefined;
}

/** What a branch added to `outputs`: the value of its only node, or else everything by name. */
function outputsOf(child: Thread, bodyNodeId: string | undefined): unknown {
  let added: Readonly<Record<string, unknown>> | undefined;
  for (const [field, update] of child.changes.reduced) {
    // The cast is true: `outputs` is an object, and so are its updates.
    if (field === "outputs") added = { ...added, ...(update as Readonly<Record<string, unknown>>) };
  }
  return added !== undefined && bodyNodeId !== undefined && bodyNodeId in added ? added[bodyNodeId] : added;
}

function describeOutcome({ branchName }: Thread, fork: Fork): StateChange {
  const failure = fork.failures.get(branchName);
  if (failure === undefined) return { branch: branchName, status: "completed" };
  return { branch: branchName, status: "failed", error: { code: failure.code, message: failure.message } };
}
