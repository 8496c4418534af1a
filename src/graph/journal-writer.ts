import type { RunJournal } from "./checkpointer.ts";
import { JournalWriteError } from "./errors.ts";
import { encodeRecord, type JournalRecord } from "./journal-record.ts";

/** A snapshot is written when the records behind the last one are this many times its size (E5) … */
const SNAPSHOT_RATIO = 2;
/** … and at least this long, in characters. */
const SNAPSHOT_MIN_LENGTH = 256 * 1024;

/** Appends to a run's journal, one entry at a time and in the order of the calls. */
export class JournalWriter {
  readonly #journal: RunJournal;
  readonly #runId: string;
  #sequence: number;
  #tail: Promise<void> | undefined;
  #lengthSinceSnapshot: number;
  #snapshotLength: number;

  constructor(
    journal: RunJournal,
    runId: string,
    start: { readonly sequence: number; readonly snapshotLength: number; readonly lengthSinceSnapshot: number },
  ) {
    this.#journal = journal;
    this.#runId = runId;
    this.#sequence = start.sequence;
    this.#snapshotLength = start.snapshotLength;
    this.#lengthSinceSnapshot = start.lengthSinceSnapshot;
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

  /** Whether the records outweigh the last snapshot, so that a new one makes loading cheaper. */
  get isSnapshotDue(): boolean {
    return this.#lengthSinceSnapshot > Math.max(SNAPSHOT_MIN_LENGTH, SNAPSHOT_RATIO * this.#snapshotLength);
  }

  appendSnapshot(body: string): void | Promise<void> {
    this.#snapshotLength = body.length;
    this.#lengthSinceSnapshot = 0;
    return this.#write("snapshot", body);
  }

  /** Resolves when nothing is being written any more. */
  async settle(): Promise<void> {
    await this.#tail;
  }

  #write(kind: "record" | "snapshot", body: string): void | Promise<void> {
    if (this.#tail !== undefined) return this.#follow(this.#tail, kind, body);
    const written = this.#appendNow(kind, body);
    if (written !== undefined) this.#remember(written);
    return written;
  }

  #follow(tail: Promise<void>, kind: "record" | "snapshot", body: string): Promise<void> {
    const written = tail.then(() => this.#appendNow(kind, body));
    this.#remember(written);
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

  #appendNow(kind: "record" | "snapshot", body: string): void | Promise<void> {
    try {
      const written = this.#journal.append({ sequence: this.#sequence + 1, kind, body });
      this.#sequence++;
      return written?.catch((error: unknown) => {
        throw new JournalWriteError(this.#runId, { cause: error });
      });
    } catch (error) {
      throw new JournalWriteError(this.#runId, { cause: error });
    }
  }
}
