import { AtomicError } from "../../contracts/index.ts";
import { applyRecord } from "../decide/apply-record.ts";
import type { JournalRecord } from "../decide/records/journal-record.ts";
import type { RunState } from "../decide/records/run-state.ts";
import { RunLockedError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import { JournalWriter } from "../journal/journal-writer.ts";
import { encodeSnapshot } from "../journal/snapshot.ts";
import type { RunJournal } from "../model/checkpointer.ts";
import { InvalidOptionsError } from "../options/check-call.ts";
import { ownValue } from "../state/owned-value.ts";
import {
  assertFits,
  assertKnownFields,
  ENGINE_FIELDS,
  type StateChange,
  type StateRecord,
} from "../state/state-update.ts";
import { type RunReference, restorePastRun, saverOf } from "./past-runs.ts";
import type { EditOptions, RunEdit } from "./run-options.ts";

/** The state of the run cannot be edited: a process executes the run, or it is completed. */
export class RunNotEditableError extends AtomicError {
  constructor(
    readonly runId: string,
    readonly status: "running" | "completed",
    options?: ErrorOptions,
  ) {
    const reason =
      status === "running"
        ? `is in progress. Pause it first, with control.pause() or: atomic runs pause ${runId}`
        : "is completed and stays as it is. Start a new run from a moment of it with fork().";
    super("RUN_NOT_EDITABLE", `The run "${runId}" ${reason}`, options);
  }
}

/** Implements `CompiledGraph.edit`. */
export async function editRun(reference: RunReference, edit: RunEdit, options: EditOptions): Promise<StateRecord> {
  const { now = Date.now } = options;
  const journal = await openIdle(reference, options);
  try {
    // Has to come before the first write, after which the loss can no longer be detected.
    const { count: lost } = (await saverOf(reference, options).findLoss?.(reference.runId)) ?? {};
    const entries = await journal.load();
    const { run, lastRecord, position, isMigrated } = await restorePastRun(reference, entries, options);
    if (lastRecord?.type === "end" && lastRecord.status === "completed") {
      throw new RunNotEditableError(reference.runId, "completed");
    }
    const change = checkEdit(run, edit);
    // The journal has the state in its old shape: the record needs the migrated one as well.
    const migrated = isMigrated ? { snapshot: encodeSnapshot(run) } : {};
    const record: JournalRecord = { type: "edit", at: now(), ...change, ...migrated, ...given({ lost }) };
    applyRecord(run, record);
    await new JournalWriter(journal, reference.runId, { ...position, snapshotMinLength: undefined }).append(record);
    await journal.showState?.(run.main.state);
    return run.main.state;
  } finally {
    await journal.close();
  }
}

/** @throws RunNotEditableError, UnknownRunError */
async function openIdle(reference: RunReference, options: EditOptions): Promise<RunJournal> {
  const { runId } = reference;
  try {
    return await saverOf(reference, options).open(runId, "resume");
  } catch (error) {
    if (error instanceof RunLockedError) throw new RunNotEditableError(runId, "running", { cause: error });
    throw error;
  }
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Validates an edit and returns it as the journal stores it.
 *
 * @throws InvalidOptionsError, UnknownStateFieldError, UnserializableValueError, UnfitUpdateError
 */
function checkEdit(run: RunState, edit: RunEdit): { readonly update?: StateChange; readonly set?: StateChange } {
  const { main } = run;
  const { rules } = main.code;
  // The casts are true: a partial state is a record of fields. Their names are checked below.
  const [update = {}, set = {}] = [edit.update as StateChange | undefined, edit.set as StateChange | undefined];
  const problems = Object.entries({ update, set }).flatMap(([option, fields]) =>
    Object.keys(fields)
      .filter((field) => ENGINE_FIELDS.has(field))
      .map((field) => `edit() has ${option}.${field}, which only Atomic writes`),
  );
  for (const [option, { outputs }] of Object.entries({ update, set })) {
    if (outputs !== undefined && !isRecord(outputs))
      problems.push(`edit() has ${option}.outputs, which must be an object with a field for each node`);
  }
  const fields = [...Object.keys(update), ...Object.keys(set)];
  if (fields.length === 0)
    problems.push("edit() has nothing to change; give it update or set, with at least one field");
  if (problems.length > 0) throw new InvalidOptionsError("edit", problems);
  assertKnownFields(rules, set);
  assertKnownFields(rules, update);
  // Fields that already have this value in the main thread are kept: a branch may have changed them.
  const own = (fields: StateChange, path: readonly string[]) =>
    Object.keys(fields).length === 0 ? undefined : ownValue(run.redactFields(fields), path);
  const change = given({ update: own(update, []), set: own(set, ["set"]) });
  assertFits(rules, { ...main.state, ...change.set }, change.update ?? {});
  return change;
}
