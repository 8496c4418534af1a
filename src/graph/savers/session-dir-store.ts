import { join } from "node:path";
import type { Checkpointer, JournalEntry, JournalLoss, RunJournal, RunMailbox } from "../checkpointer.ts";
import { RunsNotListableError } from "../errors.ts";
import { byAge, type FileSaverOptions, FileStore, listJournals } from "./file-store.ts";

const FOLDER = "checkpoints";

/** Settings of a `SessionDirSaver`. */
export interface SessionDirSaverOptions extends Omit<FileSaverOptions, "directory"> {
  /** All session directories: `list()` needs them when each run has one of its own. */
  readonly sessionDirectories?: () => readonly string[] | Promise<readonly string[]>;
}

/** The code of a `SessionDirSaver`. */
export class SessionDirStore implements Checkpointer {
  readonly #directoryOf: (runId: string) => string;
  readonly #sessionDirectories: SessionDirSaverOptions["sessionDirectories"];
  readonly #options: Omit<FileSaverOptions, "directory">;

  readonly mailbox: RunMailbox = {
    post: (runId, text) => this.#saverOf(runId).mailbox.post(runId, text),
    receive: (runId) => this.#saverOf(runId).mailbox.receive(runId),
    reply: (runId, messageId, text) => this.#saverOf(runId).mailbox.reply(runId, messageId, text),
    takeReply: (runId, messageId) => this.#saverOf(runId).mailbox.takeReply(runId, messageId),
    withdraw: (runId, messageId) => this.#saverOf(runId).mailbox.withdraw(runId, messageId),
  };

  constructor(sessionDirectory: string | ((runId: string) => string), options: SessionDirSaverOptions) {
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
    return await this.#saverOf(runId).open(runId, mode);
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

  async findLoss(runId: string): Promise<JournalLoss | undefined> {
    return await this.#saverOf(runId).findLoss(runId);
  }

  async isHeld(runId: string): Promise<boolean> {
    return await this.#saverOf(runId).isHeld(runId);
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    await this.#saverOf(runId).truncate(runId, lastSequence);
  }

  #saverOf(runId: string): FileStore {
    return new FileStore({ ...this.#options, directory: join(this.#directoryOf(runId), FOLDER) });
  }
}
