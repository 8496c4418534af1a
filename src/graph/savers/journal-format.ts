import zlib from "node:zlib"; // by its default: a Node without crc32 must get as far as the check of its version
import type { JournalEntry } from "../model/checkpointer.ts";

/**
 * The text of a journal file: lines that end with a line feed.
 *
 * ```
 * atomic-journal 1 CREATED-AT CRC "RUN-ID"
 * SEQUENCE KIND BODY-LENGTH BODY-CRC SNAPSHOT-OFFSET HEAD-CRC BODY
 * ```
 *
 * F1. The part before the body, its head, has a fixed length and its own checksum. This distinguishes a truncated line
 *     from a changed one: only a truncated line is shorter than its head, or than the length in its head.
 * F2. SNAPSHOT-OFFSET is the position of the latest snapshot at or before the entry, 0 when there is none. So the last
 *     line says where loading starts (E5).
 * F3. A body contains no line feed and no NUL: such text is written as JSON, with a kind in upper case. So the last line
 *     can be found from the end of the file, and NULs at the end are the trace of a power failure.
 */
const FORMAT_VERSION = 1;
const LINE_FEED = 10;

/** The content of a journal's first line. */
export interface JournalHeader {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The first line of a journal. */
export function encodeHeader({ runId, createdAt }: JournalHeader): Buffer {
  const id = JSON.stringify(runId);
  return Buffer.from(
    `atomic-journal ${FORMAT_VERSION} ${createdAt} ${hex(headerSum(FORMAT_VERSION, createdAt, id))} ${id}\n`,
  );
}

function headerSum(version: number, createdAt: number, id: string): number {
  return zlib.crc32(`${version} ${createdAt} ${id}`);
}

/** The result of {@link parseHeader}. */
export type ParsedHeader =
  /** `end` is the position of the first entry. */
  | { readonly type: "header"; readonly header: JournalHeader; readonly end: number }
  | { readonly type: "torn" }
  | { readonly type: "damaged"; readonly detail: string };

/** Parses the first line of a journal. */
export function parseHeader(bytes: Buffer): ParsedHeader {
  const end = bytes.indexOf(LINE_FEED);
  if (end === -1) return { type: "torn" };
  const line = bytes.toString("utf8", 0, end);
  const match = /^atomic-journal (\d+) (\d+) ([0-9a-f]{8}) (".*")$/.exec(line);
  const [, version, createdAt, sum, id = ""] = match ?? [];
  if (match === null || sum !== hex(headerSum(Number(version), Number(createdAt), id))) {
    return { type: "damaged", detail: "its first line is damaged" };
  }
  if (Number(version) !== FORMAT_VERSION) {
    const detail = `its file format is ${version}, this version of Atomic reads ${FORMAT_VERSION}`;
    return { type: "damaged", detail };
  }
  return { type: "header", header: { runId: String(JSON.parse(id)), createdAt: Number(createdAt) }, end: end + 1 };
}

/** Digits of the numbers in a head: sequence and lengths are decimal, checksums and offsets hexadecimal. */
const WIDTH = { sequence: 10, length: 10, sum: 8, offset: 12 } as const;
const HEAD = /^(\d{10}) ([rsRS]) (\d{10}) ([0-9a-f]{8}) ([0-9a-f]{12}) $/;
/** How many bytes of a head its checksum covers. */
const SUMMED_LENGTH = WIDTH.sequence + 1 + WIDTH.length + WIDTH.sum + WIDTH.offset + 5;
/** The length of a head, in bytes. */
export const HEAD_LENGTH = SUMMED_LENGTH + WIDTH.sum + 1;

/**
 * The line of an entry.
 *
 * @param snapshotOffset the position of the latest snapshot, which may be this entry
 */
export function encodeEntry({ sequence, kind, body }: JournalEntry, snapshotOffset: number): Buffer {
  // Unescaped, these would end the line, look like a power failure, or be lost in UTF-8 (F3).
  const isEscaped = /[\n\0]/.test(body) || !body.isWellFormed();
  const text = isEscaped ? JSON.stringify(body) : body;
  const length = Buffer.byteLength(text);
  const letter = kind === "record" ? "r" : "s";
  const head = [
    String(sequence).padStart(WIDTH.sequence, "0"),
    isEscaped ? letter.toUpperCase() : letter,
    String(length).padStart(WIDTH.length, "0"),
    hex(zlib.crc32(text)),
    hex(snapshotOffset, WIDTH.offset),
    "",
  ].join(" ");
  return Buffer.from(`${head}${hex(zlib.crc32(head))} ${text}\n`);
}

/** The result of {@link parseEntry}. */
export type ParsedEntry =
  /** `end` is the position of the next entry. */
  | { readonly type: "entry"; readonly entry: JournalEntry; readonly end: number; readonly snapshotOffset: number }
  /** The bytes end in the middle of a line. */
  | { readonly type: "torn" }
  | { readonly type: "damaged"; readonly detail: string };

const torn = { type: "torn" } as const;

/** Parses the entry at `start`. The bytes extend to the end of the file, and `start` is before it. */
export function parseEntry(bytes: Buffer, start: number): ParsedEntry {
  const head = parseHead(bytes, start);
  if (head.type !== "head") return head;
  const { sequence, letter, length, sum, snapshotOffset } = head;
  const bodyStart = start + HEAD_LENGTH;
  const bodyEnd = bodyStart + length;
  if (bodyEnd >= bytes.length) return torn;
  const text = bytes.subarray(bodyStart, bodyEnd);
  if (bytes[bodyEnd] !== LINE_FEED || hex(zlib.crc32(text)) !== sum) {
    return damagedUnlessTorn(bytes, "its checksum does not match");
  }
  const isEscaped = letter === letter.toUpperCase();
  const body = isEscaped ? String(JSON.parse(text.toString())) : text.toString();
  const kind = letter.toLowerCase() === "s" ? "snapshot" : "record";
  return { type: "entry", entry: { sequence, kind, body }, end: bodyEnd + 1, snapshotOffset };
}

/** The content of a head. */
interface ParsedHead {
  readonly type: "head";
  readonly sequence: number;
  readonly letter: string;
  /** Length of the body, in bytes. */
  readonly length: number;
  readonly sum: string;
  readonly snapshotOffset: number;
}

function parseHead(bytes: Buffer, start: number): ParsedHead | Exclude<ParsedEntry, { type: "entry" }> {
  if (bytes.length - start < HEAD_LENGTH) return torn;
  const summed = bytes.toString("latin1", start, start + SUMMED_LENGTH);
  const expected = `${hex(zlib.crc32(summed))} `;
  const match = HEAD.exec(summed);
  if (match === null || bytes.toString("latin1", start + SUMMED_LENGTH, start + HEAD_LENGTH) !== expected) {
    return damagedUnlessTorn(bytes, "its head is damaged");
  }
  const [, sequence, letter = "", length, sum = "", offset = ""] = match;
  return {
    type: "head",
    sequence: Number(sequence),
    letter,
    length: Number(length),
    sum,
    snapshotOffset: Number.parseInt(offset, 16),
  };
}

/** After a power failure, the missing end of a line may be NULs (F3). */
function damagedUnlessTorn(bytes: Buffer, detail: string): Exclude<ParsedEntry, { type: "entry" }> {
  return bytes.at(-1) === 0 ? { type: "torn" } : { type: "damaged", detail };
}

function hex(value: number, width: number = WIDTH.sum): string {
  return value.toString(16).padStart(width, "0");
}

/** Entries of a stretch of a file. */
export interface ParsedEntries {
  readonly entries: readonly JournalEntry[];
  /** The end of the last entry; anything after it was truncated, or is damaged. */
  readonly end: number;
  /** The position of the latest snapshot, 0 when there is none. */
  readonly snapshotOffset: number;
  /** The first damaged entry. */
  readonly damage: { readonly sequence: number; readonly detail: string } | undefined;
}

/** Settings of {@link parseEntries}. */
export interface ParseEntriesOptions {
  /** The position of the first entry. */
  readonly start: number;
  /** The number of the first entry; absent if it may be any number. */
  readonly firstSequence?: number;
  /** Stop after this entry. @default parse all entries */
  readonly lastSequence?: number;
}

/** Parses entries up to the end of the bytes, which is the end of the file, or up to the first damaged one. */
export function parseEntries(bytes: Buffer, options: ParseEntriesOptions): ParsedEntries {
  const { lastSequence = Number.POSITIVE_INFINITY } = options;
  const entries: JournalEntry[] = [];
  let end = options.start;
  let snapshotOffset = 0;
  let expected = options.firstSequence;
  const stop = (detail?: string): ParsedEntries => {
    const damage = detail === undefined ? undefined : { sequence: expected ?? 1, detail };
    return { entries, end, snapshotOffset, damage };
  };
  while (end < bytes.length && (expected ?? 1) <= lastSequence) {
    const parsed = parseEntry(bytes, end);
    if (parsed.type === "torn") return stop();
    if (parsed.type === "damaged") return stop(parsed.detail);
    const { sequence } = parsed.entry;
    if (sequence !== (expected ?? sequence)) return stop("the entry is missing");
    entries.push(parsed.entry);
    ({ end, snapshotOffset } = parsed);
    expected = sequence + 1;
  }
  return stop();
}

/** The position of the last complete line. `start` is 0 also when the line starts before the bytes. */
export function findLastLine(bytes: Buffer): { readonly start: number; readonly end: number } {
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  return { start: end < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 2) + 1, end };
}

/** Whether a file of this size that starts with these bytes contains a complete entry at `start`, damaged or not. */
export function mayHoldEntry(bytes: Buffer, start: number, fileSize: number): boolean {
  const head = parseHead(bytes, start);
  if (head.type === "head") return start + HEAD_LENGTH + head.length < fileSize;
  return head.type === "damaged";
}
