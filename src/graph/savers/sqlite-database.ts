import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { loadSqlite, type SqliteModule } from "./load-sqlite.ts";
import { isBusy, isUnwritable } from "./sqlite-errors.ts";

/** The version of the tables' layout, stored in the database; 0 means a new database. */
const LAYOUT = 2;

/**
 * `last_sequence` is set when the last writer of a run closes it, which distinguishes a lost end from a proper one.
 *
 * The `position` of an entry combines the number of its run, in the upper 32 bits, with its sequence, in the lower ones.
 * As the row id, it places an entry at the end of its run in a single tree, so a commit writes one page.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, last_sequence INTEGER
  );
  CREATE TABLE IF NOT EXISTS entries (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL
  );
  PRAGMA user_version = ${LAYOUT};
`;

/** How often to retry a new database that another process is creating too, and the pause between attempts. */
const MAKING = { attempts: 100, pauseMs: 20 } as const;

/** Opens the database, and creates it if missing. */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  const { DatabaseSync: Database } = await loadSqlite(path);
  makePrivate(path);
  const database = new Database(path);
  try {
    database.exec("PRAGMA busy_timeout = 10000");
    const layout = await whenFree(() => layoutOf(database));
    if (layout === 0) await createTables(database);
    else assertLayout(layout);
    // Other data than entries may be lost in a power failure; a journal sets its own level.
    database.exec("PRAGMA synchronous = NORMAL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function layoutOf(database: DatabaseSync): unknown {
  return database.prepare("PRAGMA user_version").get()?.user_version;
}

function assertLayout(layout: unknown): void {
  if (layout !== LAYOUT) throw new Error(`its layout is ${layout}, this version of Atomic reads ${LAYOUT}`);
}

/** An open database and how to close it. */
export interface OpenedDatabase {
  readonly database: DatabaseSync;
  close(): void;
}

/** Opens the database, and creates it if missing. */
export async function openToWrite(path: string): Promise<OpenedDatabase> {
  const database = await openDatabase(path);
  return { database, close: () => database.close() };
}

/**
 * Opens the database to read it, even where nothing can be written. SQLite normally creates files next to it, which it
 * needs as long as others may write. A missing or empty database in a read-only place has no runs.
 */
export async function openToRead(path: string): Promise<OpenedDatabase> {
  try {
    return await openToWrite(path);
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    return openWithoutWriting(await loadSqlite(path), path, error);
  }
}

/**
 * Reads the database as if nobody wrote it. A writer on this machine would have SQLite's files next to the database open,
 * and then even a user who may only read has opened the database through them already. Later writers, and writers on other
 * machines, go unnoticed: the data may be outdated, or look damaged until it is read again.
 *
 * @throws the error of the attempt to write, if reading is impossible too
 */
function openWithoutWriting({ DatabaseSync: Database }: SqliteModule, path: string, cause: unknown): OpenedDatabase {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return openEmpty(new Database(":memory:"));
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const copy = hasLog ? copyWithLog(path, cause) : undefined;
  const remove = (): void => (copy === undefined ? undefined : rmSync(dirname(copy), { recursive: true, force: true }));
  try {
    // Immutable: SQLite creates no files next to it, and ignores a log.
    const place = new URL(`${pathToFileURL(path).href}?immutable=1`);
    const database = copy === undefined ? new Database(place, { readOnly: true }) : new Database(copy);
    const close = (): void => {
      database.close();
      remove();
    };
    try {
      assertLayout(layoutOf(database));
    } catch (error) {
      close();
      throw error;
    }
    return { database, close };
  } catch (error) {
    remove();
    throw isUnwritable(error) ? cause : error;
  }
}

function openEmpty(database: DatabaseSync): OpenedDatabase {
  database.exec(SCHEMA);
  return { database, close: () => database.close() };
}

/** Copies a database with a dead process's log: SQLite can read the log only where it may write it into the database. */
function copyWithLog(path: string, cause: unknown): string {
  const copy = join(mkdtempSync(join(tmpdir(), "atomic-journal-")), basename(path));
  try {
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
    return copy;
  } catch {
    rmSync(dirname(copy), { recursive: true, force: true });
    throw cause;
  }
}

async function createTables(database: DatabaseSync): Promise<void> {
  await whenFree(() => database.exec("PRAGMA journal_mode = WAL"));
  await whenFree(() => inTransaction(database, "write", () => database.exec(SCHEMA)));
}

/**
 * Creates a missing database as an empty file for its owner only; SQLite's files next to it get the same permissions. An
 * existing file is not opened: closing it would release the locks that this process has on it through SQLite.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openExclusively(path));
  } catch {
    // It exists, or the place is read-only, or only SQLite understands the name: opening the database reports the error.
  }
}

function openExclusively(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, "wx", 0o600);
}

/** Retries while busy: when two processes switch a new database to WAL at once, SQLite ignores its own timeout. */
async function whenFree<T>(action: () => T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || attempt === MAKING.attempts) throw error;
    }
    await sleep(MAKING.pauseMs);
  }
}

/** Runs an action in a transaction. Declare writes in advance: SQLite waits for another writer only at the start. */
export function inTransaction<T>(database: DatabaseSync, purpose: "read" | "write", action: () => T): T {
  database.exec(purpose === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // Some errors have already ended the transaction.
  }
}
