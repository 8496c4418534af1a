import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import { syncFolder } from "../../system/index.ts";
import { JournalReadError, JournalWriteError, RunExistsError, UnknownRunError } from "../errors/errors.ts";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal } from "../model/checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { count, described, oneOf, required, someText, text } from "../options/option-checks.ts";
import { decodeRunId, encodeRunId } from "./encode-run-id.ts";
import { FileJournal } from "./file-journal.ts";
import { FolderMailbox } from "./folder-mailbox.ts";
import { findLostEnd, JournalEnd, removeJournalEnd } from "./journal-end.ts";
import { type JournalTail, readJournal, readJournalHeader, readJournalTail } from "./read-journal-file.ts";
import { ignoreMissing, type RunLease, RunLeases } from "./run-lease.ts";

/** A run in a folder of journals. */
export interface ListedJournal {
  readonly runId: string;
  /** Milliseconds since 1970; 0 when the file is too damaged to read it. */
  readonly createdAt: number;
}

const SUFFIX = ".journal";
const LEASE_FOLDER = ".locks";
const MAIL_FOLDER = ".messages";
const END_FOLDER = ".ends";

/** Settings of a {@link FileSaver}. */
export interface FileSaverOptions {
  /** The folder of the journals; created if missing, for the owner only. */
  readonly directory: string;
  /**
   * `every-step`: a step is on disk before the next one starts, so it survives a power failure. `on-close`: a step
   * survives the death of the process at any moment, but a power failure may lose the last steps.
   * @default "every-step"
   */
  readonly durability?: "every-step" | "on-close";
  /** Names this process in the error of another one that wants its run. @default the process's id and host */
  readonly owner?: string;
  /**
   * This process's id. Needed only on systems other than Linux, so that other processes notice at once that this one has
   * died, and not after half a minute.
   */
  readonly processId?: number;
}

/** The options of all savers in files. */
export const SHARED_FILE_OPTIONS: OptionTable<Omit<FileSaverOptions, "directory">> = {
  durability: oneOf(["every-step", "on-close"]),
  owner: text,
  processId: count,
};

const OPTIONS: OptionTable<FileSaverOptions> = {
  ...SHARED_FILE_OPTIONS,
  directory: required(described(someText, "a path"), "name the folder of the journals"),
};

/**
 * Keeps each run's journal in its own append-only text file, `<run id>.journal`. Works on Bun and on Node 20 and later.
 * Several processes may share the folder. Each run has one writer (E9), whose claim in the folder `.locks` is valid until
 * it releases the run or its process ends, even by `kill -9`. If several computers share the folder, a run is free 30
 * seconds after the last sign of life of its writer's computer.
 *
 * ```ts
 * const result = await research.run({ topic: "caching" }, { checkpointer: new FileSaver("./runs") });
 * ```
 */
export class FileSaver implements Checkpointer {
  readonly mailbox: FolderMailbox;
  readonly #options: FileSaverOptions;
  readonly #leases: RunLeases;

  /** @param options the folder, or all settings. @throws InvalidOptionsError */
  constructor(options: string | FileSaverOptions) {
    const settings = typeof options === "string" ? { directory: options } : options;
    assertOptions("new FileSaver", settings, { table: OPTIONS });
    this.#options = settings;
    const { directory, owner, processId } = settings;
    this.#leases = new RunLeases({ folder: join(directory, LEASE_FOLDER), owner, processId });
    this.mailbox = new FolderMailbox(join(directory, MAIL_FOLDER));
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    const lease = await this.#takeLease(runId);
    const path = this.#pathOf(runId);
    try {
      const tail = mode === "create" ? await assertAbsent(path, runId) : await tailOf(path, runId);
      const isSyncedEachTime = this.#options.durability !== "on-close";
      const end = new JournalEnd(this.#endPathOf(runId));
      return new FileJournal({ runId, path, lease, isSyncedEachTime, tail, end });
    } catch (error) {
      await lease.release();
      throw asWriteError(error, runId);
    }
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    try {
      const { entries } = await readJournal(this.#pathOf(runId), runId);
      if (entries.length === 0) throw new UnknownRunError(runId);
      return entries;
    } catch (cause) {
      throw cause instanceof AtomicError ? cause : new JournalReadError(runId, { cause });
    }
  }

  async list(): Promise<readonly string[]> {
    return (await listJournals(this.#options.directory)).map(({ runId }) => runId);
  }

  async delete(runId: string): Promise<void> {
    await this.#withLease(runId, async (path) => {
      if ((await readJournalHeader(path)) === undefined) throw new UnknownRunError(runId);
      removeJournalEnd(this.#endPathOf(runId));
      await this.#remove(path);
      await this.mailbox.clear(runId);
    });
  }

  /** Bound to this object, so that it also works in a saver that inherits from this one. */
  readonly findLoss = async (runId: string): Promise<JournalLoss | undefined> => {
    return await findLostEnd(this.#endPathOf(runId), async () => {
      try {
        return (await this.read(runId)).length;
      } catch (error) {
        if (error instanceof UnknownRunError) return 0;
        throw error;
      }
    });
  };

  async isHeld(runId: string): Promise<boolean> {
    try {
      return await this.#leases.isHeld(runId);
    } catch (cause) {
      throw new JournalReadError(runId, { cause });
    }
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    await this.#withLease(runId, async (path) => {
      if ((await readJournalHeader(path)) === undefined) throw new UnknownRunError(runId);
      removeJournalEnd(this.#endPathOf(runId));
      if (lastSequence < 1) return await this.#remove(path);
      const { end } = await readJournal(path, runId, lastSequence);
      const file = await open(path, "r+");
      try {
        await file.truncate(end);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  async #remove(path: string): Promise<void> {
    await rm(path, { force: true });
    await syncFolder(this.#options.directory);
  }

  async #withLease(runId: string, action: (path: string) => Promise<void>): Promise<void> {
    const lease = await this.#takeLease(runId);
    try {
      await action(this.#pathOf(runId));
    } catch (error) {
      throw asWriteError(error, runId);
    } finally {
      await lease.release();
    }
  }

  async #takeLease(runId: string): Promise<RunLease> {
    try {
      return await this.#leases.acquire(runId);
    } catch (error) {
      throw asWriteError(error, runId);
    }
  }

  #endPathOf(runId: string): string {
    return join(this.#options.directory, END_FOLDER, encodeRunId(runId));
  }

  #pathOf(runId: string): string {
    return join(this.#options.directory, `${encodeRunId(runId)}${SUFFIX}`);
  }
}

async function assertAbsent(path: string, runId: string): Promise<undefined> {
  if ((await readJournalHeader(path)) !== undefined) throw new RunExistsError(runId);
  return undefined;
}

async function tailOf(path: string, runId: string): Promise<JournalTail> {
  const tail = await readJournalTail(path, runId);
  if (tail === undefined) throw new UnknownRunError(runId);
  return tail;
}

/** The runs in a folder, oldest first. @throws JournalReadError */
export async function listJournals(directory: string): Promise<readonly ListedJournal[]> {
  try {
    const fileNames = (await readdir(directory).catch(ignoreMissing)) ?? [];
    const journals: ListedJournal[] = [];
    for (const fileName of fileNames.filter((name) => name.endsWith(SUFFIX))) {
      const found = await readJournalHeader(join(directory, fileName));
      // A file that was overwritten with another run's is listed under its own name, so that reading it reports the error.
      const runId = decodeRunId(fileName.slice(0, -SUFFIX.length)) ?? found?.header?.runId;
      if (found === undefined || runId === undefined) continue;
      journals.push({ runId, createdAt: found.header?.createdAt ?? 0 });
    }
    return journals.sort(byAge);
  } catch (cause) {
    throw new JournalReadError(undefined, { cause });
  }
}

/** The order of {@link listJournals}. */
export function byAge(left: ListedJournal, right: ListedJournal): number {
  if (left.createdAt !== right.createdAt) return left.createdAt - right.createdAt;
  return left.runId < right.runId ? -1 : 1;
}

/** Wraps an error of the operating system; Atomic's own errors stay as they are. */
function asWriteError(error: unknown, runId: string): AtomicError {
  return error instanceof AtomicError ? error : new JournalWriteError(runId, { cause: error });
}
