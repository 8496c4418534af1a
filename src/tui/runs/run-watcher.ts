import { messageOf, type RunEvent } from "../../contracts/index.ts";
import type { RunDetails, RunState, RunsPort } from "../host/runs-port.ts";
import { EMPTY_RUN, leaveRun, type RunModel, reduceRun } from "./run-model.ts";

/** What is known about a run that is on the screen. A new value for each change. */
export interface WatchedRun {
  readonly runId: string;
  readonly details: RunDetails | undefined;
  readonly model: RunModel;
  /** Why it could not be read. Cleared by the next success. */
  readonly problem: string | undefined;
  /** Whether its record has ended, and the details could not be read since. @default false */
  readonly isOver?: boolean;
}

/** Settings of {@link RunWatcher}. */
export interface RunWatcherOptions {
  /** How often the details are read, in milliseconds. @default 2000 */
  readonly pollMs?: number;
  /** How long events are collected before they are shown, in milliseconds. @default 50 */
  readonly collectMs?: number;
}

/** Follows the events of a run, and reads its details from time to time, from {@link start} to {@link stop}. */
export class RunWatcher {
  readonly #port: RunsPort;
  readonly #runId: string;
  readonly #pollMs: number;
  readonly #collectMs: number;
  readonly #listeners = new Set<() => void>();
  #watched: WatchedRun;
  #stopped = new AbortController();
  /** Until the details after the record's end are read. */
  #isFollowing = false;
  /** Which end of the run the model has. Undefined until its record was read. */
  #shownEnd: string | undefined;
  /** What was known of the run when it was seen without its process. */
  #seenDead: RunModel | undefined;
  /** Events that are not shown yet, of the record that is being followed. */
  #collected: RunEvent[] = [];
  /** The record is followed from its start: the next events replace the model. */
  #isNewRecord = false;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #pollTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(port: RunsPort, runId: string, { pollMs = 2_000, collectMs = 50 }: RunWatcherOptions = {}) {
    this.#port = port;
    this.#runId = runId;
    this.#watched = { runId, details: undefined, model: EMPTY_RUN, problem: undefined };
    this.#pollMs = pollMs;
    this.#collectMs = collectMs;
  }

  readonly snapshot = (): WatchedRun => this.#watched;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    this.#stopped = new AbortController();
    void this.#poll(this.#stopped.signal);
    void this.#follow(this.#stopped.signal);
  }

  /** The run continues. */
  stop(): void {
    this.#stopped.abort();
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#pollTimer);
    this.#flushTimer = undefined;
    this.#collected = [];
  }

  /** Reads the details now, after the person has changed something. */
  refresh(): void {
    if (!this.#stopped.signal.aborted) void this.#poll(this.#stopped.signal);
  }

  /** @param isEnd whether the record has just ended */
  async #poll(signal: AbortSignal, isEnd = false): Promise<void> {
    clearTimeout(this.#pollTimer);
    try {
      const details = await this.#port.load(this.#runId);
      if (signal.aborted) return;
      if (details.state === "interrupted") this.#leave();
      if (isEnd) this.#isFollowing = false;
      const { details: known, problem } = this.#watched;
      if (details !== known || problem !== undefined) this.#change({ details, problem: undefined });
      if (!this.#isFollowing && this.#isNew(details, isEnd ? (known ?? details) : undefined)) void this.#follow(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isEnd) this.#isFollowing = false;
      this.#change({ problem: messageOf(error), ...(isEnd ? { isOver: true } : {}) });
    }
    clearTimeout(this.#pollTimer);
    this.#pollTimer = setTimeout(() => void this.#poll(signal), this.#pollMs);
  }

  /**
   * Whether another process has resumed the run. Its end may have come before this look, too.
   *
   * @param before what was known when the record ended. Then a run that ends at once must not be followed in a loop
   */
  #isNew(details: RunDetails, before: RunDetails | undefined): boolean {
    const isLive = details.state === "running" || details.state === "pausing";
    if (before === undefined) return isLive || endOf(details) !== this.#shownEnd;
    this.#shownEnd = endOf(details);
    return !isLive && details.execution !== before.execution;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    this.#isFollowing = true;
    this.#isNewRecord = true;
    this.#collected = [];
    try {
      for await (const event of this.#port.follow(this.#runId, signal)) {
        if (signal.aborted) return;
        this.#collected.push(event);
        this.#flushTimer ??= setTimeout(() => this.#flush(), this.#collectMs);
      }
      this.#flush();
      if (!signal.aborted) void this.#poll(signal, true);
    } catch (error) {
      if (signal.aborted) return;
      this.#isFollowing = false;
      const { details } = this.#watched;
      // Not read again and again.
      this.#shownEnd = details && endOf(details);
      this.#change({ problem: messageOf(error) });
    }
  }

  /** The process of the run died. Its record may be a long one that is still being read: the next look waits for that. */
  #leave(): void {
    this.#flush();
    const { model } = this.#watched;
    if (model.isLive && model === this.#seenDead) this.#change({ model: leaveRun(model) });
    this.#seenDead = model;
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#stopped.signal.aborted || this.#collected.length === 0) return;
    const before = this.#isNewRecord ? EMPTY_RUN : this.#watched.model;
    this.#isNewRecord = false;
    const model = reduceRun(before, this.#collected);
    this.#collected = [];
    this.#change({ model });
  }

  #change(change: Partial<WatchedRun>): void {
    this.#watched = { ...this.#watched, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Which end of a run it is: the next process leaves another one, also of the same kind. */
function endOf({ state, execution = "" }: RunDetails): string {
  return `${state} ${execution}`;
}

/** The state of a run: from its events until its details are read. */
export function stateOfWatched({ details, model }: Pick<WatchedRun, "details" | "model">): RunState {
  return details?.state ?? (model.isLive ? "running" : model.status);
}

/** Whether nothing but a person's answers can continue a run: resuming it would only ask again. */
export function waitsForAnswers(watched: Pick<WatchedRun, "details" | "model">): boolean {
  const { details, model } = watched;
  const requests = details?.requests ?? [...model.questions.values()].map(({ request }) => request);
  const areOpen = requests.length > 0 && requests.every(({ autoApproveAt }) => autoApproveAt === undefined);
  return areOpen && stateOfWatched(watched) === "suspended";
}
