import { describe, expect, test } from "bun:test";
import { NO_USAGE, type RunEvent } from "../contracts/index.ts";
import { FaultySaver } from "../graph/fixtures/faulty-saver.ts";
import { SpanRecorder } from "../graph/fixtures/span-recorder.ts";
import { failing, node, rejectionOf, TestState } from "../graph/fixtures/test-nodes.ts";
import { graph, MemorySaver, SessionAgentMismatchError } from "../graph/index.ts";
import { MemoryCollector } from "./fixtures/memory-collector.ts";
import { RunTracker } from "./run-tracker.ts";
import { trackGraphExecution } from "./track-graph-execution.ts";
import { withGraphTelemetry } from "./with-graph-telemetry.ts";

const SECRET = "/home/me/secret.txt";

describe("the runs of a graph", () => {
  test("are tracked: executions, nodes, checkpoints; a port of the settings receives the spans as before", async () => {
    const collector = new MemoryCollector();
    const spans = new SpanRecorder();
    const config = withGraphTelemetry({ name: "research", telemetry: spans }, collector);
    const compiled = graph(TestState).start(node("plan")).then(node("report")).end().compile(config);
    await compiled.run({}, { runId: "r1", checkpointer: new MemorySaver(), now: () => 5 });
    const plan = { nodeId: "plan", nodeType: "tool", attempt: 1 };
    const report = { nodeId: "report", nodeType: "tool", attempt: 1 };
    const ended = { durationMs: 0, isSkipped: false };
    expect(collector.events.map(({ eventType, properties }) => [eventType, properties])).toEqual([
      ["graph.execution.started", { workflow: "research", isResume: false }],
      ["graph.checkpoint.saved", { sequence: 1 }],
      ["graph.node.started", plan],
      ["graph.checkpoint.saved", { sequence: 2 }],
      ["graph.node.completed", { ...plan, ...ended }],
      ["graph.node.started", report],
      ["graph.checkpoint.saved", { sequence: 3 }],
      ["graph.node.completed", { ...report, ...ended }],
      ["graph.checkpoint.saved", { sequence: 4 }],
      ["graph.execution.completed", { workflow: "research", status: "completed", durationMs: 0, nodeCount: 2 }],
    ]);
    expect(new Set(collector.events.map(({ executionId }) => executionId))).toEqual(new Set(["r1"]));
    expect(spans.outline()).toEqual([
      "invoke_workflow research | completed",
      "  tool plan | completed",
      "  tool report | completed",
    ]);
  });

  test("are tracked when they fail, by codes", async () => {
    const collector = new MemoryCollector();
    const config = withGraphTelemetry({ name: "research" }, collector);
    const compiled = graph(TestState).start(failing("broken", SECRET)).end().compile(config);
    await compiled.run({}, { now: () => 5 });
    expect(collector.events.slice(-2).map(({ eventType, properties }) => [eventType, properties])).toEqual([
      [
        "graph.node.failed",
        { nodeId: "broken", nodeType: "tool", attempt: 1, errorCode: "NODE_FAILED", isRetried: false },
      ],
      [
        "graph.execution.failed",
        {
          workflow: "research",
          status: "failed",
          durationMs: 0,
          nodeCount: 1,
          errorCode: "NODE_FAILED",
          nodeId: "broken",
        },
      ],
    ]);
    expect(JSON.stringify(collector.events)).not.toContain(SECRET);
  });

  test("are tracked when they break off, and when they are resumed", async () => {
    const collector = new MemoryCollector();
    const config = withGraphTelemetry({ name: "research" }, collector);
    const saver = new MemorySaver();
    const compiled = graph(TestState).start(node("plan")).then(node("report")).end().compile(config);
    const checkpointer = new FaultySaver(saver, { failAfter: 2 });
    await rejectionOf(compiled.run({}, { runId: "r1", checkpointer }));
    const { eventType, properties } = collector.events.at(-1) ?? {};
    expect([eventType, properties]).toEqual([
      "graph.execution.failed",
      expect.objectContaining({ status: "failed", errorCode: "JOURNAL_WRITE" }),
    ]);
    const count = collector.events.length;
    await compiled.resume("r1", {}, { checkpointer: saver });
    expect(collector.events.slice(count, count + 2).map(({ eventType: type }) => type)).toEqual([
      "graph.checkpoint.loaded",
      "graph.execution.started",
    ]);
  });
});

test("Ralph's rounds and tasks have events of their own", () => {
  const collector = new MemoryCollector();
  const tracker = new RunTracker(collector);
  const about = { runId: "r1", at: 5 };
  const round = { ...about, nodeId: "tasks", taskId: "tasks", nodeType: "loop", name: "", attempt: 1 };
  const tasks = (...statuses: readonly ("pending" | "in_progress" | "passing" | "failing")[]): RunEvent => ({
    ...about,
    type: "tasks",
    nodeId: "tasks",
    taskId: "tasks",
    tasks: statuses.map((status, index) => ({ id: String(index), name: SECRET, status })),
  });
  const events: readonly RunEvent[] = [
    { ...about, type: "run-start", workflow: "ralph", isResume: false },
    { ...round, type: "node-start" },
    tasks("passing", "pending", "pending"),
    tasks("passing", "in_progress", "in_progress"),
    tasks("passing", "passing", "failing"),
    { ...about, at: 9, type: "run-end", status: "completed", usage: NO_USAGE },
  ];
  for (const event of events) tracker.observe(event);
  expect(
    collector.events
      .filter(({ eventType }) => eventType.startsWith("workflow."))
      .map(({ eventType, properties }) => [eventType, properties]),
  ).toEqual([
    ["workflow.ralph.started", { isResume: false }],
    ["workflow.ralph.iteration", { iteration: 1 }],
    ["workflow.feature.started", {}],
    ["workflow.feature.started", {}],
    ["workflow.feature.completed", { status: "passing" }],
    ["workflow.feature.completed", { status: "failing" }],
    ["workflow.ralph.completed", { status: "completed", featureCount: 3 }],
  ]);
});

test("an execution of another engine is tracked by calls", () => {
  const collector = new MemoryCollector();
  const execution = trackGraphExecution(collector, "nightly-42");
  execution.started();
  execution.checkpointSaved("after-plan");
  execution.completed({ iteration: 3, featureList: [SECRET], prompt: SECRET });
  execution.failed(new SessionAgentMismatchError("ask", "main", ["a", "b"]), "ask");
  const executionId = "nightly-42";
  expect(collector.events).toEqual([
    { eventType: "graph.execution.started", executionId, properties: {} },
    { eventType: "graph.checkpoint.saved", executionId, properties: { label: "after-plan" } },
    {
      eventType: "graph.execution.completed",
      executionId,
      properties: { status: "completed", totalIterations: 3, featureCount: 1 },
    },
    {
      eventType: "graph.execution.failed",
      executionId,
      properties: {
        status: "failed",
        nodeId: "ask",
        errorName: "SessionAgentMismatchError",
        errorCode: "SESSION_AGENT_MISMATCH",
      },
    },
  ]);
});
