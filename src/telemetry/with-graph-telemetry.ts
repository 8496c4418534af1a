import type { TelemetryPort } from "../contracts/index.ts";
import { combineTelemetry, NO_SPAN } from "./combine-telemetry.ts";
import { RunTracker } from "./run-tracker.ts";
import type { TelemetryCollector } from "./telemetry-collector.ts";

/** The part of a graph's settings that telemetry is about. A `GraphConfig` fits. */
export interface GraphTelemetryConfig {
  readonly telemetry?: TelemetryPort;
}

/**
 * The same settings of a graph, whose runs are tracked: executions, nodes, checkpoints, and the tasks of built-in
 * workflows. A port that the settings already have stays.
 *
 * ```ts
 * const workflow = graph(State).start(plan).end().compile(withGraphTelemetry({ name: "research" }, collector));
 * ```
 */
export function withGraphTelemetry<Config extends object>(
  config: Config & GraphTelemetryConfig,
  collector: TelemetryCollector,
): Config & Required<GraphTelemetryConfig> {
  const port = graphTelemetry(collector);
  return { ...config, telemetry: config.telemetry === undefined ? port : combineTelemetry([config.telemetry, port]) };
}

/** A port that tracks the events of runs, and no spans. */
function graphTelemetry(collector: TelemetryCollector): TelemetryPort {
  const tracker = new RunTracker(collector);
  return { startSpan: () => NO_SPAN, onRunEvent: (event) => tracker.observe(event) };
}
