import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** The length of the write-ahead log of a journal that syncs each step … */
const LOG_BYTES = 256 * 1024;
/** … and after so many pages, of 4,120 bytes in the log, it is brought into the database and begins anew. */
const LOG_PAGES = 60;

/** Has each commit brought to the disk before it counts, with a log that is written over instead of growing. */
export function syncEachCommit(database: DatabaseSync): void {
  database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
}

/**
 * Gives the write-ahead log of a database its length at once. Where it grows with each commit, the system has to bring
 * the new length to the disk too, which makes a sync half as dear again.
 *
 * Call it within a write transaction before anything is committed: as long as it lasts nobody else writes to the log. The
 * zeros behind the log's end are no part of it: SQLite reads up to the first page that does not have the log's salt.
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
    // A log that grows is as safe.
  }
}

function appendZeros(log: number): void {
  const { size } = fstatSync(log);
  const zeros = new Uint8Array(Math.max(0, LOG_BYTES - size));
  try {
    if (writeSync(log, zeros, 0, zeros.length, size) === zeros.length) return;
  } catch {
    // A full disk: what there is left of it is for the pages.
  }
  ftruncateSync(log, size);
}
