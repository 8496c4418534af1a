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

/**
 * A session that tells hooks of its messages and of its end. Messages keep the order in which they were given. One that
 * hooks are still being told of counts as the running turn: `abort` stops it, and the agent never gets it.
 */
export class HookedSession implements Session {
  readonly #inner: Session;
  readonly #options: HookedSessionOptions;
  readonly #ending = new AbortController();
  /** One for each message that hooks are being told of, the oldest first. */
  readonly #announcing = new Set<AbortController>();
  /** How many messages the agent has that it has not answered yet. */
  #handedOver = 0;
  #lastMessage: Promise<void> = Promise.resolve();

  constructor(inner: Session, options: HookedSessionOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get id(): string {
    return this.#inner.id;
  }

  async send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply> {
    const handOver = await this.#announce(message, options?.signal);
    handOver();
    try {
      return await this.#inner.send(message, options);
    } finally {
      this.#handedOver -= 1;
    }
  }

  async *stream(message: AgentPrompt, options?: TurnOptions): AsyncGenerator<AgentEvent, void, undefined> {
    const handOver = await this.#announce(message, options?.signal);
    handOver();
    try {
      yield* this.#inner.stream(message, options);
    } finally {
      this.#handedOver -= 1;
    }
  }

  steer(message: AgentPrompt): Promise<void> {
    return this.#inner.steer(message);
  }

  async abort(): Promise<void> {
    if (this.#handedOver === 0) {
      const [oldest] = this.#announcing;
      oldest?.abort(new DOMException("The turn was aborted.", "AbortError"));
    }
    await this.#inner.abort();
  }

  summarize(): Promise<void> {
    return this.#inner.summarize();
  }

  getContextUsage(): Promise<ContextUsage> {
    return this.#inner.getContextUsage();
  }

  getSystemToolsTokens(): Promise<number> {
    return this.#inner.getSystemToolsTokens();
  }

  getMcpStatus(): Promise<readonly McpServerStatus[]> {
    return this.#inner.getMcpStatus();
  }

  async destroy(): Promise<void> {
    this.end(new DOMException("The session was destroyed.", "AbortError"));
    try {
      await this.#inner.destroy();
    } finally {
      await this.#options.afterDestroy();
    }
  }

  /** Has no message follow that hooks are still being told of; their senders get the reason. */
  end(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /** Resolves when the hooks are done, with what makes it the agent's; that throws for a message stopped meanwhile. */
  async #announce(prompt: AgentPrompt, signal: AbortSignal | undefined): Promise<() => void> {
    const own = new AbortController();
    const reasons = [own.signal, ...(signal === undefined ? [] : [signal])];
    // Once the session has ended the agent itself refuses what comes.
    if (!this.#ending.signal.aborted) reasons.push(this.#ending.signal);
    const stopped = AbortSignal.any(reasons);
    stopped.throwIfAborted();
    this.#announcing.add(own);
    this.#lastMessage = this.#lastMessage.then(() =>
      stopped.aborted ? undefined : this.#options.beforeMessage(prompt),
    );
    try {
      await raceAbort(this.#lastMessage, stopped);
    } catch (error) {
      this.#announcing.delete(own);
      throw error;
    }
    return () => {
      this.#announcing.delete(own);
      stopped.throwIfAborted();
      this.#handedOver += 1;
    };
  }
}
