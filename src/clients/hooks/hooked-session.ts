import {
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type ContextUsage,
  type McpServerStatus,
  raceAbort,
  type Session,
  type TurnOptions,
} from "../../contracts/index.ts";

/** What a hooked session tells. Neither rejects. */
export interface HookedSessionOptions {
  readonly beforeMessage: (prompt: AgentPrompt) => Promise<void>;
  readonly afterDestroy: () => Promise<void>;
}

/** A session that tells hooks of its messages and of its end. Messages keep the order in which they were given. */
export class HookedSession implements Session {
  readonly #inner: Session;
  readonly #options: HookedSessionOptions;
  #lastMessage: Promise<void> = Promise.resolve();

  constructor(inner: Session, options: HookedSessionOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get id(): string {
    return this.#inner.id;
  }

  async send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply> {
    await this.#announce(message, options?.signal);
    return this.#inner.send(message, options);
  }

  async *stream(message: AgentPrompt, options?: TurnOptions): AsyncGenerator<AgentEvent, void, undefined> {
    await this.#announce(message, options?.signal);
    yield* this.#inner.stream(message, options);
  }

  steer(message: AgentPrompt): Promise<void> {
    return this.#inner.steer(message);
  }

  abort(): Promise<void> {
    return this.#inner.abort();
  }

  summarize(): Promise<void> {
    return this.#inner.summarize();
  }

  getContextUsage(): Promise<ContextUsage> {
    return this.#inner.getContextUsage();
  }

  getMcpStatus(): Promise<readonly McpServerStatus[]> {
    return this.#inner.getMcpStatus();
  }

  async destroy(): Promise<void> {
    await this.#inner.destroy();
    await this.#options.afterDestroy();
  }

  async #announce(prompt: AgentPrompt, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#lastMessage = this.#lastMessage.then(() => this.#options.beforeMessage(prompt));
    await raceAbort(this.#lastMessage, signal);
  }
}
