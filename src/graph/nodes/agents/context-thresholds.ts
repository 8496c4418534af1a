/** From this part of the context window on, 0 to 1, a session should be made shorter. */
export const BACKGROUND_COMPACTION_THRESHOLD = 0.45;

/** From this part of the context window on, 0 to 1, a session should not go on. */
export const BUFFER_EXHAUSTION_THRESHOLD = 0.6;

/** Where a context window counts as filling up, and as full: parts of it, 0 to 1. */
export interface ContextThresholds {
  /** @default the graph's `contextWindowThreshold`, else 0.45 */
  readonly compaction?: number;
  /** @default 0.6 */
  readonly exhaustion?: number;
}

/** The thresholds of a node, in a graph that may have a `contextWindowThreshold`. */
export function resolveThresholds(
  thresholds: ContextThresholds = {},
  ofGraph = BACKGROUND_COMPACTION_THRESHOLD,
): Required<ContextThresholds> {
  const { exhaustion = BUFFER_EXHAUSTION_THRESHOLD, compaction = Math.min(ofGraph, exhaustion) } = thresholds;
  return { compaction, exhaustion };
}
