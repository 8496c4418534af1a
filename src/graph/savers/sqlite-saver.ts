import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { Checkpointer, JournalEntry, RunJournal } from "../checkpointer.ts";
import { JournalCorruptError, RunExistsError, RunLockedError, UnknownRunError } from "../errors.ts";

/** Settings of a {@link SqliteSaver}. */
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
  /** Who this process is, for the message another one gets while this one holds a run. @default "another process" */
  readonly owner?: string;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, owner TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entries (
    run_id TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (run_id, sequence)
  ) WITHOUT ROWID;
`;

const LIST_RUNS = `
  SELECT run_id FROM runs WHERE EXISTS (SELECT 1 FROM entries WHERE entries.run_id = runs.run_id)
  ORDER BY created_at, run_id
`;

/** A row of `entries`. */
interface EntryRow {
  readonly sequence: number;
  readonly kind: string;
  readonly body: string;
  readonly checksum: number;
}

/**
 * Keeps journals in an SQLite file. Several processes may use the file at once; each run has one writer (E9). Needs Bun,
 * or Node 22 and later.
 *
 * The writer of a run holds an exclusive lock on a file of its own beside the database. The operating system gives the
 * lock up when the process ends, `kill -9` included, so that a dead process never holds a run.
 */
export class SqliteSaver implements Checkpointer {
  readonly #options: SqliteSaverOptions;

  constructor(options: SqliteSaverOptions) {
    this.#options = options;
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    const database = await this.#connect();
    let lease: DatabaseSync | undefined;
    try {
      lease = await this.#takeLease(runId, database);
      const isKnown = hasEntries(database, runId);
      if (mode === "create" && isKnown) throw new RunExistsError(runId);
      if (mode === "resume" && !isKnown) throw new UnknownRunError(runId);
      database
        .prepare("INSERT INTO runs VALUES (?, ?, ?) ON CONFLICT (run_id) DO UPDATE SET owner = excluded.owner")
        .run(runId, Date.now(), this.#options.owner ?? null);
      return new SqliteJournal(runId, database, lease);
    } catch (error) {
      lease?.close();
      database.close();
      throw error;
    }
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    return await this.#withDatabase((database) => {
      const entries = readEntries(database, runId, 1);
      if (entries.length === 0) throw new UnknownRunError(runId);
      return entries;
    });
  }

  async list(): Promise<readonly string[]> {
    return await this.#withDatabase((database) => {
      const rows = database.prepare(LIST_RUNS).all();
      return rows.map((row) => String(row.run_id));
    });
  }

  async delete(runId: string): Promise<void> {
    await this.#withDatabase(async (database) => {
      const lease = await this.#takeLease(runId, database);
      try {
        const { changes } = database.prepare("DELETE FROM entries WHERE run_id = ?").run(runId);
        database.prepare("DELETE FROM runs WHERE run_id = ?").run(runId);
        if (Number(changes) === 0) throw new UnknownRunError(runId);
      } finally {
        lease.close();
        await rm(this.#leasePath(runId), { force: true });
      }
    });
  }

  /** Whether a process, or another part of this one, executes the run at this moment. */
  async isHeld(runId: string): Promise<boolean> {
    return await this.#withDatabase(async (database) => {
      try {
        (await this.#takeLease(runId, database)).close();
        return false;
      } catch (error) {
        if (error instanceof RunLockedError) return true;
        throw error;
      }
    });
  }

  async #withDatabase<T>(action: (database: DatabaseSync) => T | Promise<T>): Promise<T> {
    const database = await this.#connect();
    try {
      return await action(database);
    } finally {
      database.close();
    }
  }

  async #connect(): Promise<DatabaseSync> {
    const { path, durability = "every-step" } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Imported late: Node 20 has no node:sqlite, and must still be able to load the engine.
    const { DatabaseSync: Database } = await import("node:sqlite");
    const database = new Database(path);
    try {
      database.exec("PRAGMA busy_timeout = 10000");
      await whenFree(() => database.exec("PRAGMA journal_mode = WAL"));
      database.exec(`PRAGMA synchronous = ${durability === "every-step" ? "FULL" : "NORMAL"}`);
      await whenFree(() => database.exec(SCHEMA));
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #leasePath(runId: string): string {
    return `${this.#options.path}.${encodeURIComponent(runId)}.lock`;
  }

  async #takeLease(runId: string, database: DatabaseSync): Promise<DatabaseSync> {
    const { DatabaseSync: Database } = await import("node:sqlite");
    const lease = new Database(this.#leasePath(runId));
    try {
      // Long enough for another process to have merely looked whether the run is held.
      lease.exec("PRAGMA busy_timeout = 250");
      lease.exec("BEGIN EXCLUSIVE");
      return lease;
    } catch (error) {
      lease.close();
      if (!isBusy(error)) throw error;
      const row = database.prepare("SELECT owner FROM runs WHERE run_id = ?").get(runId);
      const owner = row?.owner;
      throw new RunLockedError(runId, typeof owner === "string" ? owner : undefined);
    }
  }
}

class SqliteJournal implements RunJournal {
  readonly #runId: string;
  readonly #database: DatabaseSync;
  readonly #lease: DatabaseSync;
  readonly #insert: StatementSync;
  #isClosed = false;

  constructor(runId: string, database: DatabaseSync, lease: DatabaseSync) {
    this.#runId = runId;
    this.#database = database;
    this.#lease = lease;
    this.#insert = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?)");
  }

  load(): readonly JournalEntry[] {
    const latest = this.#database
      .prepare("SELECT MAX(sequence) AS sequence FROM entries WHERE run_id = ? AND kind = 'snapshot'")
      .get(this.#runId);
    return readEntries(this.#database, this.#runId, Number(latest?.sequence ?? 0) || 1);
  }

  append({ sequence, kind, body }: JournalEntry): void {
    this.#insert.run(this.#runId, sequence, kind, body, crc32(body));
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.close();
    this.#lease.close();
  }
}

/** A process that died before its first entry leaves a run that never began: it does not exist. */
function hasEntries(database: DatabaseSync, runId: string): boolean {
  return database.prepare("SELECT 1 FROM entries WHERE run_id = ? LIMIT 1").get(runId) !== undefined;
}

function readEntries(database: DatabaseSync, runId: string, fromSequence: number): JournalEntry[] {
  // The cast is true: these are the columns of the query, with the types of the schema.
  const rows = database
    .prepare("SELECT sequence, kind, body, checksum FROM entries WHERE run_id = ? AND sequence >= ? ORDER BY sequence")
    .all(runId, fromSequence) as unknown as EntryRow[];
  return rows.map(({ sequence, kind, body, checksum }, index) => {
    if (sequence !== fromSequence + index)
      throw new JournalCorruptError(runId, fromSequence + index, "the entry is missing");
    if (crc32(body) !== checksum) throw new JournalCorruptError(runId, sequence, "its checksum does not match");
    return { sequence, kind: kind === "snapshot" ? "snapshot" : "record", body };
  });
}

/** How often, and after how long, a new database is tried that another process is making too. */
const MAKING = { attempts: 100, pauseMs: 20 } as const;

/** SQLite does not wait, whatever its timeout, when two processes switch a new database to WAL at the same moment. */
async function whenFree(action: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || attempt === MAKING.attempts) throw error;
    }
    await sleep(MAKING.pauseMs);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /locked|busy/i.test(error.message);
}
