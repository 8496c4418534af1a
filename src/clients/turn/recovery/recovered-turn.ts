import {
  type AgentEvent,
  type AgentPrompt,
  AtomicError,
  NoTurnRunningError,
  raceAbort,
  type Session,
  type TurnOptions,
  withResolvers,
} from "../../../contracts/index.ts";
import type { AgentTurn } from "../agent-turn.ts";
import { decideRecovery, type Recovery, type RecoveryPolicy, waitingReasonOf } from "./decide-recovery.ts";
import { RepeatedText } from "./repeated-text.ts";

/** The message to the agent when the interrupted turn must not restart. */
export const CONTINUE_MESSAGE = "Continue where you were interrupted.";

/** Clock and randomness. */
export interface RecoveryClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Rejects with the signal's reason when that is aborted. */
  readonly sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/** What a turn needs of its session. */
export interface RecoveredTurnOptions {
  readonly message: AgentPrompt;
  readonly turnOptions: TurnOptions;
  readonly policy: RecoveryPolicy;
  readonly clock: RecoveryClock;
  readonly canChangeModel: boolean;
  /** How many of the policy's models took over in earlier turns of the session. */
  readonly fallbacksUsed: number;
  /** The session, reopened if its model was changed. May be called again while the session is being opened. */
  readonly openSession: () => Promise<Session>;
  /** Makes the next `openSession` return a session with another model. */
  readonly changeModel: (model: string) => Promise<void>;
}

/**
 * One turn as its reader sees it, made of as many of the agent's turns as it takes.
 *
 * 1. The reader receives one `turn-start` and one `turn-end`; an error only if the turn fails in the end. Between two
 *    attempts there is a `waiting`.
 * 2. If no tool ran, an attempt restarts with the message itself. The reader receives only new text; an answer that differs
 *    is passed on in full, after the text of the interrupted one (`RepeatedText`).
 * 3. After a tool ran, the next attempts only continue (`CONTINUE_MESSAGE`), each in its own paragraph.
 * 4. What the agent itself starts again (`text-restart`) is void for the reader, too, unless it was held back.
 * 5. The reply is what the reader has received: the text of 2 to 4; usage, tools and denials of all attempts.
 */
export class RecoveredTurn {
  readonly #turn: AgentTurn;
  readonly #options: RecoveredTurnOptions;
  #repeated = new RepeatedText("");
  #hasToolRun = false;
  /** The last event that the reader received, of those that separate paragraphs. */
  #lastShown: "nothing" | "text" | "tool" = "nothing";
  /** Set until the first text of an attempt that continues. */
  #isGoingOn = false;
  #wasAborted = false;
  /** Passed on unless it is the end of the attempt. */
  #heldError: AgentEvent | undefined;
  #failures = 0;
  #fallbacksUsed: number;
  /** Resolved while an attempt runs. */
  #attempt = withResolvers<void>();

  constructor(turn: AgentTurn, options: RecoveredTurnOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#fallbacksUsed = options.fallbacksUsed;
  }

  /** Handles an event of the agent. */
  onEvent(event: AgentEvent): void {
    if (event.type === "turn-start") return this.#attempt.resolve();
    if (event.type === "turn-end") {
      this.#attempt = withResolvers();
      this.#wasAborted = event.outcome === "aborted";
      this.#heldError = undefined;
      return;
    }
    if (this.#heldError !== undefined) this.#turn.publish(this.#heldError);
    this.#heldError = undefined;
    if (event.type === "error") {
      this.#heldError = event;
      return;
    }
    this.#pass(event);
  }

  /** Resolves when the agent works, after a pause if there is one. @throws NoTurnRunningError when the turn ends before */
  async attemptBegun(): Promise<void> {
    const { signal, sessionId } = this.#turn;
    await raceAbort(this.#attempt.promise, signal).catch(() => {
      throw new NoTurnRunningError(sessionId);
    });
  }

  /** Retries until the turn has an end, and ends it. */
  async run(): Promise<void> {
    while (!(await this.#try())) {
      // `#try` has waited, and has changed the model if necessary.
    }
  }

  /** One attempt, and the pause after it. Resolves to whether the turn has ended. */
  async #try(): Promise<boolean> {
    const { openSession, message, turnOptions } = this.#options;
    const { signal } = this.#turn;
    const { outputSchema, stallTimeoutMs, stopTimeout } = turnOptions;
    try {
      const session = await raceAbort(openSession(), signal);
      const reply = await session.send(this.#hasToolRun ? CONTINUE_MESSAGE : message, {
        signal,
        ...(outputSchema === undefined ? {} : { outputSchema }),
        ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
        ...(stopTimeout === undefined ? {} : { stopTimeout }),
      });
      this.#publishText(this.#repeated.flush());
      this.#turn.complete("structured" in reply ? { structured: reply.structured } : {});
      return true;
    } catch (error) {
      return this.#recover(error);
    }
  }

  async #recover(error: unknown): Promise<boolean> {
    const { policy, clock, canChangeModel } = this.#options;
    if (this.#turn.signal.aborted || this.#wasAborted || isAbort(error)) return this.#giveWay(error);
    if (!(error instanceof AtomicError)) throw error; // which fails the turn
    this.#failures += 1;
    const recovery = decideRecovery(policy, {
      error,
      failures: this.#failures,
      fallbacksUsed: this.#fallbacksUsed,
      canChangeModel,
      random: clock.random(),
    });
    if (recovery.type === "give-up") {
      this.#turn.fail(error);
      return true;
    }
    try {
      await this.#prepareNext(recovery, error);
      return false;
    } catch (interruption) {
      return this.#giveWay(interruption);
    }
  }

  async #prepareNext(recovery: Exclude<Recovery, { type: "give-up" }>, error: AtomicError): Promise<void> {
    const { clock, changeModel } = this.#options;
    const { sessionId, signal } = this.#turn;
    const reason = waitingReasonOf(error);
    // Invariants 2 and 3.
    this.#isGoingOn = this.#hasToolRun;
    this.#repeated = this.#hasToolRun ? new RepeatedText("") : this.#repeated.restart();
    if (recovery.type === "retry") {
      const retryAt = clock.now() + recovery.delayMs;
      // First, because readers may cut the end of a long text.
      const next = this.#hasToolRun ? "Then the agent is to continue." : "Then the message is sent again.";
      this.#turn.publish({
        type: "waiting",
        sessionId,
        reason,
        message: `${next} ${error.message}`,
        retryAt,
      });
      await clock.sleep(recovery.delayMs, signal);
      return;
    }
    const message = `${sentence(error.message)} The model "${recovery.model}" takes over.`;
    this.#turn.publish({ type: "waiting", sessionId, reason, message, retryAt: clock.now() });
    this.#failures = 0;
    this.#fallbacksUsed += 1;
    await changeModel(recovery.model);
    signal.throwIfAborted();
  }

  /** The turn is being stopped, or someone else stopped the agent: not a failure, and never retried. */
  #giveWay(reason: unknown): boolean {
    void this.#turn.abort(reason); // has no effect on a turn that is being stopped already
    this.#turn.complete(); // the agent has ended its part
    return true;
  }

  #pass(event: AgentEvent): void {
    if (event.type === "text-delta") {
      // Every reader starts a new paragraph after a tool anyway.
      const gap = this.#isGoingOn && this.#lastShown === "text" ? "\n\n" : "";
      this.#isGoingOn = false;
      return this.#publishText(gap + this.#repeated.push(event.text));
    }
    // Invariant 4.
    if (event.type === "text-restart") {
      if (this.#repeated.isHeldBack) {
        this.#repeated = this.#repeated.restart();
        return;
      }
      this.#repeated = new RepeatedText("");
    }
    if (event.type === "tool-start") {
      this.#publishText(this.#repeated.flush());
      this.#hasToolRun = true;
      this.#lastShown = "tool";
    }
    this.#turn.publish(event);
  }

  #publishText(text: string): void {
    if (text === "") return;
    this.#lastShown = "text";
    this.#turn.publish({ type: "text-delta", sessionId: this.#turn.sessionId, text });
  }
}

/** A text that another sentence may follow. */
function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
