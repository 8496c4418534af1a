import {
  type AgentEvent,
  type AgentReply,
  raceAbort,
  SessionBusyError,
  SessionDestroyedError,
  type TurnOptions,
  withResolvers,
} from "../../contracts/index.ts";
import type { AgentTurn } from "./agent-turn.ts";

/** What differs between kinds of turns. */
export interface TurnTask {
  /** Creates the turn, once the session is free. May await what the vendor needs first. */
  readonly create: () => Promise<AgentTurn>;
  /** Sends the message to the vendor. Resolves when it is sent, or later. */
  readonly begin: (turn: AgentTurn) => Promise<void>;
}

/** A turn that has not started yet. */
interface TurnInMaking {
  /** Aborted when the turn must end before it starts. */
  readonly controller: AbortController;
  /** Resolves when the turn's place is free again, or `create` took too long to end (invariant 4). */
  readonly over: Promise<unknown>;
}

/** Settings of {@link TurnRunner}. */
export interface TurnRunnerOptions {
  /** How long `create` may take after an abort, in milliseconds. @default 6_000 */
  readonly createGraceMs?: number;
}

/**
 * The turns of one session, one after another.
 *
 * 1. Never two at once: a second one throws `SessionBusyError`, or waits for its place in the order of the calls.
 * 2. A turn whose events are no longer read, or whose signal is aborted, is aborted and has settled before the next one
 *    starts.
 * 3. After `end` no turn starts, not even one requested before: nothing restarts a stopped vendor.
 * 4. An abort waits for `create` for `createGraceMs` at most. The session of a vendor that does not answer then stays busy
 *    until `create` settles, because a late `create` must not change the state of the next turn.
 */
export class TurnRunner {
  readonly #sessionId: string;
  readonly #createGraceMs: number;
  #turn: AgentTurn | undefined;
  /** The turn that is being created. */
  #making: TurnInMaking | undefined;
  /** Aborted by `end`. */
  readonly #ending = new AbortController();
  /** Settles when the last requested turn has released its place. */
  #lastPlace: Promise<void> = Promise.resolve();
  #placeCount = 0;

  constructor(sessionId: string, { createGraceMs = 6_000 }: TurnRunnerOptions = {}) {
    this.#sessionId = sessionId;
    this.#createGraceMs = createGraceMs;
  }

  /** The turn in progress. */
  get turn(): AgentTurn | undefined {
    return this.#turn;
  }

  /** True from the request of a turn until it has settled. */
  get isBusy(): boolean {
    return this.#placeCount > 0;
  }

  /** True after `end`. */
  get hasEnded(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Runs a turn to its end. Throws the turn's error, or the reason of its abort; SessionDestroyedError after `end`. */
  async run(task: TurnTask, options: TurnOptions = {}): Promise<AgentReply> {
    const turns: AgentTurn[] = [];
    const noting: TurnTask = {
      ...task,
      create: async () => {
        const turn = await task.create();
        turns.push(turn);
        return turn;
      },
    };
    for await (const _event of this.stream(noting, options)) {
      // Only the end counts.
    }
    const turn = turns[0];
    if (turn === undefined) throw new Error("A turn ended that was never made.");
    return turn.result();
  }

  /** Runs a turn and yields its events. @throws SessionDestroyedError after `end` */
  async *stream(task: TurnTask, options: TurnOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    if (this.hasEnded) throw new SessionDestroyedError(this.#sessionId);
    const { signal } = options;
    const place = withResolvers<void>();
    const overdue = withResolvers<void>();
    const over = Promise.race([place.promise, overdue.promise]);
    const making: TurnInMaking = { controller: new AbortController(), over };
    const reasons = [making.controller.signal, this.#ending.signal, ...(signal === undefined ? [] : [signal])];
    const stopped = AbortSignal.any(reasons);
    stopped.throwIfAborted();
    if (!this.isBusy) this.#making = making;
    const leave = await this.#takePlace(stopped, { ...options, place });
    let free = leave;
    let turn: AgentTurn | undefined;
    const onAbort = () => void turn?.abort(signal?.reason);
    try {
      this.#making = making;
      stopped.throwIfAborted();
      const creating = task.create();
      const onOverdue = (): void => {
        free = () => void creating.then(leave, leave);
        overdue.resolve();
      };
      turn = await untilOverdue(creating, { signal: stopped, graceMs: this.#createGraceMs, onOverdue });
      this.#making = undefined;
      stopped.throwIfAborted();
      this.#turn = turn;
      signal?.addEventListener("abort", onAbort, { once: true });
      const begun = turn;
      // Not only below, which a slow reader reaches late: a caller that awaited an abort may send at once.
      void turn.settled.then(() => {
        if (this.#turn === begun) this.#turn = undefined;
        leave();
      });
      turn.start(() => task.begin(begun));
      yield* turn.events;
    } finally {
      signal?.removeEventListener("abort", onAbort);
      // Has no effect on a turn that has ended; the reader may have left early.
      if (turn !== undefined && this.#turn === turn) {
        await turn.abort(new DOMException("The turn's events are no longer read.", "AbortError"));
      }
      if (this.#making === making) this.#making = undefined;
      free();
    }
  }

  /**
   * Stops the running turn, if any, and resolves when the session is free for the next one; a turn that is being created
   * ends before it starts.
   */
  async abort(reason: unknown = new DOMException("The turn was aborted.", "AbortError")): Promise<void> {
    const making = this.#making;
    making?.controller.abort(reason);
    await Promise.all([this.#turn?.abort(reason), making?.over]);
  }

  /** Stops the running turn and all waiting ones with this reason, and rejects later ones. Idempotent. */
  async end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    // Not for a turn that is being created: what it waits for may end only after the session.
    await this.#turn?.abort(reason);
  }

  /** Invariant 1. Resolves with a function that releases the place; calling it again has no effect. */
  async #takePlace(
    signal: AbortSignal,
    { whenBusy = "throw", place }: TurnOptions & { readonly place: PromiseWithResolvers<void> },
  ): Promise<() => void> {
    if (this.isBusy && whenBusy === "throw") throw new SessionBusyError(this.#sessionId);
    this.#placeCount += 1;
    const before = this.#lastPlace;
    // A caller that gives up waiting must not let the next turn start before those ahead have ended.
    this.#lastPlace = Promise.all([before, place.promise]).then(() => {});
    let hasLeft = false;
    const leave = () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#placeCount -= 1;
      place.resolve();
    };
    try {
      await raceAbort(before, signal);
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** What the work settles with. Rejects with the signal's reason when the work is pending `graceMs` after the abort. */
function untilOverdue<T>(
  work: Promise<T>,
  options: { readonly signal: AbortSignal; readonly graceMs: number; readonly onOverdue: () => void },
): Promise<T> {
  const { signal, graceMs, onOverdue } = options;
  const { promise, resolve, reject } = withResolvers<T>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => {
      onOverdue();
      reject(signal.reason);
    }, graceMs);
  };
  const stopWaiting = (): void => {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  work.then(
    (value) => {
      stopWaiting();
      resolve(value);
    },
    (error: unknown) => {
      stopWaiting();
      reject(error);
    },
  );
  return promise;
}
