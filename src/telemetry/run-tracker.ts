import type { RunEvent, TaskProgress, Usage } from "../contracts/index.ts";
import type { TelemetryCollector } from "./telemetry-collector.ts";
import type { TelemetryEvent } from "./telemetry-event.ts";

type EventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>;
type Properties = TelemetryEvent["properties"];

/** The built-in workflow with events of its own, and the node that starts each of its rounds. */
const RALPH = { workflow: "ralph", roundNode: "tasks" };

/** What is known of a run in progress. */
interface TrackedRun {
  readonly workflow: string;
  readonly startedAt: number;
  readonly nodeTypes: Map<string, string>;
  readonly attempts: Map<string, number>;
  nodeCount: number;
  iterations: number;
  featureCount: number;
  statuses: ReadonlyMap<string, TaskProgress["status"]>;
}

/** Turns the events of runs into events of telemetry: names, numbers and codes only. */
export class RunTracker {
  readonly #collector: TelemetryCollector;
  readonly #runs = new Map<string, TrackedRun>();

  constructor(collector: TelemetryCollector) {
    this.#collector = collector;
  }

  /** Takes the next event of any run. */
  observe(event: RunEvent): void {
    if (event.type === "run-start") return this.#start(event);
    const run = this.#runs.get(event.runId);
    if (run === undefined) return;
    switch (event.type) {
      case "run-end":
        return this.#end(event, run);
      case "checkpoint":
        return this.#track(event, "graph.checkpoint.saved", { sequence: event.sequence });
      case "node-start":
        return this.#startNode(event, run);
      case "node-end": {
        const { durationMs, isSkipped = false, usage } = event;
        return this.#track(event, "graph.node.completed", {
          ...nodeProperties(event, run),
          durationMs,
          isSkipped,
          ...spentProperties(usage),
        });
      }
      case "node-error": {
        const { error, retryAt, attempt } = event;
        const properties = { ...nodeProperties(event, run), attempt, errorCode: error.code };
        return this.#track(event, "graph.node.failed", { ...properties, isRetried: retryAt !== undefined });
      }
      case "tasks":
        return this.#noteTasks(event, run);
      default:
        return;
    }
  }

  #start(event: EventOf<"run-start">): void {
    const { runId, workflow, isResume, at } = event;
    this.#runs.set(runId, {
      workflow,
      startedAt: at,
      nodeTypes: new Map(),
      attempts: new Map(),
      nodeCount: 0,
      iterations: 0,
      featureCount: 0,
      statuses: new Map(),
    });
    if (isResume) this.#track(event, "graph.checkpoint.loaded", { workflow });
    this.#track(event, "graph.execution.started", { workflow, isResume });
    if (workflow === RALPH.workflow) this.#track(event, "workflow.ralph.started", { isResume });
  }

  #startNode(event: EventOf<"node-start">, run: TrackedRun): void {
    const { taskId, nodeId, nodeType, attempt } = event;
    run.nodeTypes.set(taskId, nodeType);
    run.attempts.set(taskId, attempt);
    run.nodeCount++;
    this.#track(event, "graph.node.started", { ...nodeProperties(event, run) });
    if (run.workflow !== RALPH.workflow || nodeId !== RALPH.roundNode || attempt > 1) return;
    this.#track(event, "workflow.ralph.iteration", { iteration: ++run.iterations });
  }

  #noteTasks(event: EventOf<"tasks">, run: TrackedRun): void {
    for (const { id, status } of event.tasks) {
      const before = run.statuses.get(id);
      if (before === status) continue;
      if (status === "in_progress") this.#track(event, "workflow.feature.started", {});
      // A list that a resumed run shows first has tasks that ended before.
      const wasOpen = before === "in_progress" || before === "pending";
      if (wasOpen && (status === "passing" || status === "failing" || status === "skipped")) {
        this.#track(event, "workflow.feature.completed", { status });
      }
    }
    run.statuses = new Map(event.tasks.map(({ id, status }) => [id, status]));
    run.featureCount = event.tasks.length;
  }

  #end(event: EventOf<"run-end">, run: TrackedRun): void {
    const { runId, at, status, usage, error } = event;
    this.#runs.delete(runId);
    const { workflow, nodeCount, iterations: totalIterations, featureCount } = run;
    const properties: Properties = {
      workflow,
      status,
      durationMs: at - run.startedAt,
      nodeCount,
      ...(featureCount === 0 ? {} : { featureCount }),
      ...(totalIterations === 0 ? {} : { totalIterations }),
      ...spentProperties(usage),
      ...(error === undefined ? {} : { errorCode: error.code }),
      ...(error?.nodeId === undefined ? {} : { nodeId: error.nodeId }),
    };
    this.#track(event, status === "failed" ? "graph.execution.failed" : "graph.execution.completed", properties);
    if (workflow === RALPH.workflow) this.#track(event, "workflow.ralph.completed", { status, featureCount });
  }

  #track({ runId }: RunEvent, eventType: TelemetryEvent["eventType"], properties: Properties): void {
    this.#collector.track({ eventType, executionId: runId, properties });
  }
}

function nodeProperties(
  { taskId, nodeId }: { readonly taskId: string; readonly nodeId: string },
  { nodeTypes, attempts }: TrackedRun,
): Properties {
  const nodeType = nodeTypes.get(taskId);
  const attempt = attempts.get(taskId);
  return {
    nodeId,
    ...(nodeType === undefined ? {} : { nodeType }),
    ...(attempt === undefined ? {} : { attempt }),
  };
}

function spentProperties(usage: Usage): Properties {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  const isNothing = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens === 0;
  if (isNothing && costUsd === undefined) return {};
  return { ...usage };
}
