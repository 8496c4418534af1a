import type { DatabaseSync, StatementSync } from "node:sqlite";
import zlib from "node:zlib";
import { JournalCorruptError, UnknownRunError } from "../errors/errors.ts";
import type { JournalEntry } from "../model/checkpointer.ts";

/** The lower bits of a position: the entry's sequence. */
const SEQUENCE_BITS = 0xffff_ffff;

const INSERT_RUN = `
  INSERT INTO runs (run_id, created_at) VALUES (?1, ?2)
  ON CONFLICT (run_id) DO UPDATE SET created_at = ?2, last_sequence = NULL RETURNING number
`;
/** Parameters: the run, and its first entry to read. */
const SELECT_ENTRIES = `
  SELECT position & ${SEQUENCE_BITS} AS sequence, kind, body, checksum FROM entries
  WHERE position BETWEEN (?1 << 32) | ?2 AND (?1 << 32) | ${SEQUENCE_BITS} ORDER BY position
`;
/** Parameter: the run. */
const SELECT_SEQUENCES = `
  SELECT position & ${SEQUENCE_BITS} AS sequence FROM entries
  WHERE position BETWEEN ?1 << 32 AND (?1 << 32) | ${SEQUENCE_BITS}
`;
const SELECT_LAST_SEQUENCE = `${SELECT_SEQUENCES} ORDER BY position DESC LIMIT 1`;
const SELECT_LAST_SNAPSHOT = `${SELECT_SEQUENCES} AND kind = 'snapshot' ORDER BY position DESC LIMIT 1`;
const DELETE_ENTRIES = `
  DELETE FROM entries WHERE position > (?1 << 32) | ?2 AND position <= (?1 << 32) | ${SEQUENCE_BITS}
`;

/** A run in the database. */
export interface StoredRun {
  readonly runId: string;
  /** The key of its entries. */
  readonly number: number;
  /** The sequence of its last entry; 0 when it has none. */
  readonly lastSequence: number;
}

/** Finds a run by its id. @throws JournalCorruptError when its end is missing */
export function findRun(database: DatabaseSync, runId: string): StoredRun | undefined {
  const row = database.prepare("SELECT number, last_sequence FROM runs WHERE run_id = ?").get(runId);
  if (row === undefined) return undefined;
  const number = Number(row.number);
  const last = database.prepare(SELECT_LAST_SEQUENCE).get(number);
  const lastSequence = Number(last?.sequence ?? 0);
  if (row.last_sequence !== null && row.last_sequence !== lastSequence) {
    throw new JournalCorruptError(runId, lastSequence + 1, "the entry is missing");
  }
  return { runId, number, lastSequence };
}

/** Inserts a new run and returns its number. */
export function insertRun(database: DatabaseSync, runId: string): number {
  return Number(database.prepare(INSERT_RUN).get(runId, Date.now())?.number);
}

/** Records the last entry when the last writer of a run closes it, or `null` while the run has a writer. */
export function setEnding(database: DatabaseSync, number: number, lastSequence: number | null): void {
  database.prepare("UPDATE runs SET last_sequence = ? WHERE number = ?").run(lastSequence, number);
}

/** Writes the entries of a run. */
export class EntryWriter {
  readonly #runId: string;
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync, runId: string) {
    this.#runId = runId;
    this.#insert = database.prepare("INSERT INTO entries VALUES ((?1 << 32) | ?2, ?3, ?4, ?5)");
  }

  /** @param number the run's number */
  write(number: number, entry: JournalEntry): void {
    const { sequence, kind, body } = entry;
    this.#insert.run(number, sequence, kind, body, checksumOf(this.#runId, sequence, body));
  }
}

/** Covers the text of an entry and its place, so an entry of another run or number does not fit. */
function checksumOf(runId: string, sequence: number, body: string): number {
  return zlib.crc32(body, zlib.crc32(`${sequence} ${runId}`));
}

/** The sequence of a run's latest snapshot; 1 when there is none. */
export function findSnapshot(database: DatabaseSync, { number }: StoredRun): number {
  return Number(database.prepare(SELECT_LAST_SNAPSHOT).get(number)?.sequence ?? 1);
}

/** The entries of a run from `first` to its last. @throws JournalCorruptError */
export function readEntries(database: DatabaseSync, run: StoredRun, first: number): JournalEntry[] {
  const rows = database.prepare(SELECT_ENTRIES).all(run.number, first);
  const entries = rows.map((row, index) => parseRow(row, run.runId, first + index));
  // In a damaged tree a search may end early.
  const next = first + entries.length;
  if (next <= run.lastSequence) throw new JournalCorruptError(run.runId, next, "the entry is missing");
  return entries;
}

/** The first entry of a run that cannot be read. */
export function findDamagedEntry(database: DatabaseSync, runId: string): number {
  for (let sequence = 1; ; sequence++) {
    try {
      const run = database.prepare("SELECT number FROM runs WHERE run_id = ?").get(runId);
      const row = database.prepare(`${SELECT_ENTRIES} LIMIT 1`).get(Number(run?.number), sequence);
      parseRow(row ?? {}, runId, sequence);
    } catch {
      return sequence;
    }
  }
}

/** Checks every field: a damaged database may contain anything anywhere. */
function parseRow(row: Readonly<Record<string, unknown>>, runId: string, expected: number): JournalEntry {
  const { sequence, kind, body, checksum } = row;
  if (sequence !== expected) throw new JournalCorruptError(runId, expected, "the entry is missing");
  const isKnown = kind === "record" || kind === "snapshot";
  if (!isKnown || typeof body !== "string" || checksumOf(runId, expected, body) !== checksum) {
    throw new JournalCorruptError(runId, expected, "its checksum does not match");
  }
  return { sequence: expected, kind, body };
}

/** Drops the entries after one; a run without entries is deleted. @throws UnknownRunError */
export function dropEntries(database: DatabaseSync, runId: string, lastSequence: number): void {
  const row = database.prepare("SELECT number FROM runs WHERE run_id = ?").get(runId);
  if (row === undefined) throw new UnknownRunError(runId);
  const number = Number(row.number);
  deleteEntries(database, number, lastSequence);
  if (lastSequence < 1) database.prepare("DELETE FROM runs WHERE number = ?").run(number);
  else setEnding(database, number, null);
}

/** Deletes the entries of a run after one. */
export function deleteEntries(database: DatabaseSync, number: number, lastSequence: number): void {
  database.prepare(DELETE_ENTRIES).run(number, lastSequence);
}
