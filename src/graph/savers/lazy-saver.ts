import type { Checkpointer, JournalEntry, JournalLoss, RunJournal, RunMailbox } from "../checkpointer.ts";

/** A saver whose code is loaded when it is used first: a program that imports the engine does not pay for all of them. */
export class LazySaver implements Checkpointer {
  readonly #load: () => Promise<Checkpointer>;
  #loaded: Promise<Checkpointer> | undefined;

  constructor(load: () => Promise<Checkpointer>) {
    this.#load = load;
  }

  get #saver(): Promise<Checkpointer> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  readonly mailbox: RunMailbox = {
    post: async (runId, text) => (await this.#saver).mailbox.post(runId, text),
    receive: async (runId) => (await this.#saver).mailbox.receive(runId),
    reply: async (runId, messageId, text) => (await this.#saver).mailbox.reply(runId, messageId, text),
    takeReply: async (runId, messageId) => (await this.#saver).mailbox.takeReply(runId, messageId),
    withdraw: async (runId, messageId) => (await this.#saver).mailbox.withdraw(runId, messageId),
  };

  /** A function of its own, so that it is found in savers, too, that are made of this one with methods of their own. */
  readonly findLoss = async (runId: string): Promise<JournalLoss | undefined> =>
    await (await this.#saver).findLoss?.(runId);

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

  async isHeld(runId: string): Promise<boolean> {
    return await (await this.#saver).isHeld(runId);
  }

  async truncate(runId: string, lastSequence: number): Promise<void> {
    await (await this.#saver).truncate(runId, lastSequence);
  }
}
