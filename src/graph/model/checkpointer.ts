import type { BaseState } from "../state/annotation.ts";

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
  /** Returns, or resolves, when the entry will survive a crash. Calls do not overlap. @throws JournalWriteError */
  append(entry: JournalEntry): void | Promise<void>;
  /**
   * Puts these entries, numbered from 1, in the place of all there are: after a crash there are the old ones or the new
   * ones. Does not overlap with `append`. @throws JournalWriteError
   */
  replace(entries: readonly JournalEntry[]): void | Promise<void>;
  /** Is shown the run's state when this process's part in it ends, before `close()`: for savers that show it to people. */
  showState?(state: BaseState): void | Promise<void>;
  /** Lets go of the run. Idempotent. */
  close(): void | Promise<void>;
}

/** Entries at the end of a journal that were written and are gone: a file was damaged, or restored from a backup. */
export interface JournalLoss {
  /** The last entry there is; 0 when there is none. */
  readonly lastSequence: number;
  /** How many entries followed it. */
  readonly count: number;
}

/** Something that was left for whoever executes a run. */
export interface RunMessage {
  readonly id: string;
  readonly text: string;
}

/** Carries messages to whoever executes a run, from any process that reaches the saver, and replies back (E12). */
export interface RunMailbox {
  /** Leaves a message and gives its id. */
  post(runId: string, text: string): Promise<string>;
  /** Takes the messages that were left, oldest first; each is given once. Costs little when there is none. */
  receive(runId: string): Promise<readonly RunMessage[]>;
  reply(runId: string, messageId: string, text: string): Promise<void>;
  /** The reply to a message, which is given once; `undefined` while there is none. */
  takeReply(runId: string, messageId: string): Promise<string | undefined>;
  /** Takes a message back; false when it was received. */
  withdraw(runId: string, messageId: string): Promise<boolean>;
}

/** Keeps the journals of runs. A run exists from its first entry on: before that, nothing of it has happened. */
export interface Checkpointer {
  readonly mailbox: RunMailbox;
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
  /** What the end of a run's journal has lost, as far as the saver can know; `undefined` when nothing. */
  findLoss?(runId: string): Promise<JournalLoss | undefined>;
  /** Whether a process, or another part of this one, executes the run at this moment. False for a run that is unknown. */
  isHeld(runId: string): Promise<boolean>;
  /**
   * Drops every entry behind `lastSequence`, so that the run can go on from there: the way out of a
   * {@link JournalCorruptError}, with its `lastGoodSequence`. A run that loses all entries is forgotten.
   *
   * @throws UnknownRunError, RunLockedError; JournalCorruptError when an entry that is to stay is damaged
   */
  truncate(runId: string, lastSequence: number): Promise<void>;
}
