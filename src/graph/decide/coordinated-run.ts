import type { Spent } from "../model/spent.ts";
import type { JournalRecord } from "./records/journal-record.ts";
import type { RunState, Task } from "./records/run-state.ts";
import type { RunPort } from "./run-port.ts";
import type { RunPublisher } from "./run-publisher.ts";

/** What the parts of the coordinator share. */
export interface CoordinatedRun {
  readonly run: RunState;
  readonly port: RunPort;
  readonly publisher: RunPublisher;
  /** Applies a record and appends it to the journal. `tell` publishes its own event, before those of its consequences. */
  commit(record: JournalRecord, tell: () => void): void | Promise<void>;
  /** A node failed finally. */
  fail(task: Task, error: Error): void | Promise<void>;
  isRunning(task: Task): boolean;
  /** Whether a running task waits for other tasks; see `RunningTasks`. */
  setIdle(task: Task, isIdle: boolean): void;
  /** Frees a task's place and removes it from the queue; returns what its attempt has spent. */
  release(task: Task): Spent | undefined;
  /** Starts a task as soon as a place is free. */
  enqueue(task: Task): void;
}
