import type { Attachment, QueuedMessage } from "./chat-state.ts";
import type { ChatStore } from "./chat-store.ts";
import { withCommentLabel } from "./comment-label.ts";
import type { DiffComment } from "./diff-comments.ts";

/** A message on its way to the agent. */
export interface Outgoing {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The comments on diffs that are in the text. @default none */
  readonly comments?: readonly DiffComment[];
  /** Whether the user sees the message. */
  readonly isShown: boolean;
  /** Whether the user sees the answer. */
  readonly isAnswerShown: boolean;
}

/** What waits for the end of a turn: first the messages that are not shown, then those of the user, in order. */
export class MessageQueue {
  readonly #store: ChatStore;
  readonly #hidden: (() => void)[] = [];
  #count = 0;

  readonly #onDrop: (comments: readonly DiffComment[]) => void;

  /** @param onDrop receives the comments of messages that will not be sent */
  constructor(store: ChatStore, onDrop: (comments: readonly DiffComment[]) => void = () => undefined) {
    this.#store = store;
    this.#onDrop = onDrop;
  }

  /** Adds a message of the user. */
  add(text: string, attachments: readonly Attachment[], comments: readonly DiffComment[] = []): void {
    this.#count += 1;
    const message = { id: `q${this.#count}`, text, attachments, ...(comments.length === 0 ? {} : { comments }) };
    this.#change([...this.#messages(), message]);
  }

  /** Adds a message that is not shown. */
  addHidden(start: () => void): void {
    this.#hidden.push(start);
  }

  edit(id: string, text: string): void {
    this.#change(this.#messages().map((message) => (message.id === id ? { ...message, text } : message)));
  }

  /** The messages stay where they are until somebody sends them. */
  hold(): void {
    if (this.#messages().length > 0) this.#change(this.#messages().map((message) => ({ ...message, isHeld: true })));
  }

  /** Held messages wait for the end of a turn only. */
  release(): void {
    this.#change(this.#messages().map(({ isHeld: _isHeld, ...message }) => message));
  }

  /** Takes out a message. In the place of comments is a label, since they are open again. */
  remove(id: string): QueuedMessage | undefined {
    const removed = this.#messages().find((message) => message.id === id);
    this.#change(this.#messages().filter((message) => message.id !== id));
    this.#onDrop(removed?.comments ?? []);
    return removed && withCommentLabel(removed);
  }

  /** Takes out the messages of the user, each as {@link remove} does. */
  takeAll(): readonly QueuedMessage[] {
    const messages = this.#messages();
    this.#change([]);
    this.#onDrop(messages.flatMap(({ comments = [] }) => comments));
    return messages.map(withCommentLabel);
  }

  /** Nothing is sent by itself any more: the messages that are not shown are forgotten, those of the user wait for them. */
  stop(): void {
    this.#hidden.length = 0;
    this.hold();
  }

  /** Starts what waits first, if the conversation is idle. */
  startNext(send: (message: QueuedMessage) => void): void {
    if (this.#store.snapshot().status !== "idle") return;
    const start = this.#hidden.shift();
    if (start !== undefined) return start();
    const next = this.#messages().find(({ isHeld = false }) => !isHeld);
    if (next === undefined) return;
    this.#change(this.#messages().filter((message) => message !== next));
    send(next);
  }

  #messages(): readonly QueuedMessage[] {
    return this.#store.snapshot().queue;
  }

  #change(queue: readonly QueuedMessage[]): void {
    this.#store.change({ queue });
  }
}

/** What is lost when the chat ends: `2 queued messages will not be sent`. */
export function describeUnsent(count: number): string {
  return `${count} queued ${count === 1 ? "message" : "messages"} will not be sent`;
}
