import type { RunJournal } from "./checkpointer.ts";
import { recordGraph } from "./compare-graphs.ts";
import { given } from "./given.ts";
import type { GraphCode } from "./graph-code.ts";
import type { GraphConfig, RunOptions, RunResult } from "./graph-config.ts";
import { type BeginningRecord, JOURNAL_FORMAT } from "./journal-record.ts";
import { JournalWriter } from "./journal-writer.ts";
import { mergeSettings } from "./merge-settings.ts";
import { createRunId } from "./run-id.ts";
import { executeSession } from "./run-session.ts";
import { RunState } from "./run-state.ts";
import { createInitialState, type StateChange, takeInput } from "./state-update.ts";

/** What the engine needs of a compiled graph. */
export interface RunnableGraph {
  readonly code: GraphCode;
  readonly config: GraphConfig;
}

/**
 * Runs a graph from the beginning; what `CompiledGraph.run` does.
 *
 * @throws UnknownStateFieldError, UnserializableValueError, RunExistsError, RunLockedError, JournalWriteError
 */
export async function startRun(graph: RunnableGraph, input: StateChange, options: RunOptions): Promise<RunResult> {
  const { code, config } = graph;
  const settings = mergeSettings(config, options);
  const { checkpointer, snapshotMinLength, now = Date.now } = settings;
  const runId = options.runId ?? createRunId();
  const at = now();
  const taken = takeInput(code.rules, input);
  const run = new RunState(runId, code, createInitialState(code.rules, taken, runId, at));
  run.stateVersion = settings.stateVersion ?? 0;
  const first = createFirstRecord(graph, { runId, input: taken, at, options });
  const session = { run, writer: undefined, mailbox: undefined, first, beginning: first, options: settings };
  if (checkpointer === undefined) return await executeSession(session);
  return await withJournal(await checkpointer.open(runId, "create"), async (journal) => {
    const start = { sequence: 0, snapshotLength: 0, lengthSinceSnapshot: 0, snapshotMinLength };
    const writer = new JournalWriter(journal, runId, start);
    return await executeSession({ ...session, writer, mailbox: checkpointer.mailbox });
  });
}

/** What the first record of a run is made of. */
export interface FirstRecordOptions {
  readonly runId: string;
  readonly input: StateChange;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly options: RunOptions;
}

/** The record that the journal of a new run begins with. */
export function createFirstRecord(
  { code, config }: RunnableGraph,
  { runId, input, at, options }: FirstRecordOptions,
): BeginningRecord {
  const { name = "graph", version, stateVersion } = mergeSettings(config, options);
  const workflow = {
    name,
    ...given({ version, stateVersion }),
  };
  return { type: "run", at, format: JOURNAL_FORMAT, runId, workflow, ...recordGraph(code.program), input };
}

/** Closes the journal behind the action, whatever becomes of it. @throws what the action throws, JournalWriteError */
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
