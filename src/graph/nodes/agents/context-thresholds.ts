/** The usage of the context window, 0 to 1, from which a session should be shortened. */
export const BACKGROUND_COMPACTION_THRESHOLD = 0.45;

/** The usage of the context window, 0 to 1, from which a session should not continue. */
export const BUFFER_EXHAUSTION_THRESHOLD = 0.6;

/** The usage, 0 to 1, at which a context window counts as filling up, and as full. */
export interface ContextThresholds {
  /** @default the graph's `contextWindowThreshold`, else 0.45 */
  readonly compaction?: number;
  /** @default 0.6 */
  readonly exhaustion?: number;
}

/** Resolves the thresholds of a node; the graph's `contextWindowThreshold` is a default. */
export function resolveThresholds(
  thresholds: ContextThresholds = {},
  ofGraph = BACKGROUND_COMPACTION_THRESHOLD,
): Required<ContextThresholds> {
  const { exhaustion = BUFFER_EXHAUSTION_THRESHOLD, compaction = Math.min(ofGraph, exhaustion) } = thresholds;
  return { compaction, exhaustion };
}
