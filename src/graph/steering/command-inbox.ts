import { AtomicError, messageOf } from "../../contracts/index.ts";
import type { RunMailbox, RunMessage } from "../model/checkpointer.ts";
import { decodeCommand, type SteeringCommand } from "../model/steering-command.ts";
import { RunNotExecutedError } from "./steering-errors.ts";

/** How often the process that executes a run polls for commands, in milliseconds. */
const POLL_MS = 100;

/** The reply to a command, as it is sent back. */
export type CommandReply = { readonly type: "taken" } | ({ readonly type: "refused" } & RefusedCommand);

interface RefusedCommand {
  readonly code: string;
  readonly message: string;
}

/** Polls a run's mailbox for commands of other processes, passes them on and replies. */
export class CommandInbox {
  readonly #mailbox: RunMailbox;
  readonly #runId: string;
  #send: (command: SteeringCommand) => Promise<void>;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Messages in progress. */
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

  /** Rejects commands sent to an earlier process of the run. Call it before the run resumes. */
  async refuseEarlier(): Promise<void> {
    const send = this.#send;
    this.#send = () => Promise.reject(new RunNotExecutedError(this.#runId));
    this.#look();
    await this.#looking;
    if (!this.#isClosed) this.#send = send;
  }

  #look(): void {
    // The next poll may be able to read the folder. Until it does, senders get no reply and time out.
    this.#looking ??= this.#receive()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #receive(): Promise<void> {
    for (const message of await this.#mailbox.receive(this.#runId)) {
      // If the reply cannot be written, the sender times out as well.
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

  /** Replies to all messages, including commands that came too late. */
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
