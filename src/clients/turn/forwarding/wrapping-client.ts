import type {
  AgentEvent,
  AgentEventType,
  CodingAgentClient,
  Session,
  SessionConfig,
  Unsubscribe,
} from "../../../contracts/index.ts";
import { EventHub } from "../event-hub.ts";
import { ForwardingClient } from "./forwarding-client.ts";

/** A session whose turns are made of those of another session. */
export interface WrappedSession extends Session {
  /** Stops the running turn with this reason, and rejects those that wait for it. */
  end(reason: unknown): Promise<void>;
  /** Handles an event of the agent. Returns false for an event that belongs to no turn of this session. */
  onEvent(event: AgentEvent): boolean;
}

/** How a {@link WrappedSession} reports to its client. */
export interface WrappedSessionHost {
  /** Receives what readers of the session receive. */
  readonly publish: (event: AgentEvent) => void;
  readonly onDestroy: (session: WrappedSession) => void;
}

/** A client that wraps each session of another one. Its subscribers receive the events of the wrapped turns. */
export abstract class WrappingClient extends ForwardingClient {
  readonly #hub = new EventHub();
  readonly #sessions = new Set<WrappedSession>();

  constructor(inner: CodingAgentClient) {
    super(inner);
    inner.on("*", (event) => this.#onEvent(event));
  }

  protected abstract wrap(
    inner: Session,
    options: WrappedSessionHost & { readonly config: SessionConfig },
  ): WrappedSession;

  override async stop(): Promise<void> {
    const reason = new DOMException("The client was stopped.", "AbortError");
    await Promise.all([...this.#sessions].map((session) => session.end(reason)));
    this.#sessions.clear();
    await this.inner.stop();
  }

  override async createSession(config: SessionConfig = {}): Promise<Session> {
    return this.#adopt(await this.inner.createSession(config), config);
  }

  override async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#adopt(await this.inner.resumeSession(sessionId, config), config);
  }

  override async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#adopt(await this.inner.forkSession(sessionId, config), config);
  }

  override on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    return this.#hub.on(type, listener);
  }

  #adopt(inner: Session, config: SessionConfig): Session {
    const session = this.wrap(inner, {
      config,
      publish: (event) => this.#hub.publish(event),
      onDestroy: (destroyed) => void this.#sessions.delete(destroyed),
    });
    this.#sessions.add(session);
    return session;
  }

  #onEvent(event: AgentEvent): void {
    const takers = [...this.#sessions].filter((session) => session.id === event.sessionId && session.onEvent(event));
    if (takers.length === 0) this.#hub.publish(event);
  }
}
