import {
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type CodingAgentClient,
  type ContextUsage,
  type McpServerStatus,
  type Session,
  SessionBusyError,
  type SessionConfig,
  SessionDestroyedError,
  type TurnOptions,
} from "../../../contracts/index.ts";
import { AgentTurn } from "../agent-turn.ts";
import type { WrappedSession, WrappedSessionHost } from "../forwarding/wrapping-client.ts";
import { TurnRunner, type TurnTask } from "../turn-runner.ts";
import type { RecoveryPolicy } from "./decide-recovery.ts";
import { RecoveredTurn, type RecoveryClock } from "./recovered-turn.ts";

/** Only the agent's own watchdog applies. */
const NEVER_MS = Number.POSITIVE_INFINITY;

/** How long the agent may take to end a stopped turn, in milliseconds: more than its own turns wait. */
const INTERRUPT_GRACE_MS = 10_000;

/** What a session needs of its client. */
export interface RecoveringSessionOptions extends WrappedSessionHost {
  readonly client: CodingAgentClient;
  readonly config: SessionConfig;
  readonly policy: RecoveryPolicy;
  readonly clock: RecoveryClock;
}

/** A session that retries a turn after a temporary failure, or continues it with another model. */
export class RecoveringSession implements WrappedSession {
  readonly id: string;
  readonly #options: RecoveringSessionOptions;
  readonly #runner: TurnRunner;
  /** Absent while the model is being changed. */
  #inner: Session | undefined;
  #opening: Promise<Session> | undefined;
  /** Settles when the session with the previous model is closed. */
  #closing: Promise<void> = Promise.resolve();
  #config: SessionConfig;
  #fallbacksUsed = 0;
  /** What the session has cost, including with previous models, in United States dollars. */
  #spentUsd: number;
  #running: RecoveredTurn | undefined;

  constructor(inner: Session, options: RecoveringSessionOptions) {
    this.id = inner.id;
    this.#inner = inner;
    this.#options = options;
    this.#config = options.config;
    this.#spentUsd = options.config.spentUsd ?? 0;
    this.#runner = new TurnRunner(inner.id);
  }

  send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply> {
    return this.#runner.run(this.#task(message, options), options);
  }

  stream(message: AgentPrompt, options?: TurnOptions): AsyncIterable<AgentEvent> {
    return this.#runner.stream(this.#task(message, options), options);
  }

  /** During a pause, waits for the next attempt, which reads the message. */
  async steer(message: AgentPrompt): Promise<void> {
    await this.#running?.attemptBegun();
    await (await this.#open()).steer(message);
  }

  abort(): Promise<void> {
    return this.#runner.abort();
  }

  async summarize(): Promise<void> {
    if (this.#runner.isBusy) throw new SessionBusyError(this.id);
    await (await this.#open()).summarize();
  }

  async getContextUsage(): Promise<ContextUsage> {
    return (await this.#open()).getContextUsage();
  }

  async getSystemToolsTokens(): Promise<number> {
    return (await this.#open()).getSystemToolsTokens();
  }

  async getMcpStatus(): Promise<readonly McpServerStatus[]> {
    return (await this.#open()).getMcpStatus();
  }

  async destroy(): Promise<void> {
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
    try {
      // The caller that opened a session already got its error.
      const opened = await this.#opening?.catch(() => undefined);
      await (opened ?? this.#inner)?.destroy();
    } finally {
      this.#options.onDestroy(this);
    }
  }

  async end(reason: unknown): Promise<void> {
    await this.#runner.end(reason);
  }

  onEvent(event: AgentEvent): boolean {
    if (event.type === "usage") this.#spentUsd += event.usage.costUsd ?? 0;
    this.#running?.onEvent(event);
    return this.#running !== undefined;
  }

  #task(message: AgentPrompt, turnOptions: TurnOptions = {}): TurnTask {
    const { client, policy, clock, publish } = this.#options;
    const create = async () =>
      new AgentTurn({
        agentType: client.agentType,
        sessionId: this.id,
        stallTimeoutMs: NEVER_MS,
        interruptGraceMs: INTERRUPT_GRACE_MS,
        onEvent: publish,
        interrupt: async () => {}, // the turn's signal, which the agent has, is enough
      });
    const begin = async (turn: AgentTurn) => {
      const running = new RecoveredTurn(turn, {
        message,
        turnOptions,
        policy,
        clock,
        canChangeModel: client.capabilities.resume,
        fallbacksUsed: this.#fallbacksUsed,
        openSession: () => this.#open(),
        changeModel: (model) => this.#changeModel(model),
      });
      this.#running = running;
      try {
        await running.run();
      } finally {
        // A stopped attempt may end while the next one runs.
        if (this.#running === running) this.#running = undefined;
      }
    };
    return { create, begin };
  }

  /** @throws SessionDestroyedError */
  async #open(): Promise<Session> {
    if (this.#inner !== undefined) return this.#inner;
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #reopen(): Promise<Session> {
    await this.#closing;
    if (this.#runner.hasEnded) throw new SessionDestroyedError(this.id);
    const opened = await this.#options.client.resumeSession(this.id, this.#reopeningConfig());
    this.#inner = opened;
    return opened;
  }

  /** A reopened session counts its cost from 0. */
  #reopeningConfig(): SessionConfig {
    return this.#config.maxBudgetUsd === undefined ? this.#config : { ...this.#config, spentUsd: this.#spentUsd };
  }

  async #changeModel(model: string): Promise<void> {
    this.#fallbacksUsed += 1;
    this.#config = { ...this.#config, model };
    const former = this.#inner;
    this.#inner = undefined;
    this.#closing = (async () => former?.destroy())().catch(() => {
      // The conversation continues in another handle, whatever happened to this one.
    });
    await this.#closing;
  }
}
