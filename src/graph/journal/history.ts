import { redactParts } from "../../contracts/index.ts";
import { changeThread } from "../decide/change-thread.ts";
import { decodeRecord, type JournalRecord } from "../decide/records/journal-record.ts";
import type { RunState, Thread } from "../decide/records/run-state.ts";
import { UnknownCheckpointError } from "../errors/errors.ts";
import type { Checkpointer, JournalEntry } from "../model/checkpointer.ts";
import { ownValue } from "../state/owned-value.ts";
import { pruneChange, type StateChange } from "../state/state-update.ts";
import { JournalWriter } from "./journal-writer.ts";
import { encodeSnapshot } from "./snapshot.ts";

/** A moment of a run that `fork` and `stateAt` accept (E11). */
export interface RunCheckpoint {
  /** The argument for `fork` and `stateAt`. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly type: "start" | "node" | "request" | "answer" | "sleep" | "edit";
  /** The node that has just finished, asked or started to sleep; empty for the start and for an edit. */
  readonly nodeId: string;
  /** The node's visit; empty for the start and for an edit. */
  readonly taskId: string;
  /** The label of the node's `checkpoint` signal. */
  readonly label?: string;
  /** A command skipped the node. */
  readonly isSkipped?: boolean;
  /** What a request asks a person. */
  readonly question?: string;
  /** The value of an answer. */
  readonly answer?: unknown;
  /** The fields that an edit set or updated, with its values. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** The moments of a run, oldest first. @throws UnknownRunError, JournalCorruptError */
export async function readRunHistory(checkpointer: Checkpointer, runId: string): Promise<readonly RunCheckpoint[]> {
  return listCheckpoints(await checkpointer.read(runId));
}

/** The moments of a run, oldest first. */
export function listCheckpoints(entries: readonly JournalEntry[]): RunCheckpoint[] {
  return entries.flatMap(({ sequence, kind, body }) =>
    kind === "record" ? describe(sequence, decodeRecord(body)) : [],
  );
}

function describe(sequence: number, record: JournalRecord): RunCheckpoint[] {
  const { at } = record;
  switch (record.type) {
    case "run":
      return [{ sequence, at, type: "start", nodeId: "", taskId: "" }];
    case "edit": {
      const changes = { ...record.update, ...record.set };
      return [{ sequence, at, type: "edit", nodeId: "", taskId: "", changes }];
    }
    case "done":
    case "sleep":
    case "request": {
      const type = record.type === "done" ? "node" : record.type;
      const about = { sequence, at, type, nodeId: record.node, taskId: record.task } as const;
      const isSkipped = record.type === "done" && record.isSkipped === true;
      const label = record.label === undefined ? {} : { label: record.label };
      const question = record.type === "request" ? { question: record.request.question } : {};
      return [{ ...about, ...label, ...question, ...(isSkipped ? { isSkipped } : {}) }];
    }
    case "answer":
      return [{ sequence, at, type: "answer", nodeId: record.node, taskId: record.task, answer: record.value }];
    default:
      return [];
  }
}

/** The entries of a journal up to one of the run's moments. @throws UnknownCheckpointError */
export function entriesUntil(runId: string, entries: readonly JournalEntry[], sequence: number): JournalEntry[] {
  const known = listCheckpoints(entries).map((checkpoint) => checkpoint.sequence);
  if (!known.includes(sequence)) throw new UnknownCheckpointError(runId, sequence, known);
  return entries.filter((entry) => entry.sequence <= sequence);
}

/**
 * The thread of a moment: the branch or subgraph of the node that has just finished, or the nearest one around it that is
 * still open.
 */
export function threadAt({ main }: RunState, moment: JournalRecord | undefined): Thread {
  const taskId = moment !== undefined && "task" in moment ? moment.task : "";
  let thread = main;
  for (;;) {
    const inner = thread.fork?.children.find(({ id }) => taskId.startsWith(id));
    if (inner === undefined) return thread;
    thread = inner;
  }
}

/** What a forked run starts from. */
export interface Departure {
  readonly runId: string;
  readonly update: StateChange;
  /** The last record of the past, which determines the thread of the update. */
  readonly moment: JournalRecord | undefined;
  readonly now: number;
  /** Applied to each text in the states. */
  readonly replaceText?: (text: string) => string;
}

/**
 * The start of a forked run: the text of its first snapshot. Tasks in progress restart without the results of their
 * steps, which belong to the other run.
 *
 * @throws UnknownStateFieldError
 */
export function encodeFork(past: RunState, { runId, update, moment, now, replaceText }: Departure): string {
  if (replaceText !== undefined) replaceTexts(past, replaceText);
  const thread = threadAt(past, moment);
  const { rules } = thread.code;
  const pruned = pruneChange(rules, thread.state, update);
  const change = pruned && ownValue(past.redactFields(pruned));
  if (change !== undefined) changeThread(thread, { update: change }, now);
  giveRun(past.main, runId);
  for (const task of past.tasks.values()) {
    task.steps = undefined;
    task.failures = 0;
    task.retryAt = undefined;
    // Resuming increments `attempt`. Open questions and sleeps have started already, and a sleep ends when it would have.
    if (task.request === undefined && task.sleep === undefined) task.attempt = 0;
  }
  return encodeSnapshot(past, runId);
}

/** Changes the texts in the states of the run, its branches and its subgraphs. */
function replaceTexts(past: RunState, replaceText: (text: string) => string): void {
  const inThread = (thread: Thread): void => {
    thread.state = Object.freeze(redactParts(thread.state, replaceText));
    for (const child of thread.fork?.children ?? []) inThread(child);
  };
  inThread(past.main);
}

/** Sets the run's id in the states of the thread, its branches and its subgraphs. */
function giveRun(thread: Thread, runId: string): void {
  thread.state = Object.freeze({ ...thread.state, executionId: runId });
  for (const child of thread.fork?.children ?? []) giveRun(child, runId);
}

/** Writes the first record of a run that no process executes yet. @throws RunExistsError, JournalWriteError */
export async function beginJournal(
  checkpointer: Checkpointer,
  record: Extract<JournalRecord, { type: "run" }>,
): Promise<void> {
  const journal = await checkpointer.open(record.runId, "create");
  try {
    const start = { sequence: 0, snapshotLength: 0, lengthSinceSnapshot: 0, snapshotMinLength: undefined };
    await new JournalWriter(journal, record.runId, start).append(record);
  } finally {
    await journal.close();
  }
}
