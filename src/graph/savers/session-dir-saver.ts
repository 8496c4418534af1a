import { join } from "node:path";
import { RunsNotListableError } from "../errors/errors.ts";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal } from "../model/checkpointer.ts";
import { assertOptions } from "../options/check-call.ts";
import type { OptionTable } from "../options/find-option-problems.ts";
import { aFunction, isObject, required, someText } from "../options/option-checks.ts";
import { byAge, FileSaver, type FileSaverOptions, listJournals, SHARED_FILE_OPTIONS } from "./file-saver.ts";
import { forwardMailbox } from "./forward-mailbox.ts";

const FOLDER = "checkpoints";

/** Settings of a {@link SessionDirSaver}. */
export interface SessionDirSaverOptions extends Omit<FileSaverOptions, "directory"> {
  /** All session directories; `list()` needs them if each run has its own. */
  readonly sessionDirectories?: () => readonly string[] | Promise<readonly string[]>;
}

/** The options, with the first argument as one of them. */
const OPTIONS: OptionTable<SessionDirSaverOptions & { readonly sessionDirectory: unknown }> = {
  ...SHARED_FILE_OPTIONS,
  sessionDirectories: aFunction,
  sessionDirectory: required(
    { expected: "a path or a function", accepts: (value) => someText.accepts(value) || aFunction.accepts(value) },
    "name the session's folder",
  ),
};

/**
 * Keeps journals in `checkpoints/` of a session's directory, as a {@link FileSaver} does: in one directory for all runs,
 * or in the directory that a function returns for a run.
 *
 * ```ts
 * new SessionDirSaver("/home/me/.atomic/workflows/sessions/4f2a");
 * new SessionDirSaver((runId) => store.directoryOf(runId), { sessionDirectories: () => store.directories() });
 * ```
 */
export class SessionDirSaver implements Checkpointer {
  readonly #directoryOf: (runId: string) => string;
  readonly #sessionDirectories: SessionDirSaverOptions["sessionDirectories"];
  readonly #options: Omit<FileSaverOptions, "directory">;

  /** Savers of the runs that this object has open: their mailboxes are polled several times a second. */
  readonly #openSavers = new Map<string, FileSaver>();

  readonly mailbox = forwardMailbox((runId) => this.#saverOf(runId).mailbox);

  /** @throws InvalidOptionsError */
  constructor(sessionDirectory: string | ((runId: string) => string), options: SessionDirSaverOptions = {}) {
    const given = isObject(options) ? { ...options, sessionDirectory } : options;
    assertOptions("new SessionDirSaver", given, { table: OPTIONS });
    const { sessionDirectories, ...rest } = options;
    this.#options = rest;
    if (typeof sessionDirectory === "string") {
      this.#directoryOf = () => sessionDirectory;
      this.#sessionDirectories = () => [sessionDirectory];
    } else {
      this.#directoryOf = sessionDirectory;
      this.#sessionDirectories = sessionDirectories;
    }
  }

  async open(runId: string, mode: "create" | "resume"): Promise<RunJournal> {
    const saver = this.#saverOf(runId);
    const journal = await saver.open(runId, mode);
    this.#openSavers.set(runId, saver);
    return {
      load: () => journal.load(),
      append: (entry) => journal.append(entry),
      replace: (entries) => journal.replace(entries),
      close: () => {
        // A journal closed twice must not drop the saver of the next one.
        if (this.#openSavers.get(runId) === saver) this.#openSavers.delete(runId);
        return journal.close();
      },
    };
  }

  async read(runId: string): Promise<readonly JournalEntry[]> {
    return await this.#saverOf(runId).read(runId);
  }

  /** Ids of all runs, oldest first. @throws RunsNotListableError, JournalReadError */
  async list(): Promise<readonly string[]> {
    if (this.#sessionDirectories === undefined) throw new RunsNotListableError();
    const directories = new Set(await this.#sessionDirectories());
    const lists = await Promise.all([...directories].map((directory) => listJournals(join(directory, FOLDER))));
    return lists
      .flat()
      .sort(byAge)
      .map(({ runId }) => runId);
  }

  async delete(runId: string): Promise<void> {
    await this.#saverOf(runId).delete(runId);
  }

  /** Bound to this object, so that it also works in a saver that inherits from this one. */
  readonly findLoss = async (runId: string): Promise<JournalLoss | undefined> => {
    return await this.#saverOf(runId).findLoss(runId);
  };

  async isHeld(runId: string): Promise<boolean> {
    return await this.#saverOf(runId).isHeld(runId);
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    await this.#saverOf(runId).truncate(runId, lastSequence);
  }

  #saverOf(runId: string): FileSaver {
    const open = this.#openSavers.get(runId);
    if (open !== undefined) return open;
    return new FileSaver({ ...this.#options, directory: join(this.#directoryOf(runId), FOLDER) });
  }
}
