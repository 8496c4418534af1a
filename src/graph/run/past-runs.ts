import { recordGraph } from "../compile/compare-graphs.ts";
import { migrateRun } from "../decide/migrate-state.ts";
import { checkAnswer } from "../decide/open-questions.ts";
import type { JournalRecord } from "../decide/records/journal-record.ts";
import type { RunState, Thread } from "../decide/records/run-state.ts";
import { RunFinishedError, UnknownRunError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import { StateChangedError } from "../errors/state-changed-error.ts";
import { compactEntries, findBeginning } from "../journal/compact-run.ts";
import {
  beginJournal,
  encodeFork,
  entriesUntil,
  listCheckpoints,
  type RunCheckpoint,
  threadAt,
} from "../journal/history.ts";
import { JournalWriter } from "../journal/journal-writer.ts";
import { describeLoss, findLostRecords, readUnreportedLosses } from "../journal/lost-records.ts";
import { type RestoredRun, restoreRun, withWorkflows } from "../journal/restore-run.ts";
import { encodeSnapshot } from "../journal/snapshot.ts";
import type { Checkpointer, JournalEntry } from "../model/checkpointer.ts";
import { withDefaultServices } from "../model/default-services.ts";
import { mergeSettings } from "../model/merge-settings.ts";
import { compareFields } from "../state/declared-fields.ts";
import { createRunId } from "../state/run-id.ts";
import type { StateChange, StateRecord } from "../state/state-update.ts";
import { checkCommands } from "../steering/steering.ts";
import type {
  Answers,
  ForkPoint,
  HistoryOptions,
  PreparedFork,
  ResumeOptions,
  RunOptions,
  RunResult,
} from "./run-options.ts";
import { executeSession } from "./run-session.ts";
import { createFirstRecord, type RunnableGraph, withJournal } from "./start-run.ts";

// The methods of `CompiledGraph` for runs that have a journal.

/** A run of a graph. */
export interface RunReference {
  readonly graph: RunnableGraph;
  readonly runId: string;
}

/** Implements `CompiledGraph.resume`. */
export async function resumeRun(
  { graph, runId }: RunReference,
  answers: Answers,
  { commands = [], ...options }: ResumeOptions,
): Promise<RunResult> {
  const settings = mergeSettings(graph.config, options);
  const { checkpointer, snapshotMinLength, clock, now = clock?.now ?? Date.now } = settings;
  if (checkpointer === undefined) throw new UnknownRunError(runId, { hasSaver: false });
  return await withJournal(await checkpointer.open(runId, "resume"), async (journal) => {
    // Has to come before the first write, after which the loss can no longer be detected.
    const loss = await findLostRecords(checkpointer, runId);
    const entries = await journal.load();
    const restored = await restorePastRun({ graph, runId }, entries, settings);
    const { run, lastRecord, position, differences } = restored;
    if (lastRecord?.type === "end" && lastRecord.status === "completed") throw new RunFinishedError(runId);
    const valid = await validateAnswers(run, answers);
    checkCommands(run, { commands, answered: valid.map(([requestId]) => requestId) });
    const writer = new JournalWriter(journal, runId, { ...position, snapshotMinLength });
    const { count: lost } = loss ?? {};
    const first = { ...createResumedRecord(graph, restored, now()), ...given({ lost }) };
    const { mailbox } = checkpointer;
    // Only a journal that is reduced to a snapshot needs its first record again.
    const beginning = settings.history === "latest" ? await findBeginning(checkpointer, runId, entries) : undefined;
    const losses = [
      ...(await readUnreportedLosses(checkpointer, runId, entries)),
      ...(loss === undefined ? [] : [loss]),
    ];
    const warnings = losses.map((lostRecords) => describeLoss(runId, lostRecords));
    const session = { run, writer, mailbox, first, beginning, differences, warnings, answers: valid, commands };
    return await executeSession({ ...session, options: settings });
  });
}

/** The first record of a process that resumes a run. */
export function createResumedRecord(
  { code }: RunnableGraph,
  { run, differences, isMigrated, lastEnd }: PastRun,
  at: number,
): Extract<JournalRecord, { type: "resumed" }> {
  const graph = differences.length === 0 ? undefined : recordGraph(code.program);
  const snapshot = isMigrated ? encodeSnapshot(run) : undefined;
  // A limit is no failure of a node.
  const hasFailed = lastEnd?.status === "failed" && lastEnd.error?.bound === undefined ? true : undefined;
  return { type: "resumed", at, ...given({ graph, snapshot, hasFailed, continued: findContinued(run, lastEnd) }) };
}

/** A suspension ends no code that works: what was in progress and made calls waited for them. */
function findContinued({ tasks }: RunState, lastEnd: PastRun["lastEnd"]): readonly string[] | undefined {
  if (lastEnd?.status !== "suspended") return undefined;
  const unbegun = new Set(lastEnd.unbegun);
  const continued = [...tasks.values()].filter(
    ({ id, thread: { fork }, retryAt = lastEnd.at }) =>
      fork?.instruction.op === "calls" && retryAt <= lastEnd.at && !unbegun.has(id),
  );
  return continued.length === 0 ? undefined : continued.map(({ id }) => id);
}

/** Implements `CompiledGraph.compact`. */
export async function compactRun(reference: RunReference, options: HistoryOptions): Promise<void> {
  const checkpointer = saverOf(reference, options);
  const { runId } = reference;
  const journal = await checkpointer.open(runId, "resume");
  try {
    // Has to come before the first write, after which the loss can no longer be detected.
    const loss = await findLostRecords(checkpointer, runId);
    const entries = await journal.load();
    const { run, lastEnd } = await restorePastRun(reference, entries, options);
    const beginning = await findBeginning(checkpointer, runId, entries);
    const losses = [
      ...(await readUnreportedLosses(checkpointer, runId, entries)),
      ...(loss === undefined ? [] : [loss]),
    ];
    await journal.replace(compactEntries(run, beginning, { lastEnd, losses }));
  } finally {
    await journal.close();
  }
}

/** Implements `CompiledGraph.history`. */
export async function readHistory(reference: RunReference, options: HistoryOptions): Promise<readonly RunCheckpoint[]> {
  return listCheckpoints(await readEntries(reference, options));
}

/** Implements `CompiledGraph.stateAt`. */
export async function readStateAt(
  reference: RunReference,
  sequence: number,
  options: HistoryOptions,
): Promise<StateRecord> {
  const { run, lastRecord } = await restorePast(reference, sequence, options);
  return threadAt(run, lastRecord).state;
}

/** Implements `CompiledGraph.latestState`. */
export async function readLatestState(reference: RunReference, options: HistoryOptions): Promise<StateRecord> {
  const { run } = await restorePastRun(reference, await readEntries(reference, options), options);
  return run.main.state;
}

/** Implements `CompiledGraph.fork`. */
export async function forkRun(reference: RunReference, from: ForkPoint, options: RunOptions): Promise<RunResult> {
  const { runId = createRunId(), ...resumeOptions } = options;
  await prepareFork(reference, from, { ...options, runId });
  return await resumeRun({ graph: reference.graph, runId }, {}, resumeOptions);
}

/** Implements `CompiledGraph.prepareFork`. */
export async function prepareFork(
  reference: RunReference,
  from: ForkPoint,
  options: RunOptions & { readonly runId: string },
): Promise<PreparedFork> {
  const { graph, runId } = reference;
  const { clock, now = clock?.now ?? Date.now, runId: newRunId } = options;
  const { run: past, lastRecord: moment } = await restorePast(reference, from.at, options);
  const at = now();
  // The cast is true: a partial state is a record of fields; encodeFork checks their names.
  const update = (from.update ?? {}) as StateChange;
  const { replaceText } = from;
  const snapshot = encodeFork(past, { runId: newRunId, update, moment, now: at, ...given({ replaceText }) });
  const settings = mergeSettings(graph.config, options);
  const record = {
    ...createFirstRecord(graph.code, { runId: newRunId, input: {}, at, settings, redactor: past.redactor }),
    forkedFrom: { runId, sequence: from.at },
    snapshot,
  };
  await beginJournal(saverOf(reference, options), record);
  return { states: statesOf(past.main) };
}

function statesOf({ state, fork }: Thread): readonly StateRecord[] {
  return [state, ...(fork?.children ?? []).flatMap(statesOf)];
}

/** Implements `CompiledGraph.checkAnswers`. */
export async function checkAnswers(reference: RunReference, answers: Answers, options: HistoryOptions): Promise<void> {
  const { run } = await restorePastRun(reference, await readEntries(reference, options), options);
  await validateAnswers(run, answers);
}

async function restorePast(reference: RunReference, sequence: number, options: HistoryOptions): Promise<RestoredRun> {
  const entries = await readEntries(reference, options);
  return await restorePastRun(reference, entriesUntil(reference.runId, entries, sequence), options);
}

/** A run restored from its journal, with its state migrated to the current version. */
export interface PastRun extends RestoredRun {
  /** Whether the journal has the state of an older version: the next record has to contain the migrated one. */
  readonly isMigrated: boolean;
}

/** Reads a run. @throws GraphChangedError, StateChangedError, StateVersionError, JournalCorruptError */
export async function restorePastRun(
  { graph: { code, config }, runId }: RunReference,
  entries: readonly JournalEntry[],
  options: HistoryOptions,
): Promise<PastRun> {
  const services = withDefaultServices(options.services);
  const restored = await withWorkflows(services, (known) => restoreRun(runId, entries, code, known));
  const { run } = restored;
  const settings = mergeSettings(config, options);
  run.maxUpdateBytes = settings.maxUpdateBytes ?? run.maxUpdateBytes;
  run.redactor = services.redactor ?? run.redactor;
  const isMigrated = migrateRun(run, settings);
  const differences = isMigrated || run.fields === undefined ? [] : compareFields(run.fields, code.rules);
  if (differences.length > 0) throw new StateChangedError(runId, differences);
  return { ...restored, isMigrated };
}

async function readEntries(reference: RunReference, options: HistoryOptions): Promise<readonly JournalEntry[]> {
  return await saverOf(reference, options).read(reference.runId);
}

/** Where the journal of a run is. @throws UnknownRunError */
export function saverOf({ graph, runId }: RunReference, options: HistoryOptions): Checkpointer {
  const checkpointer = options.checkpointer ?? graph.config.checkpointer;
  if (checkpointer === undefined) throw new UnknownRunError(runId, { hasSaver: false });
  return checkpointer;
}

/** Validates answers and returns them as the journal stores them. @throws UnknownRequestError, InvalidAnswerError */
export async function validateAnswers(
  run: RunState,
  answers: Answers,
): Promise<readonly (readonly [requestId: string, value: unknown])[]> {
  const valid: [string, unknown][] = [];
  for (const [name, answer] of Object.entries(answers)) valid.push([...(await checkAnswer(run, name, answer))]);
  return valid;
}
