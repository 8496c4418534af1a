import {
  type AgentEvent,
  type AgentPrompt,
  type AgentReply,
  AtomicError,
  type ContextUsage,
  type McpServerStatus,
  NoTurnRunningError,
  raceAbort,
  type Session,
  SessionBusyError,
  type TurnOptions,
  withResolvers,
} from "../../../contracts/index.ts";
import { AgentTurn } from "../agent-turn.ts";
import type { WrappedSession, WrappedSessionHost } from "../forwarding/wrapping-client.ts";
import { TurnRunner, type TurnTask } from "../turn-runner.ts";
import type { TurnSlots } from "./turn-slots.ts";

/** Only the agent's own watchdog applies. */
const NEVER_MS = Number.POSITIVE_INFINITY;

/** How long the agent may take to end a stopped turn, in milliseconds: more than its own turns wait. */
const INTERRUPT_GRACE_MS = 10_000;

/** What a session needs of its client. */
export interface SlottedSessionOptions extends WrappedSessionHost {
  readonly agentType: string;
  readonly slots: TurnSlots;
}

/** A turn that waits for its slot, or has it. */
interface SlottedTurn {
  readonly turn: AgentTurn;
  /** Resolved when the agent works. */
  readonly begun: PromiseWithResolvers<void>;
  /** Whether somebody other than this session stopped the agent. */
  wasAborted: boolean;
  /** Passed on unless it is the end of the turn, which reports it itself. */
  heldError: AgentEvent | undefined;
}

/**
 * A session whose turns each hold a slot. The agent receives the message when there is one; only then does its watchdog start.
 * The slot is free when the agent has ended its part, even if that takes longer than the turn.
 */
export class SlottedSession implements WrappedSession {
  readonly id: string;
  readonly #inner: Session;
  readonly #options: SlottedSessionOptions;
  readonly #runner: TurnRunner;
  #running: SlottedTurn | undefined;

  constructor(inner: Session, options: SlottedSessionOptions) {
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

  /** Before the turn has its slot, waits for that. */
  async steer(message: AgentPrompt): Promise<void> {
    const running = this.#running;
    if (running !== undefined) {
      await raceAbort(running.begun.promise, running.turn.signal).catch(() => {
        throw new NoTurnRunningError(this.id);
      });
    }
    await this.#inner.steer(message);
  }

  abort(): Promise<void> {
    return this.#runner.abort();
  }

  /** Holds no slot: it has a time limit of its own, and begins where a turn has just ended. */
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
    const running = this.#running;
    if (running === undefined) return false;
    if (event.type === "turn-start") {
      running.begun.resolve();
    } else if (event.type === "turn-end") {
      running.wasAborted = event.outcome === "aborted";
      running.heldError = undefined;
    } else {
      if (running.heldError !== undefined) running.turn.publish(running.heldError);
      running.heldError = event.type === "error" ? event : undefined;
      if (event.type !== "error") running.turn.publish(event);
    }
    return true;
  }

  #task(message: AgentPrompt, options: TurnOptions = {}): TurnTask {
    const { agentType, slots, publish } = this.#options;
    const { inside } = slots;
    const create = async () =>
      new AgentTurn({
        agentType,
        sessionId: this.id,
        stallTimeoutMs: NEVER_MS,
        interruptGraceMs: INTERRUPT_GRACE_MS,
        onEvent: publish,
        interrupt: async () => {}, // the turn's signal, which the agent has, is enough
      });
    const begin = async (turn: AgentTurn) => {
      const running: SlottedTurn = {
        turn,
        begun: withResolvers(),
        wasAborted: false,
        heldError: undefined,
      };
      this.#running = running;
      try {
        const reply = await this.#hold(() => this.#ask(message, { ...options, turn }), { ...options, turn, inside });
        turn.complete("structured" in reply ? { structured: reply.structured } : {});
      } catch (error) {
        if (turn.signal.aborted || running.wasAborted || isAbort(error)) giveWay(turn, error);
        else if (error instanceof AtomicError) turn.fail(error);
        else throw error; // which fails the turn
      } finally {
        // A stopped turn may end while the next one runs.
        if (this.#running === running) this.#running = undefined;
      }
    };
    return { create, begin };
  }

  #ask(
    message: AgentPrompt,
    { turn, outputSchema, stallTimeoutMs }: TurnOptions & { readonly turn: AgentTurn },
  ): Promise<AgentReply> {
    return this.#inner.send(message, {
      signal: turn.signal,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
    });
  }

  /** Works with a slot, and reports that it waits for one. */
  async #hold(
    work: () => Promise<AgentReply>,
    { turn, inside, stopTimeout }: TurnOptions & { readonly turn: AgentTurn; readonly inside: string | undefined },
  ): Promise<AgentReply> {
    let resumeTimeout = stopTimeout?.();
    const resume = (): void => {
      resumeTimeout?.();
      resumeTimeout = undefined;
    };
    try {
      return await this.#options.slots.hold(
        () => {
          resume();
          return work();
        },
        { signal: turn.signal, inside, onWait: (limit) => turn.publish(describeWait(this.id, limit)) },
      );
    } finally {
      resume();
    }
  }
}

function describeWait(sessionId: string, limit: number) {
  const message = `${limit} ${limit === 1 ? "agent is" : "agents are"} at work on this machine, as many as the settings allow`;
  return { type: "waiting", sessionId, reason: "machine-limit", message } as const;
}

/** The turn is being stopped, or someone else stopped the agent: not a failure. */
function giveWay(turn: AgentTurn, reason: unknown): void {
  void turn.abort(reason); // has no effect on a turn that is being stopped already
  turn.complete(); // the agent has ended its part
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
