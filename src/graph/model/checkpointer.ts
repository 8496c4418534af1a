import type { BaseState } from "../state/annotation.ts";

/** An entry of a run's journal. Sequences count from 1 without gaps. */
export interface JournalEntry {
  readonly sequence: number;
  readonly kind: "record" | "snapshot";
  readonly body: string;
}

/** A run's journal, open for writing. Its owner is the run's only writer (E9). */
export interface RunJournal {
  /** The latest snapshot and all entries after it; all entries when there is none. */
  load(): readonly JournalEntry[] | Promise<readonly JournalEntry[]>;
  /** Returns, or resolves, once the entry survives a crash. Calls do not overlap. @throws JournalWriteError */
  append(entry: JournalEntry): void | Promise<void>;
  /**
   * Replaces all entries with these, numbered from 1. Atomic: a crash leaves the old ones or the new ones. Does not overlap
   * with `append`. @throws JournalWriteError
   */
  replace(entries: readonly JournalEntry[]): void | Promise<void>;
  /** Receives the run's final state when this process ends its part, before `close()`: for savers that show it to people. */
  showState?(state: BaseState): void | Promise<void>;
  /** Releases the run. Idempotent. */
  close(): void | Promise<void>;
}

/** Entries that are lost from the end of a journal: a file was damaged, or restored from a backup. */
export interface JournalLoss {
  /** The last entry that exists; 0 when there is none. */
  readonly lastSequence: number;
  /** How many entries after it are lost. */
  readonly count: number;
}

/** A message to the process that executes a run. */
export interface RunMessage {
  readonly id: string;
  readonly text: string;
}

/** Carries messages from any process with this saver to the process that executes a run, and replies back (E12). */
export interface RunMailbox {
  /** Posts a message and returns its id. */
  post(runId: string, text: string): Promise<string>;
  /** Takes all messages, oldest first; each is returned once. Cheap when there is none. */
  receive(runId: string): Promise<readonly RunMessage[]>;
  reply(runId: string, messageId: string, text: string): Promise<void>;
  /** Takes the reply to a message, which is returned once; `undefined` while there is none. */
  takeReply(runId: string, messageId: string): Promise<string | undefined>;
  /** Withdraws a message; false when it was received already. */
  withdraw(runId: string, messageId: string): Promise<boolean>;
}

/** Keeps the journals of runs. A run exists once it has its first entry. */
export interface Checkpointer {
  readonly mailbox: RunMailbox;
  /**
   * Opens a journal for writing and holds the run until `close()` or the end of the process, even a violent one. A
   * RunLockedError takes precedence over the other errors.
   *
   * @throws RunExistsError on "create" when the run exists
   * @throws UnknownRunError on "resume" when it does not
   * @throws RunLockedError when another process, or another part of this one, holds it
   */
  open(runId: string, mode: "create" | "resume"): Promise<RunJournal>;
  /** All entries, even while the run has a writer. @throws UnknownRunError, JournalCorruptError */
  read(runId: string): Promise<readonly JournalEntry[]>;
  /** Ids of all runs, oldest first. */
  list(): Promise<readonly string[]>;
  /** Deletes a run. @throws UnknownRunError, RunLockedError */
  delete(runId: string): Promise<void>;
  /** The entries lost at the end of a run's journal; `undefined` when the saver knows of none. */
  findLoss?(runId: string): Promise<JournalLoss | undefined>;
  /** Whether a process, or another part of this one, is executing the run. False for an unknown run. */
  isHeld(runId: string): Promise<boolean>;
  /**
   * Drops every entry after `lastSequence`, so that the run can continue from there: the remedy for a
   * {@link JournalCorruptError}, with its `lastGoodSequence`. A run that loses all entries is deleted.
   *
   * @throws UnknownRunError, RunLockedError; JournalCorruptError when an entry to keep is damaged
   */
  truncate(runId: string, lastSequence: number): Promise<void>;
}
