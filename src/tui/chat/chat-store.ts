import type { ChatModel } from "./chat-model.ts";
import type { ChatState } from "./chat-state.ts";

/** Subscribers are called at most this often. Text that streams reads as well at 20 frames a second as at 30. */
export const FRAME_MS = 50;

/** The longest time that subscribers wait because drawing takes long. A person notices more. */
const MAX_REST_MS = 250;

/**
 * Holds the state of the conversation, and notifies subscribers at most 20 times a second. What they draw of a long answer can
 * take longer than that: then as much time as it took is left to the agent and to keys before they are notified again.
 */
export class ChatStore {
  #state: ChatState;
  /** Until the first change is shown, or after a notification until there may be another one. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isChanged = false;
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
    this.#isChanged = true;
    this.#timer ??= setTimeout(() => this.#notify(), 0);
  }

  /** Changes the messages. */
  reduce(step: (model: ChatModel) => ChatModel): void {
    const model = step(this.#state.model);
    if (model !== this.#state.model) this.change({ model });
  }

  /** Notifies subscribers at once, if a change waits. */
  flush(): void {
    if (!this.#isChanged) return;
    clearTimeout(this.#timer);
    this.#notify();
  }

  #notify(): void {
    this.#isChanged = false;
    const notifiedAt = this.#now();
    this.#timer = setTimeout(() => this.#rest(this.#now() - notifiedAt - FRAME_MS), FRAME_MS);
    for (const listener of this.#listeners) listener();
  }

  /** @param lateMs for how long the process could do nothing else than draw */
  #rest(lateMs: number): void {
    const restMs = Math.min(MAX_REST_MS, lateMs);
    if (restMs < 1) this.#showNext();
    else this.#timer = setTimeout(() => this.#showNext(), restMs);
  }

  #showNext(): void {
    this.#timer = undefined;
    if (this.#isChanged) this.#notify();
  }
}
