import type { TelemetryEvent } from "./telemetry-event.ts";

/** A place for events. */
export interface TelemetrySink {
  /** Of what it is, for messages about its failures, for example `Application Insights`. */
  readonly name: string;
  /**
   * Takes a batch, oldest event first. One batch at a time.
   *
   * @param signal aborts what takes too long
   * @throws if the batch is lost
   */
  write(events: readonly TelemetryEvent[], options: { readonly signal: AbortSignal }): Promise<void>;
}
