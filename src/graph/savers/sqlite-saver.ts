import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { JournalReadError, RunExistsError, UnknownRunError } from "../errors/errors.ts";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal } from "../model/checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { count, described, oneOf, required, someText, text } from "../options/option-checks.ts";
import { encodeRunId } from "./encode-run-id.ts";
import { FolderMailbox } from "./folder-mailbox.ts";
import { findLostEnd, JournalEnd, removeJournalEnd } from "./journal-end.ts";
import { type RunLease, RunLeases } from "./run-lease.ts";
import { inTransaction, type OpenedDatabase, openDatabase, openToRead, openToWrite } from "./sqlite-database.ts";
import {
  deleteEntries,
  dropEntries,
  EntryWriter,
  findDamagedEntry,
  findRun,
  findSnapshot,
  insertRun,
  readEntries,
  type StoredRun,
  setEnding,
} from "./sqlite-entries.ts";
import { toJournalError } from "./sqlite-errors.ts";
import { lengthenLog, syncEachCommit } from "./sqlite-log.ts";

/** Settings of a {@link SqliteSaver}. */
export interface SqliteSaverOptions {
  /** The database file; the file and its folder are created if missing. */
  readonly path: string;
  /**
   * `every-step`: a step is on disk before the next one starts, so it survives a power failure (SQLite's
   * `synchronous=FULL`). `on-checkpoint`: a step survives the death of the process at any moment, but a power failure may
   * lose the last steps (`synchronous=NORMAL`).
   * @default "every-step"
   */
  readonly durability?: "every-step" | "on-checkpoint";
  /** Names this process in the error of another one that wants its run. @default the process's id and host */
  readonly owner?: string;
  /**
   * This process's id. Needed only on systems other than Linux, so that other processes notice at once that this one has
   * died, and not after half a minute.
   */
  readonly processId?: number;
}

const OPTIONS: OptionTable<SqliteSaverOptions> = {
  path: required(described(someText, "a path"), "name the database file"),
  durability: oneOf(["every-step", "on-checkpoint"]),
  owner: text,
  processId: count,
};

/**
 * Keeps journals in an SQLite file. Several processes may share the file. Each run has one writer (E9), whose claim in a
 * folder next to the file is valid until it releases the run or its process ends, even by `kill -9`. Needs Bun, or Node 22
 * and later.
 */
export class SqliteSaver implements Checkpointer {
  readonly mailbox: FolderMailbox;
  readonly #options: SqliteSaverOptions;
  readonly #leases: RunLeases;

  /** @throws InvalidOptionsError */
  constructor(options: SqliteSaverOptions) {
    assertOptions("new SqliteSaver", options, { table: OPTIONS });
    const { path, owner, processId } = options;
    this.#options = options;
    this.#leases = new RunLeases({ folder: `${path}.locks`, owner, processId });
    this.mailbox = new FolderMailbox(`${path}.messages`);
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    const lease = await this.#takeLease(runId);
    try {
      return await this.#openHeld(runId, mode, lease);
    } catch (error) {
      await lease.release();
      throw toJournalError(error, { runId, action: "write" });
    }
  }

  async #openHeld(runId: string, mode: "create" | "resume", lease: RunLease): Promise<RunJournal> {
    const database = await openDatabase(this.#options.path);
    try {
      const found = findRun(database, runId);
      const isKnown = found !== undefined && found.lastSequence > 0;
      if (mode === "create" && isKnown) throw new RunExistsError(runId);
      if (mode === "resume" && !isKnown) throw new UnknownRunError(runId);
      const { path, durability } = this.#options;
      const isSyncedEachTime = durability !== "on-checkpoint";
      if (isSyncedEachTime) syncEachCommit(database);
      const logOf = isSyncedEachTime ? path : undefined;
      const end = new JournalEnd(this.#endPathOf(runId));
      return new SqliteJournal({ runId, database, lease, found: isKnown ? found : undefined, logOf, end });
    } catch (error) {
      const ours = toJournalError(error, {
        runId,
        action: "write",
        findDamage: () => findDamagedEntry(database, runId),
      });
      database.close();
      throw ours;
    }
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    return await this.#withDatabase({ runId, action: "read" }, (database) =>
      inTransaction(database, "read", () => {
        const run = findRun(database, runId);
        if (run === undefined || run.lastSequence === 0) throw new UnknownRunError(runId);
        return readEntries(database, run, 1);
      }),
    );
  }

  async list(): Promise<readonly string[]> {
    return await this.#withDatabase({ action: "read" }, (database) => {
      const rows = database.prepare("SELECT run_id FROM runs ORDER BY created_at, run_id").all();
      return rows.map((row) => String(row.run_id));
    });
  }

  async delete(runId: string): Promise<void> {
    await this.truncate(runId, 0);
    await this.mailbox.clear(runId);
  }

  /** Bound to this object, so that it also works in a saver that inherits from this one. */
  readonly findLoss = async (runId: string): Promise<JournalLoss | undefined> => {
    return await findLostEnd(this.#endPathOf(runId), () =>
      this.#withDatabase({ runId, action: "read" }, (database) =>
        inTransaction(database, "read", () => findRun(database, runId)?.lastSequence ?? 0),
      ),
    );
  };

  async isHeld(runId: string): Promise<boolean> {
    try {
      return await this.#leases.isHeld(runId);
    } catch (cause) {
      throw new JournalReadError(runId, { cause });
    }
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    const lease = await this.#takeLease(runId);
    try {
      removeJournalEnd(this.#endPathOf(runId));
      await this.#withDatabase({ runId, action: "write" }, (database) => {
        inTransaction(database, "write", () => dropEntries(database, runId, lastSequence));
      });
    } finally {
      await lease.release();
    }
  }

  #endPathOf(runId: string): string {
    return join(`${this.#options.path}.ends`, encodeRunId(runId));
  }

  async #takeLease(runId: string): Promise<RunLease> {
    try {
      return await this.#leases.acquire(runId);
    } catch (error) {
      throw toJournalError(error, { runId, action: "write" });
    }
  }

  async #withDatabase<T>(
    about: { readonly runId?: string; readonly action: "read" | "write" },
    action: (database: DatabaseSync) => T,
  ): Promise<T> {
    const { runId } = about;
    const { path } = this.#options;
    let opened: OpenedDatabase | undefined;
    try {
      opened = about.action === "read" ? await openToRead(path) : await openToWrite(path);
      return action(opened.database);
    } catch (error) {
      const { database } = opened ?? {};
      if (database === undefined || runId === undefined) throw toJournalError(error, about);
      throw toJournalError(error, { ...about, findDamage: () => findDamagedEntry(database, runId) });
    } finally {
      opened?.close();
    }
  }
}

/** Settings of a {@link SqliteJournal}. */
interface SqliteJournalOptions {
  readonly runId: string;
  readonly database: DatabaseSync;
  readonly lease: RunLease;
  /** Absent for a new run. */
  readonly found: StoredRun | undefined;
  /** The database whose log to extend at the start. */
  readonly logOf: string | undefined;
  /** Records the journal's length while it is being written. */
  readonly end: JournalEnd;
}

class SqliteJournal implements RunJournal {
  readonly #options: SqliteJournalOptions;
  readonly #writer: EntryWriter;
  /** The number of the run, assigned with its first entry. */
  #number: number | undefined;
  #lastSequence: number;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteJournalOptions) {
    const { runId, database, found } = options;
    this.#options = options;
    this.#number = found?.number;
    this.#lastSequence = found?.lastSequence ?? 0;
    if (found !== undefined) this.#writeFirst(() => setEnding(database, found.number, null));
    this.#writer = new EntryWriter(database, runId);
  }

  load(): readonly JournalEntry[] {
    const { database, runId } = this.#options;
    if (this.#number === undefined) return [];
    const run: StoredRun = { runId, number: this.#number, lastSequence: this.#lastSequence };
    try {
      return readEntries(database, run, findSnapshot(database, run));
    } catch (error) {
      throw this.#toError(error, "read");
    }
  }

  append(entry: JournalEntry): void {
    try {
      this.#options.lease.confirm();
      if (this.#number === undefined) this.#number = this.#begin(entry);
      else this.#writer.write(this.#number, entry);
      this.#lastSequence = entry.sequence;
      this.#options.end.note(entry.sequence);
    } catch (error) {
      throw this.#toError(error, "write");
    }
  }

  #begin(first: JournalEntry): number {
    const { database, runId } = this.#options;
    return this.#writeFirst(() => {
      const number = insertRun(database, runId);
      this.#writer.write(number, first);
      return number;
    });
  }

  #writeFirst<T>(action: () => T): T {
    const { database, logOf } = this.#options;
    return inTransaction(database, "write", () => {
      if (logOf !== undefined) lengthenLog(logOf);
      return action();
    });
  }

  replace(entries: readonly JournalEntry[]): void {
    const { database, lease, runId, end } = this.#options;
    try {
      lease.confirm();
      end.note(0);
      this.#number = inTransaction(database, "write", () => {
        const number = this.#number ?? insertRun(database, runId);
        deleteEntries(database, number, 0);
        for (const entry of entries) this.#writer.write(number, entry);
        return number;
      });
      this.#lastSequence = entries.length;
      end.note(entries.length);
    } catch (error) {
      throw this.#toError(error, "write");
    }
  }

  #toError(error: unknown, action: "read" | "write"): Error {
    const { database, runId } = this.#options;
    return toJournalError(error, { runId, action, findDamage: () => findDamagedEntry(database, runId) });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { database, lease, end } = this.#options;
    try {
      const isNoted = this.#noteEnding();
      database.close();
      if (isNoted) end.remove();
    } finally {
      end.close();
      await lease.release();
    }
  }

  /** Not synced: closing the database does that, and without this mark readers accept the entries that exist. */
  #noteEnding(): boolean {
    const { database, lease } = this.#options;
    if (this.#number === undefined) return false;
    try {
      lease.confirm();
      database.exec("PRAGMA synchronous = NORMAL");
      setEnding(database, this.#number, this.#lastSequence);
      return true;
    } catch {
      // The disk is full, or another process owns the run: the entries are what matters.
      return false;
    }
  }
}
