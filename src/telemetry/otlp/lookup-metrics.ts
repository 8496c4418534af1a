import type { Histogram, Meter } from "@opentelemetry/api";

/** A step of a run looked up an agent, a skill or a command by its name. */
export interface NameLookup {
  readonly type: "agent" | "skill" | "command" | "instructions";
  /** In milliseconds; of the first look-up of a call, with reading all definitions. */
  readonly durationMs: number;
  /** Whether a definition has the name. */
  readonly isFound: boolean;
  /** Whether the definitions had been read before. */
  readonly isCached: boolean;
}

/** From memory to a slow disk, in seconds. */
const DURATION_BOUNDARIES = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Measures look-ups: how long they take, and how many are answered from memory. */
export class LookupMetrics {
  readonly #duration: Histogram;

  constructor(meter: Meter) {
    this.#duration = meter.createHistogram("entity_lookup_duration", {
      description: "How long it took to find an agent, a skill or a command by its name",
      unit: "s",
      advice: { explicitBucketBoundaries: DURATION_BOUNDARIES },
    });
  }

  observe({ type, durationMs, isFound, isCached }: NameLookup): void {
    this.#duration.record(Math.max(0, durationMs) / 1_000, {
      "atomic.entity.type": type,
      "atomic.lookup.is_found": isFound,
      "atomic.lookup.is_cached": isCached,
    });
  }
}
