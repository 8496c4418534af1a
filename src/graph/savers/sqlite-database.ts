import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { loadSqlite, type SqliteModule } from "./load-sqlite.ts";
import { isBusy, isUnwritable } from "./sqlite-errors.ts";

/** How the tables are laid out; kept in the database, where 0 means that it is new. */
const LAYOUT = 2;

/**
 * `last_sequence` is set when the last writer of a run has let go of it: so a lost end is told from an end.
 *
 * The `position` of an entry is the number of its run in the upper 32 bits and its sequence in the lower ones. It is the
 * row id, so that an entry goes into one tree, at the end of its run's: a commit writes one page.
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

/** How often, and after how long, a new database is tried that another process is making too. */
const MAKING = { attempts: 100, pauseMs: 20 } as const;

/** Opens the database, and makes it when it is missing. */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  const { DatabaseSync: Database } = await loadSqlite(path);
  makePrivate(path);
  const database = new Database(path);
  try {
    database.exec("PRAGMA busy_timeout = 10000");
    const layout = await whenFree(() => layoutOf(database));
    if (layout === 0) await createTables(database);
    else assertLayout(layout);
    // What is not an entry may be lost in a power cut; a journal sets its own level.
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

/** A database that is open, and how it is closed. */
export interface OpenedDatabase {
  readonly database: DatabaseSync;
  close(): void;
}

/** Opens the database, and makes it when it is missing. */
export async function openToWrite(path: string): Promise<OpenedDatabase> {
  const database = await openDatabase(path);
  return { database, close: () => database.close() };
}

/**
 * Opens the database to read it, also where nothing can be written: SQLite would make files beside it, which it needs as
 * long as others may write. One that is missing there, or has no bytes, has no runs.
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
 * Reads what is there, as nobody writes it. Somebody who does on this machine has SQLite's files beside the database open,
 * through which it was opened before this, also by a user who may only read. A writer that comes meanwhile, or one on
 * another machine, is not seen: what is read may be an older state then, or count as damaged until it is read again.
 *
 * @throws the error that writing has met, where reading is not possible either
 */
function openWithoutWriting({ DatabaseSync: Database }: SqliteModule, path: string, cause: unknown): OpenedDatabase {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return openEmpty(new Database(":memory:"));
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const copy = hasLog ? copyWithLog(path, cause) : undefined;
  const remove = (): void => (copy === undefined ? undefined : rmSync(dirname(copy), { recursive: true, force: true }));
  try {
    // Immutable: SQLite makes no files beside it then, and looks at no log.
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

/** What a dead process left in the log can be read only where SQLite may bring it into the database. */
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
 * Makes a missing database as an empty file for its owner only; SQLite's files beside it get the same permissions. A file
 * that is there is not opened: closing it again would give up the locks that this process has on it through SQLite.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openExclusively(path));
  } catch {
    // It is there, or this is a read-only place, or a name that only SQLite understands: opening the database tells.
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

/** SQLite does not wait, whatever its timeout, when two processes switch a new database to WAL at the same moment. */
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

/** Does several things as one. Who will write has to say so: waiting for another writer is possible only at the start. */
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
    // Some errors have ended the transaction already.
  }
}
