import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentEvent,
  type AgentReply,
  AtomicError,
  messageOf,
  type TurnOutcome,
  TurnStalledError,
} from "../../contracts/index.ts";
import { collectReply, type ReplyParts, startReply } from "../collect-reply.ts";
import { createEventQueue, type EventQueue } from "../event-queue.ts";
import { AGENT_TYPE, toRetryError, toTurnError } from "./opencode-errors.ts";
import { startTranslation, type TranslationState, translateOpenCodeEvent } from "./opencode-events.ts";
import type { OpenCodePermissionAnswerer } from "./opencode-permission-answerer.ts";
import { advanceTurn, type OpenCodeTurn, startTurn } from "./opencode-turn.ts";
import { type OpenCodeEvent, textOf } from "./opencode-wire.ts";

/** What a turn needs of its session. */
export interface RunningTurnOptions {
  readonly sessionId: string;
  /** The user's messages of earlier turns. */
  readonly earlierMessages: ReadonlySet<string>;
  readonly stallTimeoutMs: number;
  /** Tells OpenCode to stop; may fail, and may come too early to have an effect. */
  readonly abortVendor: () => Promise<void>;
  /** Refuses a question, because nobody can answer it during a turn. */
  readonly rejectQuestion: (questionId: string) => Promise<void>;
  /** Makes the answerer of this turn's permissions. */
  readonly createAnswerer: (hooks: {
    readonly publish: (event: AgentEvent) => void;
    readonly onWaitingChange: () => void;
    readonly toolNameOf: (callId: string) => string | undefined;
  }) => OpenCodePermissionAnswerer;
  /** Hears every event before the reader of the turn does. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** How a turn ended. */
type Ending =
  | { readonly outcome: "completed" }
  | { readonly outcome: "aborted"; readonly reason: unknown }
  | { readonly outcome: "failed"; readonly error: AtomicError };

/** How long an idle session without an answer may stay so, in milliseconds; see invariant 3 of `opencode-turn.ts`. */
const SETTLE_GRACE_MS = 1_000;
/** An abort that came before OpenCode began to work has no effect, so it is repeated. */
const ABORT_INTERVAL_MS = 250;
const ABORT_ATTEMPTS = 24;
/** Events that come although nothing goes forward: OpenCode repeats a refused model call for ever. */
const SIGNS_OF_NO_LIFE: ReadonlySet<string> = new Set(["session.status", "session.updated", "session.diff"]);

/**
 * One turn under way: takes the vendor's events in, gives Atomic's out.
 *
 * 1. The first event is `turn-start`, the last `turn-end`, and `settled` resolves after it.
 * 2. The first cause of an end wins: an abort, a stall, the end of the server, the vendor's own end.
 * 3. After an abort the turn waits for OpenCode's word that the session is idle, so that the next turn finds it so.
 */
export class OpenCodeRunningTurn {
  readonly events: EventQueue<AgentEvent> = createEventQueue();
  readonly settled: Promise<void>;
  readonly #options: RunningTurnOptions;
  readonly #answerer: OpenCodePermissionAnswerer;
  readonly #questions = new Set<string>();
  #turn: OpenCodeTurn;
  #translation: TranslationState;
  #reply: ReplyParts = startReply();
  #ending: Ending | undefined;
  /** Set while OpenCode is being told to stop; what the turn will end with. */
  #plannedEnding: Ending | undefined;
  #settle: () => void = () => {};
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RunningTurnOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#turn = startTurn(options.sessionId, options.earlierMessages);
    this.#translation = startTranslation(options.sessionId);
    this.#answerer = options.createAnswerer({
      publish: (event) => this.#publish(event),
      onWaitingChange: () => this.#feedWatchdog(),
      toolNameOf: (callId) => this.#translation.tools[callId]?.name,
    });
  }

  get turn(): OpenCodeTurn {
    return this.#turn;
  }

  /** Starts the turn; `begin` hands the message to OpenCode. */
  start(begin: () => Promise<void>): void {
    this.#publish({ type: "turn-start", sessionId: this.#options.sessionId });
    this.#feedWatchdog();
    begin().then(
      () => this.#checkAcceptance(),
      (error: unknown) => this.fail(toAtomicError(error)),
    );
  }

  receive(event: OpenCodeEvent): void {
    if (this.#ending !== undefined) return;
    const { state, events } = translateOpenCodeEvent(this.#translation, event);
    this.#translation = state;
    for (const translated of events) this.#publish(translated);
    this.#answer(event);
    if (!SIGNS_OF_NO_LIFE.has(event.type)) this.#feedWatchdog();
    this.#turn = advanceTurn(this.#turn, event);
    clearTimeout(this.#graceTimer);
    if (this.#turn.phase === "ended") this.#end();
    else if (this.#turn.phase === "settling") this.#endAfter(SETTLE_GRACE_MS);
  }

  /** Ends the turn at once. */
  fail(error: AtomicError): void {
    this.#plannedEnding ??= { outcome: "failed", error };
    this.#end();
  }

  /** Stops OpenCode and ends the turn as aborted. */
  async abort(reason: unknown): Promise<void> {
    await this.#stop({ outcome: "aborted", reason });
  }

  /** The reply, once the turn has settled. Throws the turn's error, or the reason of its abort. */
  result(): AgentReply {
    const ending = this.#ending;
    if (ending?.outcome === "failed") throw ending.error;
    if (ending?.outcome === "aborted") throw ending.reason;
    const { structured } = this.#turn;
    const { content, usage, toolUses, deniedPermissions } = this.#reply;
    return {
      type: "text",
      content: content === "" && structured !== undefined ? JSON.stringify(structured) : content,
      usage,
      toolUses,
      deniedPermissions,
      ...(structured === undefined ? {} : { structured }),
    };
  }

  #publish(event: AgentEvent): void {
    if (this.#ending !== undefined) return;
    this.#reply = collectReply(this.#reply, event);
    this.#options.onEvent(event);
    this.events.push(event);
  }

  #answer(event: OpenCodeEvent): void {
    switch (event.type) {
      case "permission.asked":
        void this.#answerer.answer(event.properties);
        return;
      case "permission.replied":
        this.#answerer.settle(event.properties);
        return;
      case "question.asked": {
        const questionId = textOf(event.properties.id);
        if (this.#questions.has(questionId)) return;
        this.#questions.add(questionId);
        this.#options.rejectQuestion(questionId).catch(() => {
          // OpenCode has dropped the question with the turn.
        });
      }
    }
  }

  /** OpenCode took the message but may have failed before it made one of it. */
  #checkAcceptance(): void {
    if (this.#turn.phase === "sent" && this.#turn.earlyError !== undefined) this.#endAfter(SETTLE_GRACE_MS);
  }

  #endAfter(delayMs: number): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = setTimeout(() => this.#end(), delayMs);
  }

  /** Restarts the wait for a sign of life; a person who is being asked may take any time. */
  #feedWatchdog(): void {
    clearTimeout(this.#watchdog);
    if (this.#ending !== undefined || this.#plannedEnding !== undefined || this.#answerer.isWaiting) return;
    this.#watchdog = setTimeout(() => {
      const { retry } = this.#turn;
      const error =
        retry === undefined
          ? new TurnStalledError(AGENT_TYPE, this.#options.stallTimeoutMs)
          : toRetryError(retry, Date.now());
      void this.#stop({ outcome: "failed", error });
    }, this.#options.stallTimeoutMs);
  }

  /** Invariants 2 and 3. */
  async #stop(ending: Ending): Promise<void> {
    if (this.#ending !== undefined) return;
    if (this.#plannedEnding !== undefined) return this.settled;
    this.#plannedEnding = ending;
    clearTimeout(this.#watchdog);
    this.#answerer.abort(ending.outcome === "aborted" ? ending.reason : undefined);
    for (let attempt = 0; attempt < ABORT_ATTEMPTS && !this.#hasEnded(); attempt++) {
      await this.#options.abortVendor().catch(() => {
        // The next attempt, or the end of the server, decides.
      });
      const waiting = new AbortController();
      await Promise.race([
        this.settled,
        sleep(ABORT_INTERVAL_MS, undefined, { signal: waiting.signal }).catch(() => {}),
      ]);
      waiting.abort();
    }
    this.#end();
  }

  #hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  #end(): void {
    if (this.#ending !== undefined) return;
    const ending = this.#plannedEnding ?? this.#vendorEnding();
    clearTimeout(this.#watchdog);
    clearTimeout(this.#graceTimer);
    this.#answerer.abort(ending.outcome === "aborted" ? ending.reason : undefined);
    const { sessionId } = this.#options;
    if (ending.outcome === "failed") {
      this.#publish({ type: "error", sessionId, message: ending.error.message, code: ending.error.code });
    }
    const outcome: TurnOutcome = ending.outcome;
    this.#publish({ type: "turn-end", sessionId, outcome });
    this.#ending = ending;
    this.events.close();
    this.#settle();
  }

  #vendorEnding(): Ending {
    const error = this.#turn.error ?? (this.#turn.phase === "sent" ? this.#turn.earlyError : undefined);
    if (error === undefined) return { outcome: "completed" };
    return { outcome: "failed", error: toTurnError(error, { content: this.#reply.content, now: Date.now() }) };
  }
}

function toAtomicError(error: unknown): AtomicError {
  return error instanceof AtomicError
    ? error
    : toTurnError({ data: { message: messageOf(error) } }, { content: "", now: 0 });
}
