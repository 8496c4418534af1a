import type { Counter, Gauge, Histogram, Meter } from "@opentelemetry/api";
import type { RunEvent } from "../../contracts/index.ts";

/** Runs take seconds to hours. */
const DURATION_BOUNDARIES = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200];

/** Measures runs: their duration, nodes, checkpoints, and how full the context windows of their agents are. */
export class RunMetrics {
  readonly #duration: Histogram;
  readonly #nodes: Counter;
  readonly #checkpoints: Counter;
  readonly #contextWindow: Gauge;
  readonly #redact: (text: string) => string;
  readonly #runs = new Map<string, { readonly workflow: string; readonly startedAt: number }>();

  constructor(meter: Meter, redact: (text: string) => string) {
    this.#redact = redact;
    this.#duration = meter.createHistogram("graph_execution_duration", {
      description: "How long a process worked on a run",
      unit: "s",
      advice: { explicitBucketBoundaries: DURATION_BOUNDARIES },
    });
    this.#nodes = meter.createCounter("node_execution_count", {
      description: "Attempts of nodes, by the type of the node",
      unit: "{execution}",
    });
    this.#checkpoints = meter.createCounter("checkpoint_save_count", {
      description: "Checkpoints written to the journal",
      unit: "{checkpoint}",
    });
    this.#contextWindow = meter.createGauge("context_window_usage", {
      description: "The used part of an agent's context window, 0 to 1",
      unit: "1",
    });
  }

  /** Takes the next event of any run. */
  observe(event: RunEvent): void {
    if (event.type === "run-start") {
      const { runId, at, workflow } = event;
      this.#runs.set(runId, { workflow: this.#redact(workflow), startedAt: at });
      return;
    }
    const run = this.#runs.get(event.runId);
    if (run === undefined) return;
    const attributes = { "gen_ai.workflow.name": run.workflow };
    switch (event.type) {
      case "run-end":
        this.#runs.delete(event.runId);
        this.#duration.record(Math.max(0, event.at - run.startedAt) / 1_000, {
          ...attributes,
          "atomic.run.status": event.status,
        });
        return;
      case "node-start":
        this.#nodes.add(1, { ...attributes, "atomic.node.type": this.#redact(event.nodeType) });
        return;
      case "checkpoint":
        this.#checkpoints.add(1, attributes);
        return;
      case "context-window":
        if (event.fraction === undefined) return;
        this.#contextWindow.record(event.fraction, { ...attributes, "atomic.node.id": this.#redact(event.nodeId) });
        return;
      default:
        return;
    }
  }
}
