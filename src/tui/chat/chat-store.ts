import type { Session } from "../../contracts/index.ts";
import type { ChatModel } from "./chat-model.ts";
import type { ChatState } from "./chat-state.ts";

/** Subscribers are called at most this often. */
const FRAME_MS = 33;

/** Holds the state of the conversation, and notifies subscribers at most 30 times a second. */
export class ChatStore {
  #state: ChatState;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastNotifiedAt = Number.NEGATIVE_INFINITY;
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;

  constructor(state: ChatState, now: () => number) {
    this.#state = state;
    this.#now = now;
  }

  readonly snapshot = (): ChatState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  change(change: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...change };
    this.#schedule();
  }

  /** Changes the messages. */
  reduce(step: (model: ChatModel) => ChatModel): void {
    const model = step(this.#state.model);
    if (model !== this.#state.model) this.change({ model });
  }

  /** Reads how full the context of a session is, where its agent knows that. */
  async readContext(session: Session): Promise<void> {
    if (this.#state.capabilities?.contextUsage !== true) return;
    const contextUsage = await session.getContextUsage().catch(() => undefined);
    if (contextUsage !== undefined) this.change({ contextUsage });
  }

  /** Notifies subscribers at once, if a change waits. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#notify();
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    const waitMs = Math.min(FRAME_MS, this.#lastNotifiedAt + FRAME_MS - this.#now());
    this.#timer = setTimeout(() => this.#notify(), Math.max(0, waitMs));
  }

  #notify(): void {
    this.#timer = undefined;
    this.#lastNotifiedAt = this.#now();
    for (const listener of this.#listeners) listener();
  }
}
