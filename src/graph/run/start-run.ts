import { noRedaction, type Redactor } from "../../contracts/index.ts";
import { recordGraph } from "../compile/compare-graphs.ts";
import type { GraphCode } from "../compile/graph-code.ts";
import { type BeginningRecord, JOURNAL_FORMAT } from "../decide/records/journal-record.ts";
import { RunState } from "../decide/records/run-state.ts";
import { given } from "../errors/given.ts";
import { JournalWriter } from "../journal/journal-writer.ts";
import type { RunJournal } from "../model/checkpointer.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import { mergeSettings } from "../model/merge-settings.ts";
import { describeFields } from "../state/declared-fields.ts";
import { createRunId } from "../state/run-id.ts";
import { createInitialState, type StateChange, takeInput } from "../state/state-update.ts";
import type { RunOptions, RunResult } from "./run-options.ts";
import { executeSession } from "./run-session.ts";

/** What the engine needs of a compiled graph. */
export interface RunnableGraph {
  readonly code: GraphCode;
  readonly config: GraphConfig;
}

/**
 * Runs a graph from the start. Implements `CompiledGraph.run`.
 *
 * @throws UnknownStateFieldError, UnserializableValueError, RunExistsError, RunLockedError, JournalWriteError
 */
export async function startRun(graph: RunnableGraph, input: StateChange, options: RunOptions): Promise<RunResult> {
  const settings = mergeSettings(graph.config, options);
  const { checkpointer, snapshotMinLength, clock, now = clock?.now ?? Date.now } = settings;
  const runId = options.runId ?? createRunId();
  const { run, first } = createRun(graph.code, {
    runId,
    input,
    at: now(),
    settings,
    ...given({ redactor: options.services?.redactor }),
  });
  const session = { run, writer: undefined, mailbox: undefined, first, beginning: first, options: settings };
  if (checkpointer === undefined) return await executeSession(session);
  return await withJournal(await checkpointer.open(runId, "create"), async (journal) => {
    const start = { sequence: 0, snapshotLength: 0, lengthSinceSnapshot: 0, snapshotMinLength };
    const writer = new JournalWriter(journal, runId, start);
    return await executeSession({ ...session, writer, mailbox: checkpointer.mailbox });
  });
}

/** The contents of a run's first record. */
export interface FirstRecordOptions {
  readonly runId: string;
  readonly input: StateChange;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The graph's own settings, overridden by the run's; see {@link mergeSettings}. */
  readonly settings: GraphConfig;
  /** Takes secrets out of the record. @default nothing is redacted */
  readonly redactor?: Redactor;
}

/** A new run, and its first record, which is not applied yet. @throws UnknownStateFieldError, UnserializableValueError */
export function createRun(
  code: GraphCode,
  { runId, input, at, settings, redactor = noRedaction }: FirstRecordOptions,
): { readonly run: RunState; readonly first: BeginningRecord } {
  const { stateVersion = 0, maxUpdateBytes } = settings;
  const taken = takeInput(code.rules, input, { redactor });
  const run = new RunState(runId, code, createInitialState(code.rules, taken, runId, at));
  run.stateVersion = stateVersion;
  run.redactor = redactor;
  run.maxUpdateBytes = maxUpdateBytes ?? run.maxUpdateBytes;
  const first = createFirstRecord(code, { runId, input: taken, at, settings, redactor });
  run.fields = first.fields;
  return { run, first };
}

/** The first record in the journal of a new run. */
export function createFirstRecord(
  { program, rules }: GraphCode,
  { runId, input, at, settings, redactor }: FirstRecordOptions,
): BeginningRecord {
  const { name = "graph", version, stateVersion } = settings;
  const workflow = {
    name,
    ...given({ version, stateVersion }),
  };
  const fields = describeFields(rules, { stored: input, redactor });
  return { type: "run", at, format: JOURNAL_FORMAT, runId, workflow, ...recordGraph(program), input, fields };
}

/** Closes the journal after the action, also when it fails. @throws what the action throws, JournalWriteError */
export async function withJournal(
  journal: RunJournal,
  action: (journal: RunJournal) => Promise<RunResult>,
): Promise<RunResult> {
  try {
    const result = await action(journal);
    await journal.showState?.(result.state);
    return result;
  } finally {
    await journal.close();
  }
}
