import { AtomicError, messageOf } from "../../contracts/index.ts";
import { UnknownStateFieldError } from "../errors/update-errors.ts";
import type { GraphConfig, MigrateState } from "../model/graph-config.ts";
import { describeFields } from "../state/declared-fields.ts";
import { isEqualValue } from "../state/is-equal-value.ts";
import { ownValue } from "../state/owned-value.ts";
import {
  authorFields,
  ENGINE_FIELDS,
  fillDefaults,
  type StateChange,
  type StateRecord,
} from "../state/state-update.ts";
import { pinItems } from "./change-thread.ts";
import type { RunState, Thread } from "./records/run-state.ts";

/** A run's state has another version than the workflow and cannot be migrated. */
export class StateVersionError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly fromVersion: number,
    readonly toVersion: number,
    problem: string,
    options?: { readonly cause?: unknown },
  ) {
    super(
      "STATE_VERSION",
      `The state of the run "${runId}" has version ${fromVersion}, the workflow declares ${toVersion}: ${problem}`,
      options,
    );
  }
}

/**
 * Migrates a restored run to the workflow's version of the state; true when the state changed. Open branches have states
 * of their own, which are migrated too. Updates that wait for the branches' join, of fields with reducers, keep their
 * shape.
 *
 * @throws StateVersionError
 */
export function migrateRun(
  run: RunState,
  { stateVersion: to, migrateState }: Pick<GraphConfig, "stateVersion" | "migrateState">,
): boolean {
  const from = run.stateVersion;
  if (to === undefined || to === from) return false;
  const fail = (problem: string, cause?: unknown): never => {
    throw new StateVersionError(run.runId, from, to, problem, cause === undefined ? undefined : { cause });
  };
  if (to < from) return fail("it was written by a newer workflow. Run it with that one.");
  if (migrateState === undefined) {
    return fail("a migration is missing. Export migrateState(fromVersion, state), which returns the state of today.");
  }
  // A map's items may be in a field that is about to change.
  pinItems(run.main);
  try {
    migrateThread(run, run.main, migrateState);
  } catch (error) {
    const reason = messageOf(error).replace(/\.$/, "");
    return fail(`migrateState failed: ${reason}. Correct it and resume the run again.`, error);
  }
  run.stateVersion = to;
  // Every field has a value now, which the next record contains.
  run.fields = describeFields(run.code.rules, { stored: run.main.state });
  return true;
}

function migrateThread(run: RunState, thread: Thread, migrateState: MigrateState): void {
  thread.state = migrate(run, thread, migrateState);
  for (const child of thread.fork?.children ?? []) {
    // A subgraph has its own state and version.
    if (child.code !== thread.code) continue;
    migrateThread(run, child, migrateState);
    renameChanges(child, thread.state);
  }
}

/** Renames a branch's pending changes to the fields of the new version: one old field may have become several. */
function renameChanges({ code: { rules }, state, changes }: Thread, stateAtFork: StateRecord): void {
  const hasReducer = (field: string): boolean => rules.reducers.get(field) !== undefined;
  const isGone = (field: string): boolean => !rules.isOpen && !rules.reducers.has(field);
  for (const field of changes.replaced) if (isGone(field)) changes.replaced.delete(field);
  for (const field of Object.keys(state)) {
    if (ENGINE_FIELDS.has(field) || hasReducer(field)) continue;
    if (!isEqualValue(state[field], stateAtFork[field])) changes.replaced.add(field);
  }
  const kept = changes.reduced.filter(([field]) => !isGone(field));
  changes.reduced.splice(0, changes.reduced.length, ...kept);
}

function migrate(run: RunState, { code, state }: Thread, migrateState: MigrateState): StateRecord {
  const { rules } = code;
  const migrated: unknown = migrateState(run.stateVersion, state);
  if (migrated instanceof Promise) throw new TypeError("It returned a promise; it must return the state itself.");
  if (typeof migrated !== "object" || migrated === null) throw new TypeError("It did not return a state.");
  const fields: Record<string, unknown> = {};
  // What it returns enters the run as the result of a node does. The cast is true: names and values are checked.
  for (const [name, value] of Object.entries(ownValue(run.redactFields(migrated as StateChange)))) {
    if (rules.isOpen || rules.reducers.has(name)) fields[name] = value;
    else if (!(name in state)) throw new UnknownStateFieldError(name, authorFields(rules));
  }
  const { executionId, lastUpdated, outputs, agentSessions } = state;
  const kept = agentSessions === undefined ? { outputs } : { outputs, agentSessions };
  return fillDefaults(rules, { ...kept, ...fields, executionId, lastUpdated });
}
