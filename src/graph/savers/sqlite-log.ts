import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** The length of the write-ahead log of a journal that syncs each step … */
const LOG_BYTES = 256 * 1024;
/** … and after this many pages, of 4,120 bytes in the log, it is copied into the database and restarts. */
const LOG_PAGES = 60;

/** Syncs each commit to disk, with a log that is overwritten instead of growing. */
export function syncEachCommit(database: DatabaseSync): void {
  database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
}

/**
 * Extends the write-ahead log of a database to its full length at once. If it grew with each commit, the system would have
 * to sync the new length too, which makes a sync half as expensive again.
 *
 * Call it in a write transaction before anything is committed: until it ends, nobody else writes to the log. The zeros
 * after the log's end do no harm: SQLite reads up to the first page without the log's salt.
 *
 * @param path the database file
 */
export function lengthenLog(path: string): void {
  try {
    const log = openSync(`${path}-wal`, "r+");
    try {
      appendZeros(log);
    } finally {
      closeSync(log);
    }
  } catch {
    // A log that grows is just as safe.
  }
}

function appendZeros(log: number): void {
  const { size } = fstatSync(log);
  const zeros = new Uint8Array(Math.max(0, LOG_BYTES - size));
  try {
    if (writeSync(log, zeros, 0, zeros.length, size) === zeros.length) return;
  } catch {
    // The disk is full: leave the remaining space to the pages.
  }
  ftruncateSync(log, size);
}
