import type { Checkpointer, JournalEntry } from "./checkpointer.ts";
import { compactEntries, findBeginning } from "./compact-run.ts";
import { recordGraph } from "./compare-graphs.ts";
import { withDefaultServices } from "./default-services.ts";
import { RunFinishedError, UnknownRunError } from "./errors.ts";
import { given } from "./given.ts";
import type { Answers, ForkPoint, HistoryOptions, ResumeOptions, RunOptions, RunResult } from "./graph-config.ts";
import { beginJournal, encodeFork, entriesUntil, listCheckpoints, type RunCheckpoint, threadAt } from "./history.ts";
import { JournalWriter } from "./journal-writer.ts";
import { describeLoss, findLostRecords, readUnreportedLosses } from "./lost-records.ts";
import { mergeSettings } from "./merge-settings.ts";
import { migrateRun } from "./migrate-state.ts";
import { checkAnswer } from "./open-questions.ts";
import { type RestoredRun, restoreRun, withWorkflows } from "./restore-run.ts";
import { createRunId } from "./run-id.ts";
import { executeSession } from "./run-session.ts";
import type { RunState } from "./run-state.ts";
import { encodeSnapshot } from "./snapshot.ts";
import { createFirstRecord, type RunnableGraph, withJournal } from "./start-run.ts";
import type { StateChange, StateRecord } from "./state-update.ts";
import { checkCommands } from "./steering/steering.ts";

// What `CompiledGraph` does about runs that have a journal. It imports this file when the first of these is called.

/** A run of a graph. */
export interface RunReference {
  readonly graph: RunnableGraph;
  readonly runId: string;
}

/** What `CompiledGraph.resume` does, and throws. */
export async function resumeRun(
  { graph, runId }: RunReference,
  answers: Answers,
  { commands = [], ...options }: ResumeOptions,
): Promise<RunResult> {
  const { code, config } = graph;
  const settings = mergeSettings(config, options);
  const { checkpointer, snapshotMinLength, now = Date.now } = settings;
  if (checkpointer === undefined) throw new UnknownRunError(runId);
  return await withJournal(await checkpointer.open(runId, "resume"), async (journal) => {
    // Before anything is written: from then on the journal is as long as it says.
    const loss = await findLostRecords(checkpointer, runId);
    const entries = await journal.load();
    const { run, lastRecord, position, differences, isMigrated } = await restore({ graph, runId }, entries, settings);
    if (lastRecord?.type === "end" && lastRecord.status === "completed") throw new RunFinishedError(runId);
    const valid = await validateAnswers(run, answers);
    checkCommands(run, { commands, answered: valid.map(([requestId]) => requestId) });
    const writer = new JournalWriter(journal, runId, { ...position, snapshotMinLength });
    const changed = differences.length === 0 ? {} : { graph: recordGraph(code.program) };
    const migrated = isMigrated ? { snapshot: encodeSnapshot(run) } : {};
    const { count: lost } = loss ?? {};
    const first = { type: "resumed", at: now(), ...changed, ...migrated, ...given({ lost }) } as const;
    const { mailbox } = checkpointer;
    // What a journal is reduced to needs to say; one that keeps the whole history says it already.
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

/** What `CompiledGraph.compact` does, and throws. */
export async function compactRun(reference: RunReference, options: HistoryOptions): Promise<void> {
  const checkpointer = saverOf(reference, options);
  const { runId } = reference;
  const journal = await checkpointer.open(runId, "resume");
  try {
    // Before anything is written: from then on the journal is as long as it says.
    const loss = await findLostRecords(checkpointer, runId);
    const entries = await journal.load();
    const { run, lastEnd } = await restore(reference, entries, options);
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

/** What `CompiledGraph.history` does, and throws. */
export async function readHistory(reference: RunReference, options: HistoryOptions): Promise<readonly RunCheckpoint[]> {
  return listCheckpoints(await readEntries(reference, options));
}

/** What `CompiledGraph.stateAt` does, and throws. */
export async function readStateAt(
  reference: RunReference,
  sequence: number,
  options: HistoryOptions,
): Promise<StateRecord> {
  const { run, lastRecord } = await restorePast(reference, sequence, options);
  return threadAt(run, lastRecord).state;
}

/** What `CompiledGraph.latestState` does, and throws. */
export async function readLatestState(reference: RunReference, options: HistoryOptions): Promise<StateRecord> {
  const { run } = await restore(reference, await readEntries(reference, options), options);
  return run.main.state;
}

/** What `CompiledGraph.fork` does, and throws. */
export async function forkRun(reference: RunReference, from: ForkPoint, options: RunOptions): Promise<RunResult> {
  const { graph, runId } = reference;
  const { now = Date.now } = options;
  const { runId: newRunId = createRunId(), ...resumeOptions } = options;
  const { run: past, lastRecord: moment } = await restorePast(reference, from.at, options);
  const at = now();
  // The cast is true: a partial state is a record of fields; encodeFork checks their names.
  const update = (from.update ?? {}) as StateChange;
  const snapshot = encodeFork(past, { runId: newRunId, update, moment, now: at });
  const record = {
    ...createFirstRecord(graph, { runId: newRunId, input: {}, at, options }),
    forkedFrom: { runId, sequence: from.at },
    snapshot,
  };
  await beginJournal(saverOf(reference, options), record);
  return await resumeRun({ graph, runId: newRunId }, {}, resumeOptions);
}

/** What `CompiledGraph.checkAnswers` does, and throws. */
export async function checkAnswers(reference: RunReference, answers: Answers, options: HistoryOptions): Promise<void> {
  const { run } = await restore(reference, await readEntries(reference, options), options);
  await validateAnswers(run, answers);
}

async function restorePast(reference: RunReference, sequence: number, options: HistoryOptions): Promise<RestoredRun> {
  const entries = await readEntries(reference, options);
  return await restore(reference, entriesUntil(reference.runId, entries, sequence), options);
}

/** Reads a run, with its state in today's shape. */
export async function restore(
  { graph: { code, config }, runId }: RunReference,
  entries: readonly JournalEntry[],
  options: HistoryOptions,
): Promise<RestoredRun & { readonly isMigrated: boolean }> {
  const services = withDefaultServices(options.services);
  const restored = await withWorkflows(services, (known) => restoreRun(runId, entries, code, known));
  return { ...restored, isMigrated: migrateRun(restored.run, mergeSettings(config, options)) };
}

async function readEntries(reference: RunReference, options: HistoryOptions): Promise<readonly JournalEntry[]> {
  return await saverOf(reference, options).read(reference.runId);
}

/** Where the journal of a run is. @throws UnknownRunError */
export function saverOf({ graph, runId }: RunReference, options: HistoryOptions): Checkpointer {
  const checkpointer = options.checkpointer ?? graph.config.checkpointer;
  if (checkpointer === undefined) throw new UnknownRunError(runId);
  return checkpointer;
}

async function validateAnswers(
  run: RunState,
  answers: Answers,
): Promise<readonly (readonly [requestId: string, value: unknown])[]> {
  const valid: [string, unknown][] = [];
  for (const [name, answer] of Object.entries(answers)) valid.push([...(await checkAnswer(run, name, answer))]);
  return valid;
}
