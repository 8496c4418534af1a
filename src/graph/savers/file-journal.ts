import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { AtomicError } from "../../contracts/index.ts";
import { replaceFile, syncFolder } from "../../system/index.ts";
import { JournalCorruptError, JournalWriteError } from "../errors/errors.ts";
import type { JournalEntry, RunJournal } from "../model/checkpointer.ts";
import type { JournalEnd } from "./journal-end.ts";
import { encodeEntry, encodeHeader, parseEntries } from "./journal-format.ts";
import { type JournalTail, readJournalHeader, readRange } from "./read-journal-file.ts";
import type { RunLease } from "./run-lease.ts";

const syncFile = promisify(fdatasync);

/** Settings of a {@link FileJournal}. */
export interface FileJournalOptions {
  readonly runId: string;
  readonly path: string;
  readonly lease: RunLease;
  /** Whether {@link FileJournal.append} resolves only after the entry is on disk. */
  readonly isSyncedEachTime: boolean;
  /** Where the file's entries end; absent when the run does not exist yet. */
  readonly tail: JournalTail | undefined;
  /** Records the journal's length while it is being written. */
  readonly end: JournalEnd;
}

/** A journal file, open for appending. */
export class FileJournal implements RunJournal {
  readonly #options: FileJournalOptions;
  /** The file's descriptor; absent before the first entry, because a run without entries has no file. */
  #file: number | undefined;
  #tail: JournalTail;
  /** The first error of the file. Nothing is written after it: entries after a gap could not be read. */
  #failure: AtomicError | undefined;
  #lastSync: Promise<void> = Promise.resolve();
  #nextSync: Promise<void> | undefined;
  #isFolderSynced: boolean;
  #closing: Promise<void> | undefined;

  /** @throws the system's error */
  constructor(options: FileJournalOptions) {
    const { path, tail } = options;
    this.#options = options;
    this.#isFolderSynced = tail !== undefined;
    this.#tail = tail ?? { start: 0, end: 0, snapshotOffset: 0 };
    if (tail === undefined) return;
    this.#file = openSync(path, "r+");
    try {
      // A dead process may have left an incomplete line, which must not precede the next entry.
      ftruncateSync(this.#file, tail.end);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  async load(): Promise<readonly JournalEntry[]> {
    const { runId, path } = this.#options;
    if (this.#file === undefined) return [];
    const { start, end, snapshotOffset } = this.#tail;
    const file = await open(path, "r");
    try {
      const bytes = await readRange(file, snapshotOffset === 0 ? start : snapshotOffset, end);
      const { entries, damage } = parseEntries(
        bytes,
        snapshotOffset === 0 ? { start: 0, firstSequence: 1 } : { start: 0 },
      );
      if (damage !== undefined) throw new JournalCorruptError(runId, damage.sequence, damage.detail);
      return entries;
    } finally {
      await file.close();
    }
  }

  /** Calls may overlap: entries are written in order and share the sync to disk. @throws JournalWriteError */
  append(entry: JournalEntry): void | Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      // Once the lease is lost, the file belongs to another process and must not be touched.
      this.#options.lease.confirm();
    } catch (cause) {
      this.#fail(cause);
    }
    try {
      this.#write(entry);
    } catch (cause) {
      this.#dropUnfinished();
      this.#fail(cause);
    }
    const { isSyncedEachTime, end } = this.#options;
    if (!isSyncedEachTime) return end.note(entry.sequence);
    return this.#sync().then(() => end.note(entry.sequence));
  }

  /** The new file replaces the old one only when it is complete and on disk. */
  async replace(entries: readonly JournalEntry[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { runId, path, lease, end } = this.#options;
    try {
      lease.confirm();
      await this.#lastSync;
      end.note(0);
      const known = await readJournalHeader(path);
      const header = encodeHeader({ runId, createdAt: known?.header?.createdAt ?? Date.now() });
      const { lines, tail } = encodeEntries(entries, header.length);
      await replaceFile(path, Buffer.concat([header, ...lines]));
      const previous = this.#file;
      this.#file = openSync(path, "r+");
      this.#tail = tail;
      this.#isFolderSynced = true;
      end.note(entries.length);
      if (previous !== undefined) closeSync(previous);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #write(entry: JournalEntry): void {
    const { runId, path } = this.#options;
    const isFirst = this.#file === undefined;
    this.#file ??= openSync(path, "w", 0o600);
    const header = isFirst ? encodeHeader({ runId, createdAt: Date.now() }) : Buffer.alloc(0);
    const { end } = this.#tail;
    const offset = end + header.length;
    const snapshotOffset = entry.kind === "snapshot" ? offset : this.#tail.snapshotOffset;
    const line = Buffer.concat([header, encodeEntry(entry, snapshotOffset)]);
    writeFully(this.#file, line, end);
    this.#tail = { start: isFirst ? offset : this.#tail.start, end: end + line.length, snapshotOffset };
  }

  /** One sync at a time; entries written during one share the next. */
  #sync(): Promise<void> {
    this.#nextSync ??= this.#lastSync.then(async () => {
      this.#nextSync = undefined;
      if (this.#failure !== undefined) throw this.#failure;
      try {
        await this.#syncNow();
      } catch (cause) {
        this.#fail(cause);
      }
    });
    const written = this.#nextSync;
    this.#lastSync = written.catch(() => undefined);
    return written;
  }

  async #syncNow(): Promise<void> {
    if (this.#file !== undefined) await syncFile(this.#file);
    if (this.#isFolderSynced) return;
    await syncFolder(dirname(this.#options.path));
    this.#isFolderSynced = true;
  }

  #fail(cause: unknown): never {
    const { runId } = this.#options;
    this.#failure = cause instanceof AtomicError ? cause : new JournalWriteError(runId, { cause });
    throw this.#failure;
  }

  /** Restores the file to its state before a failed write. */
  #dropUnfinished(): void {
    try {
      if (this.#file !== undefined && this.#tail.end > 0) ftruncateSync(this.#file, this.#tail.end);
      else if (this.#file !== undefined) rmSync(this.#options.path, { force: true });
    } catch {
      // Readers ignore an incomplete line.
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { lease, runId, end } = this.#options;
    try {
      await this.#closeFile();
      if (this.#failure === undefined) end.remove();
    } catch (cause) {
      throw new JournalWriteError(runId, { cause });
    } finally {
      end.close();
      await lease.release();
    }
  }

  async #closeFile(): Promise<void> {
    await this.#lastSync;
    if (this.#file === undefined) return;
    try {
      if (!this.#options.isSyncedEachTime && this.#failure === undefined) await this.#syncNow();
    } finally {
      closeSync(this.#file);
    }
  }
}

function encodeEntries(
  entries: readonly JournalEntry[],
  start: number,
): { readonly lines: readonly Buffer[]; readonly tail: JournalTail } {
  let end = start;
  let snapshotOffset = 0;
  const lines = entries.map((entry) => {
    if (entry.kind === "snapshot") snapshotOffset = end;
    const line = encodeEntry(entry, snapshotOffset);
    end += line.length;
    return line;
  });
  return { lines, tail: { start, end, snapshotOffset } };
}

/** Writes all bytes. A single call may write fewer, for example when a disk is nearly full. */
function writeFully(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}
