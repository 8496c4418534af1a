import { RunExistsError, RunLockedError, UnknownRunError } from "../errors/errors.ts";
import type { Checkpointer, JournalEntry, RunJournal } from "../model/checkpointer.ts";
import { MemoryMailbox } from "./memory-mailbox.ts";

/** Keeps journals in memory: for tests, and for runs that wait for people but end with their process. */
export class MemorySaver implements Checkpointer {
  readonly mailbox = new MemoryMailbox();
  readonly #journals = new Map<string, JournalEntry[]>();
  /** The open journals, by run. */
  readonly #held = new Map<string, RunJournal>();

  open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    return Promise.resolve().then(() => {
      if (this.#held.has(runId)) throw new RunLockedError(runId, "another part of this process");
      const existing = this.#journals.get(runId);
      if (mode === "create" && existing !== undefined) throw new RunExistsError(runId);
      if (mode === "resume" && existing === undefined) throw new UnknownRunError(runId);
      let entries = existing ?? [];
      const journal: RunJournal = {
        load: () =>
          entries.slice(
            Math.max(
              0,
              entries.findLastIndex(({ kind }) => kind === "snapshot"),
            ),
          ),
        append: (entry) => {
          entries.push(entry);
          this.#journals.set(runId, entries);
        },
        replace: (others) => {
          entries = [...others];
          this.#journals.set(runId, entries);
        },
        close: () => {
          if (this.#held.get(runId) === journal) this.#held.delete(runId);
        },
      };
      this.#held.set(runId, journal);
      return journal;
    });
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    const entries = this.#journals.get(runId);
    if (entries === undefined) throw new UnknownRunError(runId);
    return [...entries];
  }

  async list(): Promise<readonly string[]> {
    return [...this.#journals.keys()];
  }

  async delete(runId: string): Promise<void> {
    if (!this.#journals.has(runId)) throw new UnknownRunError(runId);
    if (this.#held.has(runId)) throw new RunLockedError(runId, "another part of this process");
    this.#journals.delete(runId);
    this.mailbox.clear(runId);
  }

  async isHeld(runId: string): Promise<boolean> {
    return this.#held.has(runId);
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    if (this.#held.has(runId)) throw new RunLockedError(runId, "another part of this process");
    const entries = this.#journals.get(runId);
    if (entries === undefined) throw new UnknownRunError(runId);
    const kept = entries.filter(({ sequence }) => sequence <= lastSequence);
    if (kept.length === 0) this.#journals.delete(runId);
    else this.#journals.set(runId, kept);
  }
}
