import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { RunMailbox, RunMessage } from "../model/checkpointer.ts";
import { decodeCommand, type SteeringCommand } from "../model/steering-command.ts";
import { RunNotExecutedError } from "./steering-errors.ts";

/** How often the process that executes a run looks for commands, in milliseconds. */
const POLL_MS = 100;

/** What came of a command, as it is sent back. */
export type CommandReply = { readonly type: "taken" } | ({ readonly type: "refused" } & RefusedCommand);

interface RefusedCommand {
  readonly code: string;
  readonly message: string;
}

/** Looks for commands that other processes have left for a run, passes them on and replies. */
export class CommandInbox {
  readonly #mailbox: RunMailbox;
  readonly #runId: string;
  #send: (command: SteeringCommand) => Promise<void>;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Messages that are being dealt with. */
  readonly #dealing = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(mailbox: RunMailbox, runId: string, send: (command: SteeringCommand) => Promise<void>) {
    this.#mailbox = mailbox;
    this.#runId = runId;
    this.#send = send;
    this.#timer = setInterval(() => this.#look(), POLL_MS);
    this.#timer.unref();
  }

  /** Refuses what lies here already: it was meant for whoever executed the run before. Call it before the run goes on. */
  async refuseEarlier(): Promise<void> {
    const send = this.#send;
    this.#send = () => Promise.reject(new RunNotExecutedError(this.#runId));
    this.#look();
    await this.#looking;
    if (!this.#isClosed) this.#send = send;
  }

  #look(): void {
    // A folder that cannot be read now may be read at the next look; a sender hears nothing meanwhile, and says so.
    this.#looking ??= this.#receive()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #receive(): Promise<void> {
    for (const message of await this.#mailbox.receive(this.#runId)) {
      // A sender whose reply cannot be written hears nothing either.
      const dealing = this.#take(message).catch(() => undefined);
      this.#dealing.add(dealing);
      void dealing.then(() => this.#dealing.delete(dealing));
    }
  }

  async #take({ id, text }: RunMessage): Promise<void> {
    let reply: CommandReply = { type: "taken" };
    try {
      await this.#send(decodeCommand(text));
    } catch (error) {
      reply = refusalOf(error);
    }
    await this.#mailbox.reply(this.#runId, id, JSON.stringify(reply));
  }

  /** Replies to everybody who has sent something, also to those whose command comes too late. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    this.#send = () => Promise.reject(new RunNotExecutedError(this.#runId));
    await this.#looking;
    this.#look();
    await this.#looking;
    await Promise.all(this.#dealing);
  }
}

function refusalOf(error: unknown): CommandReply {
  const code = error instanceof AtomicError ? error.code : "COMMAND_UNREADABLE";
  return { type: "refused", code, message: messageOf(error) };
}
