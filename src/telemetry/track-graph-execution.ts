import type { TelemetryCollector } from "./telemetry-collector.ts";
import { describeError } from "./with-telemetry.ts";

/** Reports the life of an execution that Atomic's engine does not run. */
export interface GraphExecutionTracker {
  started(): void;
  /** @param state its `iteration` and the length of its `featureList` are tracked, nothing else */
  completed(state: Readonly<Record<string, unknown>>): void;
  /** @param nodeId the node that failed; of the error, the name and the code are tracked */
  failed(error: unknown, nodeId: string): void;
  /** @param label a name; a text with spaces or slashes is left out */
  checkpointSaved(label: string): void;
}

/**
 * Tracks an execution by calls of its owner. Runs of Atomic's own engine need none of it: see `withGraphTelemetry`.
 *
 * ```ts
 * const execution = trackGraphExecution(collector, "nightly-42");
 * execution.started();
 * ```
 */
export function trackGraphExecution(collector: TelemetryCollector, executionId: string): GraphExecutionTracker {
  return {
    started: () => collector.track({ eventType: "graph.execution.started", executionId, properties: {} }),
    completed({ iteration, featureList }) {
      const totalIterations = typeof iteration === "number" ? iteration : 0;
      const featureCount = Array.isArray(featureList) ? featureList.length : 0;
      const properties = { status: "completed", totalIterations, featureCount };
      collector.track({ eventType: "graph.execution.completed", executionId, properties });
    },
    failed(error, nodeId) {
      const properties = { status: "failed", nodeId, ...describeError(error) };
      collector.track({ eventType: "graph.execution.failed", executionId, properties });
    },
    checkpointSaved: (label) =>
      collector.track({ eventType: "graph.checkpoint.saved", executionId, properties: { label } }),
  };
}
