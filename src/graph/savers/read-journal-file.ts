import { type FileHandle, open, readFile } from "node:fs/promises";
import { JournalCorruptError } from "../errors/errors.ts";
import type { JournalEntry } from "../model/checkpointer.ts";
import {
  findLastLine,
  HEAD_LENGTH,
  type JournalHeader,
  mayHoldEntry,
  type ParsedHeader,
  parseEntries,
  parseEntry,
  parseHeader,
} from "./journal-format.ts";
import { ignoreMissing } from "./run-lease.ts";

/** How much to read first from the start and from the end of a file, in bytes. */
const FIRST_READ = 4_096;
const LAST_READ = 65_536;
/** The factor by which to read more if that was not enough. */
const GROWTH = 4;
/** How often to read a file that changes while it is read. */
const READ_ATTEMPTS = 3;

/** The positions of a journal file's entries. */
export interface JournalTail {
  /** The start of the first entry. */
  readonly start: number;
  /** The end of the last complete entry. */
  readonly end: number;
  /** The start of the latest snapshot, 0 when there is none. */
  readonly snapshotOffset: number;
}

/** Reads the bytes between two positions of a file. */
export async function readRange(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, from + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** The first line of a journal file, and whether an entry follows it, damaged or not. */
interface JournalStart {
  readonly parsed: ParsedHeader;
  readonly hasEntry: boolean;
}

async function readStart(file: FileHandle, size: number): Promise<JournalStart> {
  for (let length = FIRST_READ; ; length *= GROWTH) {
    const bytes = await readRange(file, 0, Math.min(length, size));
    const parsed = parseHeader(bytes);
    const isEnough = parsed.type !== "torn" && (parsed.type === "damaged" || parsed.end + HEAD_LENGTH <= bytes.length);
    if (!isEnough && bytes.length < size) continue;
    return { parsed, hasEntry: parsed.type === "header" && mayHoldEntry(bytes, parsed.end, size) };
  }
}

/** The header of a journal file; undefined if the file is missing or has no entry. Damaged files have no header. */
export async function readJournalHeader(
  path: string,
): Promise<{ readonly header: JournalHeader | undefined } | undefined> {
  return await withFile(path, async (file) => {
    const { size } = await file.stat();
    const { parsed, hasEntry } = await readStart(file, size);
    if (parsed.type === "header") return hasEntry ? { header: parsed.header } : undefined;
    return parsed.type === "damaged" ? { header: undefined } : undefined;
  });
}

/**
 * The positions of a journal's entries, from its last line and without reading the earlier ones (E5); undefined when there
 * is no entry.
 *
 * @throws JournalCorruptError
 */
export async function readJournalTail(path: string, runId: string): Promise<JournalTail | undefined> {
  return await withFile(path, async (file) => {
    const { size } = await file.stat();
    const { parsed } = await readStart(file, size);
    const start = startOf(parsed, runId) ?? size;
    if (start === size) return;
    return (await readLastLine(file, start, size)) ?? (await readAllLines(path, runId));
  });
}

/** The tail according to the last line; undefined if the end of the file is damaged. */
async function readLastLine(file: FileHandle, start: number, size: number): Promise<JournalTail | undefined> {
  for (let length = LAST_READ; ; length *= GROWTH) {
    const from = Math.max(start, size - length);
    const bytes = await readRange(file, from, size);
    const line = findLastLine(bytes);
    if (line.start === 0 && from > start) continue;
    if (line.end === 0) return undefined;
    const last = parseEntry(bytes, line.start);
    if (last.type !== "entry" || last.end !== line.end) return undefined;
    if (line.end < bytes.length && parseEntry(bytes, line.end).type !== "torn") return undefined;
    return { start, end: from + line.end, snapshotOffset: last.snapshotOffset };
  }
}

async function readAllLines(path: string, runId: string): Promise<JournalTail | undefined> {
  const { start, end, snapshotOffset } = await readJournal(path, runId);
  return end === start ? undefined : { start, end, snapshotOffset };
}

/** The entries and positions of a journal. */
export interface ReadJournal extends JournalTail {
  readonly entries: readonly JournalEntry[];
}

/** A journal without entries. */
const EMPTY: ReadJournal = { entries: [], start: 0, end: 0, snapshotOffset: 0 };

/**
 * Reads a journal from its start, even while it is being written. An incomplete line at the end is ignored.
 *
 * @param lastSequence stop after this entry
 * @throws JournalCorruptError
 */
export async function readJournal(path: string, runId: string, lastSequence?: number): Promise<ReadJournal> {
  let previous: Buffer | undefined;
  for (let attempt = 1; ; attempt++) {
    const bytes = await readFile(path).catch(ignoreMissing);
    if (bytes === undefined) return EMPTY;
    try {
      return parseJournal(bytes, runId, lastSequence);
    } catch (error) {
      // A writer that replaces a dead writer's incomplete line changes bytes that are being read.
      if (attempt === READ_ATTEMPTS || previous?.equals(bytes) === true) throw error;
      previous = bytes;
    }
  }
}

function parseJournal(bytes: Buffer, runId: string, lastSequence: number | undefined): ReadJournal {
  const start = startOf(parseHeader(bytes), runId);
  if (start === undefined) return EMPTY;
  const limit = lastSequence === undefined ? {} : { lastSequence };
  const { entries, end, snapshotOffset, damage } = parseEntries(bytes, { start, firstSequence: 1, ...limit });
  if (damage !== undefined) throw new JournalCorruptError(runId, damage.sequence, damage.detail);
  return { entries, start, end, snapshotOffset };
}

/** The position of the entries after a header; undefined when the header is truncated. @throws JournalCorruptError */
function startOf(parsed: ParsedHeader, runId: string): number | undefined {
  switch (parsed.type) {
    case "torn":
      return undefined;
    case "damaged":
      throw new JournalCorruptError(runId, 1, parsed.detail);
    case "header": {
      const { header, end } = parsed;
      if (header.runId !== runId) {
        throw new JournalCorruptError(runId, 1, `the file is the journal of the run "${header.runId}"`);
      }
      return end;
    }
  }
}

async function withFile<T>(path: string, action: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await open(path, "r").catch(ignoreMissing);
  if (file === undefined) return undefined;
  try {
    return await action(file);
  } finally {
    await file.close();
  }
}
