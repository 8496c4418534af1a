import type { AgentEvent } from "../../contracts/index.ts";
import { reduceChat } from "./chat-model.ts";
import type { ChatStore } from "./chat-store.ts";
import type { CommentDelivery } from "./comment-delivery.ts";
import type { Compaction } from "./compaction.ts";

/** What {@link TurnEvents} passes events to. */
export interface TurnEventsOptions {
  readonly store: ChatStore;
  readonly delivery: CommentDelivery;
  readonly compaction: Compaction;
}

/** Adds what the agent reports to the conversation, but not the answer of a hidden turn nor the summary of a compaction. */
export class TurnEvents {
  readonly #options: TurnEventsOptions;
  #isAnswerHidden = false;
  #sawError = false;

  constructor(options: TurnEventsOptions) {
    this.#options = options;
  }

  /** Whether the agent itself has reported why the turn failed. */
  get sawError(): boolean {
    return this.#sawError;
  }

  startTurn({ isAnswerShown }: { readonly isAnswerShown: boolean }): void {
    this.#sawError = false;
    this.#isAnswerHidden = !isAnswerShown;
  }

  endTurn(): void {
    this.#isAnswerHidden = false;
  }

  take(event: AgentEvent): void {
    const { delivery, compaction } = this.#options;
    delivery.take(event);
    if (compaction.isRunning) {
      if (compaction.take(event)) this.add(event);
      return;
    }
    if (event.type === "error") this.#sawError = true;
    if (!this.#isAnswerHidden || event.type === "usage" || event.type === "turn-end") this.add(event);
  }

  /** Adds an event in any case. */
  add(event: AgentEvent): void {
    this.#options.store.reduce((model) => reduceChat(model, event));
  }
}
