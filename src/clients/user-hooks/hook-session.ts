import type { HookedPlace } from "../hooks/hooked-client.ts";

/** Texts of hooks for the agent, which has not read them yet. */
export type PendingText = { readonly type: "context" | "feedback"; readonly text: string };

/** How long hooks may run that nobody waits for when a session ends, in milliseconds. */
const GRACE_MS = 5_000;

/** What hooks remember of a session between its events. */
export class HookSession {
  readonly sessionId: string;
  /** As it was opened last; absent while it is being opened. */
  place: HookedPlace | undefined;
  /** Hooks for events that have happened, which nobody waits for. */
  readonly #running = new Set<Promise<void>>();
  /** Calls that hooks have blocked: they fail without having run. */
  readonly blockedCalls = new Set<string>();
  #pending: PendingText[] = [];
  readonly #ending = new AbortController();

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /** Counts work until it has settled. It must not reject. */
  track(work: Promise<void>): void {
    const counted = work.finally(() => this.#running.delete(counted));
    this.#running.add(counted);
  }

  /** Resolves when nothing is running. */
  async whenIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Aborted when hooks about what has happened must end. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Resolves when nothing is running; ends what takes too long. */
  async end(): Promise<void> {
    const timer = setTimeout(
      () => this.#ending.abort(new DOMException("The session has ended.", "AbortError")),
      GRACE_MS,
    );
    await this.whenIdle();
    clearTimeout(timer);
  }

  /** Keeps texts for the next message. */
  keep(texts: readonly PendingText[]): void {
    this.#pending.push(...texts);
  }

  /** Whether something has happened that the agent must react to. */
  get hasFeedback(): boolean {
    return this.#pending.some(({ type }) => type === "feedback");
  }

  /** All kept texts, which are no longer kept. */
  takeTexts(): readonly string[] {
    const texts = this.#pending.map(({ text }) => text);
    this.#pending = [];
    return texts;
  }
}
