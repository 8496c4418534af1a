import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { loadSqlite } from "./load-sqlite.ts";
import { isBusy } from "./sqlite-errors.ts";

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
    const layout = await whenFree(() => database.prepare("PRAGMA user_version").get()?.user_version);
    if (layout === 0) await createTables(database);
    else if (layout !== LAYOUT) throw new Error(`its layout is ${layout}, this version of Atomic reads ${LAYOUT}`);
    // What is not an entry may be lost in a power cut; a journal sets its own level.
    database.exec("PRAGMA synchronous = NORMAL");
    return database;
  } catch (error) {
    database.close();
    throw error;
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
