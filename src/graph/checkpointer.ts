/** A line of a run's journal. Sequences count from 1 without gaps. */
export interface JournalEntry {
  readonly sequence: number;
  readonly kind: "record" | "snapshot";
  readonly body: string;
}

/** A run's journal, open for writing. Whoever has it is the run's only writer (E9). */
export interface RunJournal {
  /** The latest snapshot and everything behind it; everything when there is none. */
  load(): readonly JournalEntry[] | Promise<readonly JournalEntry[]>;
  /** Returns, or resolves, when the entry will survive a crash. Calls do not overlap. */
  append(entry: JournalEntry): void | Promise<void>;
  /** Lets go of the run. Idempotent. */
  close(): void | Promise<void>;
}

/** Keeps the journals of runs. A run exists from its first entry on: before that, nothing of it has happened. */
export interface Checkpointer {
  /**
   * Opens a journal for writing and holds the run until `close()` or the end of the process, however it comes. Whether
   * the run is held is looked at first.
   *
   * @throws RunExistsError on "create" when the run exists
   * @throws UnknownRunError on "resume" when it does not
   * @throws RunLockedError when another process, or another part of this one, holds it
   */
  open(runId: string, mode: "create" | "resume"): Promise<RunJournal>;
  /** All entries, also while somebody writes. @throws UnknownRunError, JournalCorruptError */
  read(runId: string): Promise<readonly JournalEntry[]>;
  /** Ids of all runs, oldest first. */
  list(): Promise<readonly string[]>;
  /** Forgets a run. @throws UnknownRunError, RunLockedError */
  delete(runId: string): Promise<void>;
}
