import { AtomicError, messageOf } from "../../contracts/index.ts";
import { compareGraphs } from "../compile/compare-graphs.ts";
import { type GraphCode, isGraphCode } from "../compile/graph-code.ts";
import { applyRecord } from "../decide/apply-record.ts";
import {
  type BeginningRecord,
  decodeRecord,
  JOURNAL_FORMAT,
  type JournalRecord,
} from "../decide/records/journal-record.ts";
import { RunState } from "../decide/records/run-state.ts";
import { SubgraphNeededError, workflowKey } from "../decide/subgraph.ts";
import { GraphChangedError, JournalCorruptError, MissingServiceError, UnknownSubgraphError } from "../errors/errors.ts";
import { given } from "../errors/given.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import type { RunServices } from "../model/execution-context.ts";
import { withInitials } from "../state/declared-fields.ts";
import { createInitialState, type StateRecord } from "../state/state-update.ts";
import { assertJoined, explainDefault, explainReplay } from "./explain-replay.ts";
import type { JournalPosition } from "./journal-writer.ts";
import { decodeSnapshot, type Workflows } from "./snapshot.ts";

type EndRecord = Extract<JournalRecord, { type: "end" }>;

/** A run restored from its journal, and what the writer needs to continue. */
export interface RestoredRun {
  readonly run: RunState;
  readonly lastRecord: JournalRecord | undefined;
  /** How the latest process ended its part in the run, ignoring edits. Absent if the process died. */
  readonly lastEnd: EndRecord | undefined;
  readonly position: JournalPosition;
  /** How the graph differs from the one that last executed the run (E10). */
  readonly differences: readonly string[];
}

/**
 * Restores a run from its latest snapshot and the records after it.
 *
 * @throws GraphChangedError, StateChangedError, JournalCorruptError
 */
export function restoreRun(
  runId: string,
  entries: readonly JournalEntry[],
  code: GraphCode,
  workflows: Workflows = new Map(),
): RestoredRun {
  let run: RunState | undefined;
  let lastRecord: JournalRecord | undefined;
  let lastEnd: EndRecord | undefined;
  let snapshotLength = 0;
  let lengthSinceSnapshot = 0;
  let differences: readonly string[] = [];
  for (const { sequence, kind, body } of entries) {
    if (kind === "snapshot") {
      run = readSnapshot(runId, sequence, () => decodeSnapshot(body, code, workflows));
      differences = run.differences;
      snapshotLength = body.length;
      lengthSinceSnapshot = 0;
      continue;
    }
    lengthSinceSnapshot += body.length;
    lastRecord = readRecord(runId, sequence, body);
    if (lastRecord.type !== "edit") lastEnd = lastRecord.type === "end" ? lastRecord : undefined;
    if (lastRecord.type === "run" && lastRecord.runId !== runId) {
      throw new JournalCorruptError(runId, sequence, `it begins the run "${lastRecord.runId}"`);
    }
    if ("snapshot" in lastRecord && lastRecord.snapshot !== undefined) {
      const { snapshot } = lastRecord;
      run = readSnapshot(runId, sequence, () => decodeSnapshot(snapshot, code, workflows));
      differences = run.differences;
      snapshotLength = body.length;
      lengthSinceSnapshot = 0;
      // A forked run has not started yet; a migrated one continues.
      if (lastRecord.type === "run") continue;
    }
    if (lastRecord.type === "run") run = beginRun(runId, lastRecord, { code, workflows });
    if (run === undefined) throw new JournalCorruptError(runId, sequence, "its beginning is missing");
    if (lastRecord.type === "run") differences = run.differences;
    assertJoined(run, lastRecord);
    replay(run, lastRecord, sequence);
    if (lastRecord.type === "resumed" && lastRecord.graph !== undefined) {
      differences = compareGraphs(lastRecord.graph, code.program);
    }
  }
  if (run === undefined) throw new JournalCorruptError(runId, 0, "it is empty");
  const sequence = entries.at(-1)?.sequence ?? 0;
  return { run, lastRecord, lastEnd, differences, position: { sequence, snapshotLength, lengthSinceSnapshot } };
}

function readRecord(runId: string, sequence: number, body: string): JournalRecord {
  try {
    return decodeRecord(body);
  } catch (error) {
    throw new JournalCorruptError(runId, sequence, messageOf(error), { cause: error });
  }
}

function readSnapshot(runId: string, sequence: number, decode: () => RunState): RunState {
  try {
    return decode();
  } catch (error) {
    if (error instanceof GraphChangedError || error instanceof SubgraphNeededError) throw error;
    throw explainDefault(runId, error) ?? new JournalCorruptError(runId, sequence, messageOf(error), { cause: error });
  }
}

function beginRun(
  runId: string,
  record: BeginningRecord,
  { code, workflows }: { readonly code: GraphCode; readonly workflows: Workflows },
): RunState {
  if (record.format !== JOURNAL_FORMAT) {
    throw new JournalCorruptError(
      runId,
      1,
      `its format is ${record.format}, this version of Atomic reads ${JOURNAL_FORMAT}`,
    );
  }
  const run = new RunState(runId, code, initialStateOf(runId, record, code));
  run.workflows = new Map(workflows);
  run.stateVersion = record.workflow.stateVersion ?? 0;
  run.fields = record.fields;
  run.differences = compareGraphs(record, code.program);
  return run;
}

function initialStateOf(runId: string, { input, fields, at }: BeginningRecord, { rules }: GraphCode): StateRecord {
  try {
    return createInitialState(withInitials(rules, fields), input, runId, at);
  } catch (error) {
    throw explainDefault(runId, error) ?? error;
  }
}

function replay(run: RunState, record: JournalRecord, sequence: number): void {
  run.replayedDecisions = "decisions" in record ? [...(record.decisions ?? [])] : [];
  run.replayedOversized = ("oversized" in record ? record.oversized : undefined) ?? [];
  try {
    applyRecord(run, record);
    const isLeftOver = (run.replayedDecisions?.length ?? 0) > 0;
    if (isLeftOver && run.differences.length > 0) throw new GraphChangedError(run.runId, run.differences);
  } catch (error) {
    if (error instanceof SubgraphNeededError) throw error;
    const stateChanged = explainReplay(run, record, error);
    if (stateChanged !== undefined) throw stateChanged;
    // The journal does not fit the current graph.
    if (run.differences.length > 0) throw new GraphChangedError(run.runId, run.differences, { cause: error });
    if (error instanceof AtomicError) throw error;
    throw new JournalCorruptError(run.runId, sequence, messageOf(error), { cause: error });
  } finally {
    run.replayedDecisions = undefined;
    run.replayedOversized = undefined;
    run.started = [];
    run.dropped = [];
    run.arrived = [];
  }
}

/**
 * Restores a run whose nodes may run workflows by name: loads each workflow when its name comes up, and restarts reading.
 *
 * @throws what `restore` throws; MissingServiceError, UnknownSubgraphError
 */
export async function withWorkflows<T>(
  services: Pick<RunServices, "workflows">,
  restore: (workflows: Workflows) => T,
): Promise<T> {
  const workflows = new Map<string, GraphCode>();
  for (;;) {
    try {
      return restore(workflows);
    } catch (error) {
      if (!(error instanceof SubgraphNeededError)) throw error;
      const { workflow, nodeId } = error;
      const { name, config } = workflow;
      if (services.workflows === undefined) throw new MissingServiceError("workflows", nodeId);
      const code = (await services.workflows(name, given({ config })))?.code;
      if (!isGraphCode(code)) throw new UnknownSubgraphError(name, nodeId);
      workflows.set(workflowKey(workflow), code);
    }
  }
}
