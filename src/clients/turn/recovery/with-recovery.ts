import type {
  AgentEvent,
  AgentEventType,
  CodingAgentClient,
  Session,
  SessionConfig,
  Unsubscribe,
} from "../../../contracts/index.ts";
import { sleep } from "../../../system/index.ts";
import { EventHub } from "../event-hub.ts";
import { ForwardingClient } from "../forwarding/forwarding-client.ts";
import type { RecoveryPolicy } from "./decide-recovery.ts";
import type { RecoveryClock } from "./recovered-turn.ts";
import { RecoveringSession } from "./recovering-session.ts";

/** Real time and randomness. */
const SYSTEM_CLOCK: RecoveryClock = { now: () => Date.now(), random: () => Math.random(), sleep };

/**
 * The same client, which retries a turn after a temporary failure. For chats and single messages; the nodes of a graph have
 * their own `retry`.
 *
 * Its reader sees one turn, with a `waiting` wherever it failed and resumes. An attempt in which no tool ran restarts: as
 * long as the model repeats itself, the reader receives only new text, and an answer that differs is passed on in full, in
 * its own paragraph. After a tool ran, the agent is asked to continue instead, so that nothing is done twice. The reply's
 * content is the text of the stream, as in every turn; its usage is that of all attempts.
 *
 * When a model has no attempts left, the next of `fallbackModels` replaces it for the rest of the session, if the agent
 * supports `resume`. Aborts are never retried.
 *
 * ```ts
 * const client = withRecovery(createOpenCodeClient(options), { maxAttempts: 3, fallbackModels: ["openai/gpt-5-mini"] });
 * const reply = await (await client.createSession()).send("Fix the failing test.");
 * ```
 */
export function withRecovery(
  client: CodingAgentClient,
  policy: RecoveryPolicy = {},
  clock: Partial<RecoveryClock> = {},
): CodingAgentClient {
  return new RecoveringClient(client, { policy, clock: { ...SYSTEM_CLOCK, ...clock } });
}

class RecoveringClient extends ForwardingClient {
  readonly #options: { readonly policy: RecoveryPolicy; readonly clock: RecoveryClock };
  readonly #hub = new EventHub();
  readonly #sessions = new Set<RecoveringSession>();

  constructor(inner: CodingAgentClient, options: { readonly policy: RecoveryPolicy; readonly clock: RecoveryClock }) {
    super(inner);
    this.#options = options;
    inner.on("*", (event) => this.#onEvent(event));
  }

  override async stop(): Promise<void> {
    const reason = new DOMException("The client was stopped.", "AbortError");
    await Promise.all([...this.#sessions].map((session) => session.end(reason)));
    this.#sessions.clear();
    await this.inner.stop();
  }

  override async createSession(config: SessionConfig = {}): Promise<Session> {
    return this.#wrap(await this.inner.createSession(config), config);
  }

  override async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#wrap(await this.inner.resumeSession(sessionId, config), config);
  }

  override async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#wrap(await this.inner.forkSession(sessionId, config), config);
  }

  override on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    return this.#hub.on(type, listener);
  }

  #wrap(inner: Session, config: SessionConfig): Session {
    const session = new RecoveringSession(inner, {
      ...this.#options,
      client: this.inner,
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
