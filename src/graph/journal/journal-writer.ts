import { AtomicError } from "../../contracts/index.ts";
import { encodeRecord, type JournalRecord } from "../decide/records/journal-record.ts";
import { JournalWriteError } from "../errors/errors.ts";
import type { JournalEntry, RunJournal } from "../model/checkpointer.ts";

/** A snapshot is written when the records since the last one are this many times its size (E5) … */
const SNAPSHOT_RATIO = 2;
/** … and at least this long, in characters. */
const SNAPSHOT_MIN_LENGTH = 256 * 1024;

/** Where a writer continues in a journal. */
export interface JournalPosition {
  /** The number of the last entry; 0 when there is none. */
  readonly sequence: number;
  readonly snapshotLength: number;
  readonly lengthSinceSnapshot: number;
}

/** Settings of a {@link JournalWriter}. */
export interface JournalWriterOptions extends JournalPosition {
  /** How much is written before a snapshot, in characters. @default 262_144 */
  readonly snapshotMinLength?: number | undefined;
}

/**
 * Appends to a run's journal, one entry at a time and in the order of the calls. After a failed write it writes nothing
 * more: entries after a gap could not be read.
 */
export class JournalWriter {
  readonly #journal: RunJournal;
  readonly #runId: string;
  readonly #snapshotMinLength: number;
  #sequence: number;
  #tail: Promise<void> | undefined;
  #failure: AtomicError | undefined;
  #lengthSinceSnapshot: number;
  #snapshotLength: number;

  constructor(journal: RunJournal, runId: string, options: JournalWriterOptions) {
    this.#journal = journal;
    this.#runId = runId;
    this.#snapshotMinLength = options.snapshotMinLength ?? SNAPSHOT_MIN_LENGTH;
    this.#sequence = options.sequence;
    this.#snapshotLength = options.snapshotLength;
    this.#lengthSinceSnapshot = options.lengthSinceSnapshot;
  }

  /** The number of the last entry. */
  get sequence(): number {
    return this.#sequence;
  }

  /** @throws JournalWriteError, UnserializableValueError */
  append(record: JournalRecord): void | Promise<void> {
    const body = encodeRecord(record);
    this.#lengthSinceSnapshot += body.length;
    return this.#write("record", body);
  }

  /** Whether the records outweigh the last snapshot, so a new one makes loading cheaper. */
  get isSnapshotDue(): boolean {
    return this.#lengthSinceSnapshot > Math.max(this.#snapshotMinLength, SNAPSHOT_RATIO * this.#snapshotLength);
  }

  appendSnapshot(body: string): void | Promise<void> {
    this.#snapshotLength = body.length;
    this.#lengthSinceSnapshot = 0;
    return this.#write("snapshot", body);
  }

  /** Replaces the whole journal with one record that contains the run's state. */
  restart(record: JournalRecord): void | Promise<void> {
    const body = encodeRecord(record);
    this.#snapshotLength = body.length;
    this.#lengthSinceSnapshot = 0;
    this.#sequence = 1;
    return this.#enqueue(() => this.#journal.replace([{ sequence: 1, kind: "record", body }]));
  }

  /** Postpones the next snapshot until as much has been written again. */
  postponeSnapshot(): void {
    this.#lengthSinceSnapshot = 0;
  }

  /** Resolves when no write is in progress. */
  async settle(): Promise<void> {
    await this.#tail;
  }

  #write(kind: JournalEntry["kind"], body: string): void | Promise<void> {
    const entry = { sequence: ++this.#sequence, kind, body };
    return this.#enqueue(() => this.#journal.append(entry));
  }

  #enqueue(action: () => void | Promise<void>): void | Promise<void> {
    const written = this.#tail === undefined ? this.#do(action) : this.#tail.then(() => this.#do(action));
    if (written !== undefined) this.#remember(written);
    return written;
  }

  #remember(written: Promise<void>): void {
    const settled = written.then(
      () => undefined,
      () => undefined,
    );
    this.#tail = settled;
    void settled.then(() => {
      if (this.#tail === settled) this.#tail = undefined;
    });
  }

  #do(action: () => void | Promise<void>): void | Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return action()?.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): never {
    this.#failure = cause instanceof AtomicError ? cause : new JournalWriteError(this.#runId, { cause });
    throw this.#failure;
  }
}
