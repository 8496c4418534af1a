import type { AgentEvent } from "../../contracts/index.ts";
import type { CommentStore } from "./comment-store.ts";
import type { DiffComment } from "./diff-comments.ts";

/** Events that can come without the agent having the message of a turn. */
const BEFORE_DELIVERY: ReadonlySet<AgentEvent["type"]> = new Set(["turn-start", "error", "turn-end"]);

/** Marks the comments in a message as sent once the agent has reacted to it: a crash before that loses the message. */
export class CommentDelivery {
  readonly #store: CommentStore;
  #waiting: readonly DiffComment[] = [];

  constructor(store: CommentStore) {
    this.#store = store;
  }

  /** The message with these comments is on its way. */
  start(comments: readonly DiffComment[]): void {
    this.#waiting = comments;
  }

  /** The agent reports something. */
  take(event: AgentEvent): void {
    if (!BEFORE_DELIVERY.has(event.type)) this.finish();
  }

  /** The agent has the message. */
  finish(): void {
    const comments = this.#waiting;
    this.#waiting = [];
    this.#store.markSent(comments);
  }

  /** The turn with these comments has ended. Where the agent never reacted, they are unsent again. */
  end(comments: readonly DiffComment[]): void {
    this.#waiting = [];
    this.#store.returnUnsent(comments);
  }
}
