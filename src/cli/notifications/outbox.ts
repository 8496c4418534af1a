import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { FileLockTimeoutError, readBoundedFileSync, replaceFile, withFileLock } from "../../system/index.ts";

const deliverySchema = z.strictObject({
  state: z.enum(["pending", "delivered", "rejected"]),
  /** Of those that failed. */
  attempts: z.int(),
  /** No attempt before, in milliseconds since 1970. */
  nextAt: z.number(),
  /** When the last attempt failed, in milliseconds since 1970. Absent in older files. */
  attemptedAt: z.number().exactOptional(),
});

const recordSchema = z.strictObject({
  id: z.string(),
  /** When the run asked or ended, in milliseconds since 1970. */
  at: z.number(),
  recordedAt: z.number(),
  /** The place among the run's notifications, by the order of their recording: clocks are set. Absent in older files. */
  order: z.int().exactOptional(),
  /** What is sent, to the byte, in every attempt. */
  body: z.string(),
  /** By the keys of the webhooks. */
  deliveries: z.record(z.string(), deliverySchema),
});

const stateSchema = z.strictObject({
  /** What happened earlier is not sent: nobody wanted it then. In milliseconds since 1970. */
  since: z.number(),
  /** `lastUpdated` of the session when everything that the run's journal requires had been recorded, and the run was idle. */
  settled: z.string().exactOptional(),
});

/** A notification that is to be delivered, or was. */
export type OutboxRecord = z.infer<typeof recordSchema>;

/** How far a notification is on the way to one webhook. */
export type Delivery = z.infer<typeof deliverySchema>;

/** What is known of the notifications of a run. */
export type OutboxState = z.infer<typeof stateSchema>;

/** The largest file that is read. A notification has the text of a question, or of an error. */
const MAX_RECORD_BYTES = 16 * 1_048_576;

const STATE_FILE = "state.json";
const RECORD_FILE = /^[0-9a-f]{24}\.json$/;

/**
 * The notifications of one run, a file each, in the run's folder.
 *
 * 1. A record is durable before its first delivery begins, and before {@link add} returns.
 * 2. A record is created once: what another process has created, delivered or not, stays.
 * 3. Only the holder of the lock delivers, and changes records.
 */
export class Outbox {
  readonly #folder: string;

  constructor(sessionFolder: string) {
    this.#folder = join(sessionFolder, "notifications");
  }

  /** Undefined for a run of which nobody is notified. */
  state(): OutboxState | undefined {
    return this.#read(STATE_FILE, stateSchema);
  }

  /** Durable on return: the run must not begin before. */
  setState(state: OutboxState): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#write(STATE_FILE, JSON.stringify(state), renameSync);
  }

  /** From now on, nobody is notified of the run. What is recorded is still delivered. */
  leave(): void {
    rmSync(join(this.#folder, STATE_FILE), { force: true });
  }

  has(id: string): boolean {
    return this.#read(fileOf(id), recordSchema) !== undefined;
  }

  /** Records a notification after all others, durably, unless it is recorded already. */
  add(record: Omit<OutboxRecord, "order">): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const order = 1 + Math.max(0, ...this.records().map((earlier) => earlier.order ?? 0));
    this.#write(fileOf(record.id), JSON.stringify({ ...record, order }), (temporary, path) => {
      try {
        linkSync(temporary, path);
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
    });
  }

  /** The records, in the order in which they were recorded, which is that of the events. */
  records(): readonly OutboxRecord[] {
    const names = this.#names().filter((name) => RECORD_FILE.test(name));
    const records = names.flatMap((name) => this.#read(name, recordSchema) ?? []);
    return records.toSorted(
      (one, other) => (one.order ?? 0) - (other.order ?? 0) || one.at - other.at || one.recordedAt - other.recordedAt,
    );
  }

  /** The caller has the lock. */
  async update(record: OutboxRecord): Promise<void> {
    await replaceFile(join(this.#folder, fileOf(record.id)), JSON.stringify(record));
  }

  /** Does nothing when another process is delivering: it takes what is there. */
  async withLock(work: () => Promise<void>): Promise<void> {
    try {
      await withFileLock(join(this.#folder, ".lock"), work, { timeoutMs: 200 });
    } catch (error) {
      if (!(error instanceof FileLockTimeoutError)) throw error;
    }
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#folder);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  /** @throws FileUnusableError, SyntaxError, ZodError for a file that Atomic has not written */
  #read<T>(name: string, schema: z.ZodType<T>): T | undefined {
    let text: string;
    try {
      text = readBoundedFileSync(join(this.#folder, name), MAX_RECORD_BYTES);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
    return schema.parse(JSON.parse(text));
  }

  /** Synchronous: the run's next record must not become durable before. */
  #write(name: string, text: string, publish: (temporary: string, path: string) => void): void {
    const temporary = join(this.#folder, `.${name}.${randomUUID()}.tmp`);
    try {
      const file = openSync(temporary, "wx", 0o600);
      try {
        writeFileSync(file, text);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      publish(temporary, join(this.#folder, name));
    } finally {
      rmSync(temporary, { force: true });
    }
    const folder = openSync(this.#folder, "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }
}

function fileOf(id: string): string {
  return `${createHash("sha256").update(id).digest("hex").slice(0, 24)}.json`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
