import type { TelemetryEvent } from "./telemetry-event.ts";

/** An event before the collector has given it an id and a time. */
export type TrackedEvent = Omit<TelemetryEvent, "eventId" | "timestamp">;

/** Takes events, and passes them on to where they are kept. No method throws or rejects: telemetry never breaks a program. */
export interface TelemetryCollector {
  /** Takes an event. Does nothing when telemetry is off. */
  track(event: TrackedEvent): void;
  /** Resolves when every sink has taken the events so far, or failed to. */
  flush(): Promise<void>;
  isEnabled(): boolean;
  /** Flushes for a limited time and releases everything. Later events are dropped. */
  shutdown(): Promise<void>;
}
