import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentEvent,
  type AgentEventBody,
  type AgentReply,
  AgentTurnError,
  AtomicError,
  ContextOverflowError,
  messageOf,
  NotSignedInError,
  raceAbort,
  type SessionLimits,
  type TurnOutcome,
  TurnStalledError,
} from "../../contracts/index.ts";
import { MAX_TIMER_MS } from "../../system/index.ts";
import { collectReply, type ReplyParts, startReply } from "./collect-reply.ts";
import { createEventQueue, type EventQueue } from "./event-queue.ts";

/** What a turn needs of its session. */
export interface AgentTurnOptions {
  readonly agentType: string;
  readonly sessionId: string;
  /** Abort the turn after this long without a sign of life, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** Receives every event before the reader of the turn does. */
  readonly onEvent: (event: AgentEvent) => void;
  /**
   * Stops the vendor. The turn then waits until the vendor has reported the end (`complete` or `fail`), so that the next
   * turn finds the session idle. A rejection is ignored.
   */
  readonly interrupt: (turn: AgentTurn) => Promise<void>;
  /** How long an interrupted vendor may take to report the end, in milliseconds. @default 6_000 */
  readonly interruptGraceMs?: number;
  /** The session's limits. @default no limits */
  readonly limits?: SessionLimits;
  /** Whether the agent calls the user's own endpoint, which can reject a key but has no login. @default false */
  readonly hasEndpoint?: boolean;
  /** How to sign in with the program that was started. @default that of the error */
  readonly loginCommand?: string | undefined;
  /** See `ClientOptions.checkEndpoint`. @default nothing is checked */
  readonly checkEndpoint?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** The error of a stalled turn, if the vendor reported what it waits for. @default TurnStalledError */
  readonly stallError?: () => AtomicError | undefined;
  /** The clock, in milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** How a turn ended. */
type Ending =
  | { readonly outcome: "completed"; readonly structured?: unknown }
  | { readonly outcome: "aborted"; readonly reason: unknown }
  | { readonly outcome: "failed"; readonly error: AtomicError };

/** After this many compactions without any output in between, another one would not help either. */
const MAX_FRUITLESS_COMPACTIONS = 3;

/**
 * One turn in progress, whatever the vendor: the vendor's side publishes events and reports the end; this side has the
 * watchdog, the abort and the reply.
 *
 * 1. The first event is `turn-start`, the last `turn-end`, and `settled` resolves after it. Nothing is published later.
 * 2. The first cause of an end wins: an abort, a stall, a failure, the vendor's own end.
 * 3. After an abort, the turn waits until the vendor reports the end, at most `interruptGraceMs`.
 * 4. A person may take any time to answer: that is not a stall.
 * 5. A conversation that stays too long however often it is compacted fails the turn: vendors would compact forever.
 * 6. A turn that would exceed the session's limits is stopped, or does not start.
 * 7. A turn that waits for an endpoint which `checkEndpoint` rejects is stopped: vendors would retry for minutes.
 */
export class AgentTurn {
  readonly events: EventQueue<AgentEvent> = createEventQueue();
  readonly settled: Promise<void>;
  readonly #options: AgentTurnOptions;
  readonly #controller = new AbortController();
  #reply: ReplyParts = startReply();
  #ending: Ending | undefined;
  /** Set while the vendor is being stopped: what the turn will end with. */
  #plannedEnding: Ending | undefined;
  #settle: () => void = () => {};
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  /** When the last sign of life arrived, on the clock of `performance`, in milliseconds. */
  #lastSignAt = 0;
  #personCount = 0;
  #fruitlessCompactions = 0;
  #isChecking = false;

  constructor(options: AgentTurnOptions) {
    this.#options = options;
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get sessionId(): string {
    return this.#options.sessionId;
  }

  /** Aborted as soon as the turn is being stopped, and when it has ended. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True from the moment the end is decided, before subscribers receive `turn-end`. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** The text of the answer so far. */
  get content(): string {
    return this.#reply.content;
  }

  /**
   * Starts the turn. `begin` sends the message to the vendor; a rejection fails the turn. It is not called if a
   * subscriber to the start has stopped the turn.
   */
  start(begin: () => Promise<void>): void {
    this.publish({ type: "turn-start", sessionId: this.sessionId });
    this.touch();
    if (this.signal.aborted) return this.complete(); // as what it was stopped for; the vendor has nothing to end
    const refusal = this.#options.limits?.beginTurn();
    if (refusal !== undefined) return this.fail(refusal);
    begin().catch((error: unknown) => this.fail(toAtomicError(this.#options.agentType, error)));
  }

  /** Passes an event on; ignored once the turn has ended. Does not count as a sign of life: see `touch`. */
  publish(event: AgentEventBody): void {
    if (this.#ending !== undefined) return;
    this.#tell(event);
    this.#stopFor(this.#options.limits?.noteEvent(event));
    if (event.type === "compacted") this.#onCompaction();
    else if (event.type === "waiting" && event.reason === "network") void this.#checkEndpoint();
    else if (event.type === "text-delta" || event.type === "tool-start") this.#fruitlessCompactions = 0;
  }

  /** The vendor calls the model, not for a sub-agent. Ends the turn when that is one call too many. */
  noteModelCall(): void {
    this.#stopFor(this.#options.limits?.noteCall());
  }

  /** The vendor is about to call the model again. Ends the turn when that would be one call too many. */
  noteModelCallAhead(): void {
    this.#stopFor(this.#options.limits?.noteCallAhead());
  }

  /** The cost of the turn so far, if the vendor reports it before the turn's end. */
  noteCost(costUsd: number): void {
    this.#stopFor(this.#options.limits?.noteTurnCost(costUsd));
  }

  /** The vendor gave a sign of life: the watchdog restarts. */
  touch(): void {
    this.#lastSignAt = performance.now();
    if (this.#ending !== undefined || this.#plannedEnding !== undefined || this.#personCount > 0) this.#stopWatching();
    else if (this.#watchdog === undefined) this.#watch(this.#options.stallTimeoutMs);
  }

  /**
   * Waits for a person; the silence does not count as a stall. Rejects with the reason when the turn is stopped, or when
   * `until` is aborted, which means that the vendor withdraws its request.
   */
  async waitForPerson<T>(
    work: (signal: AbortSignal) => Promise<T>,
    { until }: { readonly until?: AbortSignal } = {},
  ): Promise<T> {
    const signal = until === undefined ? this.signal : AbortSignal.any([this.signal, until]);
    signal.throwIfAborted();
    this.#personCount += 1;
    this.touch();
    try {
      return await raceAbort(work(signal), signal);
    } finally {
      this.#personCount -= 1;
      this.touch();
    }
  }

  /** The vendor has finished the turn. */
  complete(result: { readonly structured?: unknown } = {}): void {
    const problem = this.#options.limits?.endTurn();
    if (problem !== undefined) return this.fail(problem);
    this.#end({ outcome: "completed", ...result });
  }

  /** The vendor's turn has failed, or has stopped for good. */
  fail(error: AtomicError): void {
    this.#end({ outcome: "failed", error: this.#withRemedy(error) });
  }

  /** Stops the vendor and ends the turn as aborted. Resolves when the turn has settled. */
  async abort(reason: unknown): Promise<void> {
    await this.#stop({ outcome: "aborted", reason });
  }

  /** Stops an unresponsive vendor and fails the turn. Resolves when the turn has settled. */
  async giveUp(error: AtomicError): Promise<void> {
    await this.#stop({ outcome: "failed", error: this.#withRemedy(error) });
  }

  /** The reply, once the turn has settled. Throws the turn's error, or the reason of its abort. */
  result(): AgentReply {
    const ending = this.#ending;
    if (ending === undefined) throw new Error("A reply was asked for before the turn had settled.");
    if (ending.outcome === "failed") throw ending.error;
    if (ending.outcome === "aborted") throw ending.reason;
    const { structured } = ending;
    const { content, usage, toolUses, deniedPermissions } = this.#reply;
    return {
      type: "text",
      content: content === "" && structured !== undefined ? JSON.stringify(structured) : content,
      usage,
      toolUses,
      deniedPermissions: [...deniedPermissions],
      ...(structured === undefined ? {} : { structured }),
    };
  }

  /** The one place where events get their time: when this turn's subscribers receive them. */
  #tell(body: AgentEventBody): void {
    const { now = Date.now } = this.#options;
    const event: AgentEvent = { ...body, at: now() };
    this.#reply = collectReply(this.#reply, event);
    this.#options.onEvent(event);
    this.events.push(event);
  }

  /** When the timer fires, it checks for newer signs of life: resetting it for each of thousands would be slow. */
  #watch(delayMs: number): void {
    this.#watchdog = setTimeout(
      () => {
        this.#watchdog = undefined;
        const leftMs = this.#lastSignAt + this.#options.stallTimeoutMs - performance.now();
        if (leftMs > 0) this.#watch(leftMs);
        else this.#onSilence();
      },
      Math.min(Math.ceil(delayMs), MAX_TIMER_MS),
    );
  }

  #stopWatching(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = undefined;
  }

  #onSilence(): void {
    const { agentType, stallTimeoutMs, stallError } = this.#options;
    this.publish({ type: "stalled", sessionId: this.sessionId, silentMs: stallTimeoutMs });
    const error = stallError?.() ?? new TurnStalledError(agentType, stallTimeoutMs);
    void this.giveUp(error);
  }

  /** Invariant 6. */
  #stopFor(error: AtomicError | undefined): void {
    if (error !== undefined) void this.giveUp(error);
  }

  /** Invariant 7. */
  async #checkEndpoint(): Promise<void> {
    const { checkEndpoint, agentType } = this.#options;
    if (checkEndpoint === undefined || this.#isChecking) return;
    this.#isChecking = true;
    try {
      await checkEndpoint(this.signal);
    } catch (error) {
      if (!this.signal.aborted) await this.giveUp(toAtomicError(agentType, error));
    } finally {
      this.#isChecking = false;
    }
  }

  /** Invariant 5. */
  #onCompaction(): void {
    this.#fruitlessCompactions += 1;
    if (this.#fruitlessCompactions < MAX_FRUITLESS_COMPACTIONS) return;
    const detail = `it stays too long although it was compacted ${MAX_FRUITLESS_COMPACTIONS} times in a row`;
    void this.giveUp(new ContextOverflowError(this.#options.agentType, detail));
  }

  /** A translation of the vendor's errors knows neither the endpoint nor the program. */
  #withRemedy(error: AtomicError): AtomicError {
    const { hasEndpoint: isAtEndpoint = false, loginCommand } = this.#options;
    if (!(error instanceof NotSignedInError) || (!isAtEndpoint && loginCommand === undefined)) return error;
    const { agentType, detail, variable, cause } = error;
    return new NotSignedInError(agentType, loginCommand ?? error.loginCommand, {
      detail,
      variable,
      cause,
      isAtEndpoint,
    });
  }

  /** Invariants 2 and 3. */
  async #stop(ending: Ending): Promise<void> {
    if (this.#ending !== undefined) return;
    if (this.#plannedEnding !== undefined) return this.settled;
    this.#plannedEnding = ending;
    this.#stopWatching();
    this.#controller.abort(reasonOf(ending));
    const { interrupt, interruptGraceMs = 6_000 } = this.#options;
    const waiting = new AbortController();
    interrupt(this).catch(() => {
      // The vendor's report, or the end of its grace period, decides.
    });
    await Promise.race([
      this.settled,
      sleep(interruptGraceMs, undefined, { signal: waiting.signal }).catch(() => {
        // The turn has settled.
      }),
    ]);
    waiting.abort();
    this.#end(ending);
  }

  #end(vendorEnding: Ending): void {
    if (this.#ending !== undefined) return;
    const ending = this.#plannedEnding ?? vendorEnding;
    // Set before subscribers are notified: what one of them does at the end must not end the turn a second time.
    this.#ending = ending;
    this.#stopWatching();
    this.#controller.abort(reasonOf(ending));
    const { sessionId } = this;
    if (ending.outcome === "failed") {
      this.#tell({ type: "error", sessionId, message: ending.error.message, code: ending.error.code });
    }
    const outcome: TurnOutcome = ending.outcome;
    this.#tell({ type: "turn-end", sessionId, outcome });
    this.events.close();
    this.#settle();
  }
}

function reasonOf(ending: Ending): unknown {
  switch (ending.outcome) {
    case "aborted":
      return ending.reason;
    case "failed":
      return ending.error;
    case "completed":
      return new DOMException("The turn is over.", "AbortError");
  }
}

function toAtomicError(agentType: string, error: unknown): AtomicError {
  return error instanceof AtomicError ? error : new AgentTurnError(agentType, messageOf(error), { cause: error });
}
