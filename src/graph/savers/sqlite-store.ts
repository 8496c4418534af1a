import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { Checkpointer, JournalEntry, RunJournal } from "../checkpointer.ts";
import { JournalReadError, RunExistsError, UnknownRunError } from "../errors.ts";
import { FolderMailbox } from "./folder-mailbox.ts";
import { type RunLease, RunLeases } from "./run-lease.ts";
import { findDamagedEntry, findLastSequence, inTransaction, openDatabase, readEntries } from "./sqlite-database.ts";
import { toJournalError } from "./sqlite-errors.ts";

const LIST_RUNS = `
  SELECT run_id FROM runs WHERE EXISTS (SELECT 1 FROM entries WHERE entries.run_id = runs.run_id)
  ORDER BY created_at, run_id
`;

/** Settings of a `SqliteSaver`. */
export interface SqliteSaverOptions {
  /** The database file; it and its folder are made when missing. */
  readonly path: string;
  /**
   * `every-step`: a step is on the disk itself before the next begins, a power cut included (SQLite's
   * `synchronous=FULL`). `on-checkpoint`: it survives the death of the process at any moment, but a power cut may cost
   * the last steps (`synchronous=NORMAL`).
   * @default "every-step"
   */
  readonly durability?: "every-step" | "on-checkpoint";
  /** Who this process is, for the message another one gets while this one holds a run. @default its id and host */
  readonly owner?: string;
  /**
   * This process's id. Only needed elsewhere than on Linux, to notice at once, and not after half a minute, that the
   * process that held a run is gone.
   */
  readonly processId?: number;
}

/** The code of a `SqliteSaver`. */
export class SqliteStore implements Checkpointer {
  readonly mailbox: FolderMailbox;
  readonly #options: SqliteSaverOptions;
  readonly #leases: RunLeases;

  constructor(options: SqliteSaverOptions) {
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
      const lastSequence = findLastSequence(database, runId);
      if (mode === "create" && lastSequence > 0) throw new RunExistsError(runId);
      if (mode === "resume" && lastSequence === 0) throw new UnknownRunError(runId);
      if (mode === "resume") database.prepare("DELETE FROM endings WHERE run_id = ?").run(runId);
      // A process that died before its first entry has left a row.
      else database.prepare("INSERT OR REPLACE INTO runs (run_id, created_at) VALUES (?, ?)").run(runId, Date.now());
      const isSyncedEachTime = this.#options.durability !== "on-checkpoint";
      return new SqliteJournal({ runId, database, lease, lastSequence, isSyncedEachTime });
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
        const last = findLastSequence(database, runId);
        if (last === 0) throw new UnknownRunError(runId);
        return readEntries(database, runId, { first: 1, last });
      }),
    );
  }

  async list(): Promise<readonly string[]> {
    return await this.#withDatabase({ action: "read" }, (database) => {
      const rows = database.prepare(LIST_RUNS).all();
      return rows.map((row) => String(row.run_id));
    });
  }

  async delete(runId: string): Promise<void> {
    await this.truncate(runId, 0);
    await this.mailbox.clear(runId);
  }

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
      await this.#withDatabase({ runId, action: "write" }, (database) => {
        inTransaction(database, "write", () => dropEntries(database, runId, lastSequence));
      });
    } finally {
      await lease.release();
    }
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
    let database: DatabaseSync | undefined;
    try {
      database = await openDatabase(this.#options.path);
      return action(database);
    } catch (error) {
      const opened = database;
      if (opened === undefined || runId === undefined) throw toJournalError(error, about);
      throw toJournalError(error, { ...about, findDamage: () => findDamagedEntry(opened, runId) });
    } finally {
      database?.close();
    }
  }
}

/** @throws UnknownRunError */
function dropEntries(database: DatabaseSync, runId: string, lastSequence: number): void {
  const known = database.prepare("SELECT 1 FROM entries WHERE run_id = ? LIMIT 1").get(runId);
  if (known === undefined) throw new UnknownRunError(runId);
  database.prepare("DELETE FROM entries WHERE run_id = ? AND sequence > ?").run(runId, lastSequence);
  database.prepare("DELETE FROM endings WHERE run_id = ?").run(runId);
  if (lastSequence < 1) database.prepare("DELETE FROM runs WHERE run_id = ?").run(runId);
}

/** What a {@link SqliteJournal} is opened with. */
interface SqliteJournalOptions {
  readonly runId: string;
  readonly database: DatabaseSync;
  readonly lease: RunLease;
  readonly lastSequence: number;
  readonly isSyncedEachTime: boolean;
}

class SqliteJournal implements RunJournal {
  readonly #options: SqliteJournalOptions;
  readonly #insert: StatementSync;
  #lastSequence: number;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteJournalOptions) {
    const { database, lastSequence, isSyncedEachTime } = options;
    this.#options = options;
    this.#lastSequence = lastSequence;
    if (isSyncedEachTime) database.exec("PRAGMA synchronous = FULL");
    this.#insert = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?)");
  }

  load(): readonly JournalEntry[] {
    const { database, runId } = this.#options;
    try {
      const latest = database
        .prepare("SELECT MAX(sequence) AS sequence FROM entries WHERE run_id = ? AND kind = 'snapshot'")
        .get(runId);
      return readEntries(database, runId, { first: Number(latest?.sequence ?? 0) || 1, last: this.#lastSequence });
    } catch (error) {
      throw this.#toError(error, "read");
    }
  }

  append({ sequence, kind, body }: JournalEntry): void {
    const { lease, runId } = this.#options;
    try {
      lease.confirm();
      this.#insert.run(runId, sequence, kind, body, crc32(body));
      this.#lastSequence = sequence;
    } catch (error) {
      throw this.#toError(error, "write");
    }
  }

  replace(entries: readonly JournalEntry[]): void {
    const { database, lease, runId } = this.#options;
    try {
      lease.confirm();
      inTransaction(database, "write", () => {
        database.prepare("DELETE FROM entries WHERE run_id = ?").run(runId);
        for (const { sequence, kind, body } of entries) this.#insert.run(runId, sequence, kind, body, crc32(body));
      });
      this.#lastSequence = entries.length;
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
    const { database, lease } = this.#options;
    try {
      this.#noteEnding();
      database.close();
    } finally {
      await lease.release();
    }
  }

  /** Closing brings it to the disk; without it a reader takes whatever entries there are. */
  #noteEnding(): void {
    const { database, runId, lease } = this.#options;
    if (this.#lastSequence === 0) return;
    try {
      lease.confirm();
      database.exec("PRAGMA synchronous = NORMAL");
      database.prepare("INSERT OR REPLACE INTO endings VALUES (?, ?)").run(runId, this.#lastSequence);
    } catch {
      // A full disk, or a run that is another's by now: the entries are what counts.
    }
  }
}
