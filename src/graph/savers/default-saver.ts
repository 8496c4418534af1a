import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal } from "../model/checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { aFunction, count, described, required, someText, text } from "../options/option-checks.ts";
import { FileSaver } from "./file-saver.ts";
import { forwardMailbox } from "./forward-mailbox.ts";
import { hasSqlite } from "./load-sqlite.ts";
import { SqliteSaver } from "./sqlite-saver.ts";

/** Settings of a {@link DefaultSaver}. */
export interface DefaultSaverOptions {
  /** The folder of the journal. */
  readonly directory: string;
  /** As for a `SqliteSaver`. */
  readonly owner?: string;
  /** As for a `SqliteSaver`. */
  readonly processId?: number;
  /** Whether SQLite is available. @default whether the JavaScript runtime has it */
  readonly hasSqlite?: () => Promise<boolean>;
}

const OPTIONS: OptionTable<DefaultSaverOptions> = {
  directory: required(described(someText, "a path"), "name the folder of the journals"),
  owner: text,
  processId: count,
  hasSqlite: aFunction,
};

/** Keeps journals in SQLite (`journal.db`), or in files if the JavaScript runtime has no SQLite, such as Node 20. */
export class DefaultSaver implements Checkpointer {
  readonly #options: DefaultSaverOptions;
  #chosen: Promise<Checkpointer> | undefined;

  readonly mailbox = forwardMailbox(async () => (await this.#saver).mailbox);

  /** @throws InvalidOptionsError */
  constructor(options: DefaultSaverOptions) {
    assertOptions("new DefaultSaver", options, { table: OPTIONS });
    this.#options = options;
  }

  get #saver(): Promise<Checkpointer> {
    this.#chosen ??= this.#choose();
    return this.#chosen;
  }

  async #choose(): Promise<Checkpointer> {
    const { directory, hasSqlite: isSqliteHere = hasSqlite, ...owner } = this.#options;
    const path = join(directory, "journal.db");
    // A journal that another runtime started must continue in the same place.
    if (existsSync(path) || (await isSqliteHere())) return new SqliteSaver({ path, ...owner });
    return new FileSaver({ directory, ...owner });
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    return await (await this.#saver).open(runId, mode);
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    return await (await this.#saver).read(runId);
  }

  async list(): Promise<readonly string[]> {
    return await (await this.#saver).list();
  }

  async delete(runId: string): Promise<void> {
    await (await this.#saver).delete(runId);
  }

  /** Bound to this object, so that it also works in a saver that inherits from this one. */
  readonly findLoss = async (runId: string): Promise<JournalLoss | undefined> =>
    await (await this.#saver).findLoss?.(runId);

  async isHeld(runId: string): Promise<boolean> {
    return await (await this.#saver).isHeld(runId);
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    await (await this.#saver).truncate(runId, lastSequence);
  }
}
