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

/** How a hooked session calls hooks. */
export interface HookedSessionOptions {
  /**
   * The message that the agent receives. A rejection goes to the sender, and the agent receives nothing. The signal is
   * aborted when nobody waits for it any more.
   */
  readonly beforeMessage: (prompt: AgentPrompt, options: { readonly signal: AbortSignal }) => Promise<AgentPrompt>;
  /** Calls the hooks, then `compact`. A rejection goes to the caller. */
  readonly aroundCompaction: (compact: () => Promise<void>) => Promise<void>;
  /** Must not reject. */
  readonly afterDestroy: () => Promise<void>;
}

/**
 * A session that calls hooks for its messages and for its end. Messages keep their order. A message whose hooks still run
 * counts as the running turn: `abort` stops it, and the agent never receives it.
 */
export class HookedSession implements Session {
  readonly #inner: Session;
  readonly #options: HookedSessionOptions;
  readonly #ending = new AbortController();
  /** One for each message whose hooks still run, the oldest first. */
  readonly #announcing = new Set<AbortController>();
  /** How many messages the agent has not answered yet. */
  #handedOver = 0;
  /** Never rejects. */
  #lastMessage: Promise<unknown> = Promise.resolve();

  constructor(inner: Session, options: HookedSessionOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get id(): string {
    return this.#inner.id;
  }

  async send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply> {
    const handOver = await this.#announce(message, options?.signal);
    const prompt = handOver();
    try {
      return await this.#inner.send(prompt, options);
    } finally {
      this.#handedOver -= 1;
    }
  }

  async *stream(message: AgentPrompt, options?: TurnOptions): AsyncGenerator<AgentEvent, void, undefined> {
    const handOver = await this.#announce(message, options?.signal);
    const prompt = handOver();
    try {
      yield* this.#inner.stream(prompt, options);
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
    return this.#options.aroundCompaction(() => this.#inner.summarize());
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

  /** Drops messages whose hooks still run; their senders get the reason. */
  end(reason: unknown): void {
    this.#ending.abort(reason);
  }

  /**
   * Resolves when the hooks are done, with a function that marks the message as the agent's and returns it as the agent
   * receives it; it throws after a stop.
   */
  async #announce(prompt: AgentPrompt, signal: AbortSignal | undefined): Promise<() => AgentPrompt> {
    const own = new AbortController();
    const reasons = [own.signal, ...(signal === undefined ? [] : [signal])];
    // After the session's end, the agent itself rejects messages.
    if (!this.#ending.signal.aborted) reasons.push(this.#ending.signal);
    const stopped = AbortSignal.any(reasons);
    stopped.throwIfAborted();
    this.#announcing.add(own);
    const heard = this.#lastMessage.then(() =>
      stopped.aborted ? prompt : this.#options.beforeMessage(prompt, { signal: stopped }),
    );
    this.#lastMessage = heard.catch(() => undefined); // its sender gets the error
    let received: AgentPrompt;
    try {
      received = await raceAbort(heard, stopped);
    } catch (error) {
      this.#announcing.delete(own);
      throw error;
    }
    return () => {
      this.#announcing.delete(own);
      stopped.throwIfAborted();
      this.#handedOver += 1;
      return received;
    };
  }
}
