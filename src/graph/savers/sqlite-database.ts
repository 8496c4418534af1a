import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import type { JournalEntry } from "../checkpointer.ts";
import { JournalCorruptError } from "../errors.ts";
import { isBusy } from "./sqlite-errors.ts";

/** How the tables are laid out; kept in the database, where 0 means that it is new. */
const LAYOUT = 1;

/**
 * `endings` has a row for each run whose last writer has let go of it: so a lost end is told from an end. `entries` has row
 * ids: without them SQLite gives every entry of more than a kilobyte a page of its own.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, created_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entries (
    run_id TEXT NOT NULL, sequence INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (run_id, sequence)
  );
  CREATE TABLE IF NOT EXISTS endings (run_id TEXT PRIMARY KEY, last_sequence INTEGER NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = ${LAYOUT};
`;

/** How often, and after how long, a new database is tried that another process is making too. */
const MAKING = { attempts: 100, pauseMs: 20 } as const;

/** Opens the database, and makes it when it is missing. */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await makePrivate(path);
  // Imported late: Node 20 has no node:sqlite, and must still be able to load the engine.
  const { DatabaseSync: Database } = await import("node:sqlite");
  const database = new Database(path);
  try {
    database.exec("PRAGMA busy_timeout = 10000");
    await whenFree(() => database.exec("PRAGMA journal_mode = WAL"));
    // What is not an entry may be lost in a power cut; a journal sets its own level.
    database.exec("PRAGMA synchronous = NORMAL");
    const layout = database.prepare("PRAGMA user_version").get()?.user_version;
    if (layout === 0) await whenFree(() => inTransaction(database, "write", () => database.exec(SCHEMA)));
    else if (layout !== LAYOUT) throw new Error(`its layout is ${layout}, this version of Atomic reads ${LAYOUT}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Makes a missing database as an empty file for its owner only; SQLite's files beside it get the same permissions. */
async function makePrivate(path: string): Promise<void> {
  try {
    await (await open(path, "a", 0o600)).close();
  } catch {
    // A read-only place, or a name that only SQLite understands: opening the database tells.
  }
}

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

/** The number of a run's last entry, 0 when it has none. @throws JournalCorruptError when its end is missing */
export function findLastSequence(database: DatabaseSync, runId: string): number {
  const last = database.prepare("SELECT MAX(sequence) AS sequence FROM entries WHERE run_id = ?").get(runId);
  const sequence = Number(last?.sequence ?? 0);
  const ending = database.prepare("SELECT last_sequence FROM endings WHERE run_id = ?").get(runId);
  if (ending !== undefined && ending.last_sequence !== sequence) {
    throw new JournalCorruptError(runId, sequence + 1, "the entry is missing");
  }
  return sequence;
}

/** The entries of a run from one to its last. @throws JournalCorruptError */
export function readEntries(
  database: DatabaseSync,
  runId: string,
  { first, last }: { readonly first: number; readonly last: number },
): JournalEntry[] {
  const rows = database
    .prepare("SELECT sequence, kind, body, checksum FROM entries WHERE run_id = ? AND sequence >= ? ORDER BY sequence")
    .all(runId, first);
  const entries = rows.map((row, index) => parseRow(row, runId, first + index));
  // In a damaged index a search may end early.
  const next = first + entries.length;
  if (next <= last) throw new JournalCorruptError(runId, next, "the entry is missing");
  return entries;
}

/** The first entry of a run that cannot be read. */
export function findDamagedEntry(database: DatabaseSync, runId: string): number {
  for (let sequence = 1; ; sequence++) {
    try {
      const row = database
        .prepare("SELECT sequence, kind, body, checksum FROM entries WHERE run_id = ? AND sequence = ?")
        .get(runId, sequence);
      parseRow(row ?? {}, runId, sequence);
    } catch {
      return sequence;
    }
  }
}

/** A damaged database may hold anything anywhere. */
function parseRow(row: Readonly<Record<string, unknown>>, runId: string, expected: number): JournalEntry {
  const { sequence, kind, body, checksum } = row;
  if (sequence !== expected) throw new JournalCorruptError(runId, expected, "the entry is missing");
  const isKnown = kind === "record" || kind === "snapshot";
  if (!isKnown || typeof body !== "string" || crc32(body) !== checksum) {
    throw new JournalCorruptError(runId, expected, "its checksum does not match");
  }
  return { sequence: expected, kind, body };
}
