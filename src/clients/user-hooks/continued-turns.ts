import {
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  type CodingAgentClient,
  type ContextUsage,
  type McpServerStatus,
  raceAbort,
  type Session,
  SessionBusyError,
  type TurnOptions,
} from "../../contracts/index.ts";
import { AgentTurn } from "../turn/agent-turn.ts";
import { type WrappedSession, type WrappedSessionHost, WrappingClient } from "../turn/forwarding/wrapping-client.ts";
import { TurnRunner, type TurnTask } from "../turn/turn-runner.ts";

/** The end of a turn, as the agent sees it. */
export interface TurnPause {
  readonly sessionId: string;
  /** The text of the answer so far. */
  readonly content: string;
  /** How often this turn was continued. */
  readonly continuations: number;
  readonly signal: AbortSignal;
}

/** Decides whether a completed turn continues: returns the message for the agent, or undefined. Must not throw. */
export type ContinueTurn = (pause: TurnPause) => Promise<string | undefined>;

/** Only the agent's own watchdog applies. */
const NEVER_MS = Number.POSITIVE_INFINITY;

/** How long the agent may take to end a stopped turn, in milliseconds: more than its own turns wait. */
const INTERRUPT_GRACE_MS = 10_000;

/**
 * The same client, whose turns may continue after the agent has finished. Its readers see one turn, with the text of all
 * parts, each in its own paragraph.
 */
export function withContinuedTurns(client: CodingAgentClient, decide: ContinueTurn): CodingAgentClient {
  return new ContinuingClient(client, decide);
}

class ContinuingClient extends WrappingClient {
  readonly #decide: ContinueTurn;

  constructor(inner: CodingAgentClient, decide: ContinueTurn) {
    super(inner);
    this.#decide = decide;
  }

  protected override wrap(inner: Session, host: WrappedSessionHost): WrappedSession {
    return new ContinuingSession(inner, { ...host, decide: this.#decide, agentType: this.agentType });
  }
}

interface ContinuingOptions extends WrappedSessionHost {
  readonly decide: ContinueTurn;
  readonly agentType: string;
}

/** A session whose turns consist of as many of the agent's as it takes. */
class ContinuingSession implements WrappedSession {
  readonly id: string;
  readonly #inner: Session;
  readonly #options: ContinuingOptions;
  readonly #runner: TurnRunner;
  #running: ContinuedTurn | undefined;

  constructor(inner: Session, options: ContinuingOptions) {
    this.id = inner.id;
    this.#inner = inner;
    this.#options = options;
    this.#runner = new TurnRunner(inner.id);
  }

  send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply> {
    return this.#runner.run(this.#task(message, options), options);
  }

  stream(message: AgentPrompt, options?: TurnOptions): AsyncIterable<AgentEvent> {
    return this.#runner.stream(this.#task(message, options), options);
  }

  steer(message: AgentPrompt): Promise<void> {
    return this.#inner.steer(message);
  }

  abort(): Promise<void> {
    return this.#runner.abort();
  }

  async summarize(): Promise<void> {
    if (this.#runner.isBusy) throw new SessionBusyError(this.id);
    await this.#inner.summarize();
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
    await this.end(new DOMException("The session was destroyed.", "AbortError"));
    try {
      await this.#inner.destroy();
    } finally {
      this.#options.onDestroy(this);
    }
  }

  async end(reason: unknown): Promise<void> {
    await this.#runner.end(reason);
  }

  onEvent(event: AgentEvent): boolean {
    this.#running?.onEvent(event);
    return this.#running !== undefined;
  }

  #task(message: AgentPrompt, turnOptions: TurnOptions = {}): TurnTask {
    const { agentType, decide, publish } = this.#options;
    const create = async (): Promise<AgentTurn> =>
      new AgentTurn({
        agentType,
        sessionId: this.id,
        stallTimeoutMs: NEVER_MS,
        interruptGraceMs: INTERRUPT_GRACE_MS,
        onEvent: publish,
        interrupt: async () => {}, // the turn's signal, which the agent has, is enough
      });
    const begin = async (turn: AgentTurn): Promise<void> => {
      const running = new ContinuedTurn(turn, { session: this.#inner, turnOptions, decide });
      this.#running = running;
      try {
        await running.run(message);
      } finally {
        if (this.#running === running) this.#running = undefined;
      }
    };
    return { create, begin };
  }
}

interface ContinuedTurnOptions {
  readonly session: Session;
  readonly turnOptions: TurnOptions;
  readonly decide: ContinueTurn;
}

/** One turn as its reader sees it. */
class ContinuedTurn {
  readonly #turn: AgentTurn;
  readonly #options: ContinuedTurnOptions;
  /** Whether the next text starts a paragraph. */
  #needsGap = false;
  #wasAborted = false;
  /** The turn itself reports its error. */
  #heldError: AgentEvent | undefined;

  constructor(turn: AgentTurn, options: ContinuedTurnOptions) {
    this.#turn = turn;
    this.#options = options;
  }

  onEvent(event: AgentEvent): void {
    if (event.type === "turn-start") return;
    if (event.type === "turn-end") {
      this.#wasAborted = event.outcome === "aborted";
      this.#heldError = undefined;
      return;
    }
    if (this.#heldError !== undefined) this.#turn.publish(this.#heldError);
    this.#heldError = event.type === "error" ? event : undefined;
    if (event.type === "error") return;
    if (event.type !== "text-delta" || !this.#needsGap) return this.#turn.publish(event);
    this.#needsGap = false;
    this.#turn.publish({ ...event, text: `\n\n${event.text}` });
  }

  async run(message: AgentPrompt): Promise<void> {
    const { session, turnOptions, decide } = this.#options;
    const { whenBusy: _, ...options } = turnOptions;
    const { signal, sessionId } = this.#turn;
    let next: AgentPrompt | undefined = message;
    let reply: AgentReply | undefined;
    try {
      for (let continuations = 0; next !== undefined; continuations++) {
        reply = await session.send(next, { ...options, signal });
        this.#needsGap = this.#turn.content !== "";
        next = await raceAbort(decide({ sessionId, content: reply.content, continuations, signal }), signal);
      }
    } catch (error) {
      if (!signal.aborted && !this.#wasAborted) throw error; // which fails the turn
      void this.#turn.abort(error); // has no effect on a turn that is being stopped already
    }
    this.#turn.complete(reply !== undefined && "structured" in reply ? { structured: reply.structured } : {});
  }
}
