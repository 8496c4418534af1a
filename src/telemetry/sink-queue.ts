import type { TelemetryEvent } from "./telemetry-event.ts";
import type { TelemetrySink } from "./telemetry-sink.ts";

/** So many events wait for a slow sink; the oldest are dropped then. */
const MAX_WAITING = 2_000;

/** Settings of {@link SinkQueue}. */
export interface SinkQueueOptions {
  readonly sink: TelemetrySink;
  /** Aborts the batch in progress, and all that would follow. */
  readonly signal: AbortSignal;
  /** How long a batch may take, in milliseconds. */
  readonly writeTimeoutMs: number;
  readonly onFailure: (sink: TelemetrySink, error: unknown) => void;
}

/** Passes events on to a sink, a batch at a time. A slow sink delays nothing but itself. */
export class SinkQueue {
  readonly #options: SinkQueueOptions;
  #waiting: TelemetryEvent[] = [];
  #isWriting = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: SinkQueueOptions) {
    this.#options = options;
  }

  /** Takes events. */
  add(events: readonly TelemetryEvent[]): void {
    this.#waiting.push(...events);
    if (this.#waiting.length > MAX_WAITING) this.#waiting = this.#waiting.slice(-MAX_WAITING);
    if (!this.#isWriting && !this.#options.signal.aborted) this.#work = this.#drain();
  }

  /** Resolves when no event waits. Never rejects. */
  async drained(): Promise<void> {
    while (this.#isWriting) await this.#work;
  }

  async #drain(): Promise<void> {
    const { sink, signal, writeTimeoutMs, onFailure } = this.#options;
    this.#isWriting = true;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const batch = this.#waiting;
      this.#waiting = [];
      const limit = AbortSignal.any([signal, AbortSignal.timeout(writeTimeoutMs)]);
      try {
        await sink.write(batch, { signal: limit });
      } catch (error) {
        onFailure(sink, error);
      }
    }
    // Before the promise settles, so that an event that comes then is not left waiting.
    this.#isWriting = false;
  }
}
