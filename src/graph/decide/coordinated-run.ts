import type { Usage } from "../../contracts/index.ts";
import type { JournalRecord } from "./journal-record.ts";
import type { RunPort } from "./run-port.ts";
import type { RunPublisher } from "./run-publisher.ts";
import type { RunState, Task } from "./run-state.ts";

/** What the parts of the coordinator share. */
export interface CoordinatedRun {
  readonly run: RunState;
  readonly port: RunPort;
  readonly publisher: RunPublisher;
  /** Applies a record and keeps it durably. `tell` publishes its own event, which precedes those of its consequences. */
  commit(record: JournalRecord, tell: () => void): void | Promise<void>;
  /** A node has failed for good; `usage` is what its last attempt used up. */
  fail(task: Task, error: Error, usage?: Usage): void | Promise<void>;
  isRunning(task: Task): boolean;
  /** Takes a task off its place, the queue and its pause, and says what it used up that no record tells. */
  release(task: Task): Usage | undefined;
  /** Has a task begin as soon as there is a place. */
  enqueue(task: Task): void;
}
