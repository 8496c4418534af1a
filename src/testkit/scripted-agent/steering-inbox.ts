import { type AgentPrompt, raceAbort, withResolvers } from "../../contracts/index.ts";

/** Messages to an agent during its turn, until the script reads them. */
export class SteeringInbox {
  readonly #messages: AgentPrompt[] = [];
  #wake: () => void = () => undefined;

  add(message: AgentPrompt): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Everything unread, in order. */
  takeAll(): readonly AgentPrompt[] {
    return this.#messages.splice(0);
  }

  /** The next unread message, awaited. For one reader at a time. Rejects when the turn is aborted. */
  async next(signal: AbortSignal): Promise<AgentPrompt> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      const { promise, resolve } = withResolvers<void>();
      this.#wake = resolve;
      await raceAbort(promise, signal);
    }
  }
}
