import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NO_USAGE, type RunEvent, type TelemetryPort, type TelemetrySpan } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { SchemaValidationError } from "../errors/errors.ts";
import { survive, World } from "../fixtures/crash-harness.ts";
import { FakeCodingAgent } from "../fixtures/fake-coding-agent.ts";
import { FaultySaver } from "../fixtures/faulty-saver.ts";
import { buildPlan, plans } from "../fixtures/random-graph.ts";
import { findSpanFaults, SpanRecorder } from "../fixtures/span-recorder.ts";
import { controlled, failing, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const SECRET = "/home/me/secret.txt";

describe("the spans of a run", () => {
  test("follow its nodes through branches and graphs within it", async () => {
    const inner = graph(TestState)
      .start(node("find"))
      .parallel([node("x"), node("y")])
      .end()
      .compile();
    const compiled = graph(TestState)
      .start(node("plan"))
      .parallel([[node("a"), subgraphNode<TestState, TestState>({ id: "deep", subgraph: inner })], node("b")])
      .map(() => [1, 2], node("each"), { id: "items" })
      .then(node("report"))
      .end()
      .compile({ name: "research" });
    const telemetry = new SpanRecorder();
    await compiled.run({}, { telemetry });
    expect(telemetry.outline()).toEqual([
      "invoke_workflow research | completed",
      "  tool plan | completed",
      "  fork parallel_1",
      "    branch a",
      "      tool a | completed",
      "    branch b",
      "      tool b | completed",
      "      subgraph deep | completed",
      "        tool find | completed",
      "        fork parallel_1",
      "          branch x",
      "            tool x | completed",
      "          branch y",
      "            tool y | completed",
      "  fork items",
      "    branch 0",
      "      tool each | completed",
      "    branch 1",
      "      tool each | completed",
      "  tool report | completed",
    ]);
    expect(findSpanFaults(telemetry.spans)).toEqual([]);
  });

  test("of a fork end when the next step starts, even if that is a fork", async () => {
    const telemetry = new SpanRecorder();
    const seen: unknown[] = [];
    const look = node("look", () => {
      seen.push(telemetry.spans.map(({ name, ends }) => `${name} ${ends.length}`));
      return;
    });
    const compiled = graph(TestState)
      .start(node("begin"))
      .parallel([node("a")])
      .parallel([look], { id: "second" })
      .end();
    await compiled.compile().run({}, { telemetry });
    expect(seen).toEqual([
      [
        "invoke_workflow graph 0",
        "tool begin 1",
        "fork parallel_1 1",
        "branch a 1",
        "tool a 1",
        "fork second 0",
        "branch look 0",
        "tool look 0",
      ],
    ]);
  });

  test("report retries, rejections, failures and handlers by codes", async () => {
    let tries = 0;
    const flaky = node(
      "flaky",
      () => {
        if (++tries === 1) throw new Error(SECRET);
        return;
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    let looks = 0;
    const strict = node(
      "strict",
      () => {
        if (++looks === 1) throw new SchemaValidationError(SECRET);
        return;
      },
      { retry: { maxAttempts: 2 } },
    );
    const telemetry = new SpanRecorder();
    const compiled = graph(TestState)
      .start(flaky)
      .then(strict)
      .then(failing("broken", SECRET))
      .catch(node("rescue"))
      .end();
    await compiled.compile().run({}, { telemetry });
    expect(telemetry.outline()).toEqual([
      "invoke_workflow graph | completed",
      "  tool flaky | retrying | NODE_FAILED | atomic.retry",
      "  tool flaky | completed",
      "  tool strict | failed | SCHEMA_VALIDATION | atomic.refused",
      "  tool flaky | completed",
      "  tool strict | completed",
      "  tool broken | failed | NODE_FAILED",
      "  tool rescue | completed",
    ]);
  });

  test("end with a branch that is no longer needed", async () => {
    const slow = controlled("slow");
    const fast = node("fast", async () => {
      await slow.started;
      return;
    });
    const telemetry = new SpanRecorder();
    const compiled = graph(TestState)
      .start(node("begin"))
      .parallel([slow.node, fast], { strategy: "race" })
      .then(node("behind"))
      .end()
      .compile();
    await compiled.run({}, { telemetry });
    expect(telemetry.outline()).toEqual([
      "invoke_workflow graph | completed",
      "  tool begin | completed",
      "  fork parallel_1",
      "    branch slow",
      "      tool slow | dropped",
      "    branch fast",
      "      tool fast | completed",
      "  tool behind | completed",
    ]);
  });

  test("of a resumed run are in the same trace, and link to its first", async () => {
    const compiled = graph(TestState)
      .start(node("plan"))
      .wait({ id: "gate" })
      .then(node("behind"))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const telemetry = new SpanRecorder();
    await compiled.run({}, { runId: "monday", telemetry });
    await compiled.resume("monday", { gate: "yes" }, { telemetry });
    expect(telemetry.outline()).toEqual([
      "invoke_workflow graph | suspended",
      "  tool plan | completed",
      "  wait gate | asking | atomic.request",
      "invoke_workflow graph | completed | atomic.answer",
      "  tool behind | completed",
    ]);
    const [first, second] = telemetry.spans.filter(({ parent }) => parent === undefined);
    const beginning = { traceId: "954ea8b2d78cda2d5309618e594109a8", spanId: "46bcbaf6b2278478", traceFlags: 1 };
    expect(first?.context).toEqual(beginning);
    expect(second?.context.traceId).toBe(beginning.traceId);
    expect([first?.links, second?.links]).toEqual([
      [],
      [{ context: beginning, attributes: { "atomic.link": "run-start" } }],
    ]);
    expect(findSpanFaults(telemetry.spans)).toEqual([]);
  });

  test("contain an agent's turns, its tools, commands and usage, in the terms of the conventions", async () => {
    const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, costUsd: 0.5 };
    const agent = new FakeCodingAgent([
      {
        events: [
          { type: "tool-start", toolId: "t1", toolName: "bash", kind: "shell", input: { command: SECRET } },
          { type: "tool-end", toolId: "t1", toolName: "bash", isError: true, output: SECRET },
          { type: "text-delta", text: SECRET },
          { type: "usage", usage },
          { type: "usage", usage },
        ],
        content: SECRET,
      },
    ]);
    const command = node("test", ({ emit }) => {
      emit({ type: "command-end", command: SECRET, exitCode: 2, durationMs: 1_000_000 });
      return;
    });
    const telemetry = new SpanRecorder();
    const compiled = graph(TestState)
      .start(agentNode<TestState>({ id: "work", name: SECRET, title: () => SECRET, buildMessage: SECRET }))
      .then(command)
      .wait({ id: "gate", prompt: SECRET, autoApprove: { afterMs: 0, value: SECRET }, options: [{ label: SECRET }] })
      .end()
      .compile({ telemetry });
    const { status, runId } = await compiled.run({}, { services: { clients: () => agent }, now: () => 5 });
    expect(status).toBe("completed");
    const told = telemetry.spans.map(({ name, allAttributes }) => [name, allAttributes]);
    expect(told).toEqual([
      [
        "invoke_workflow graph",
        {
          "gen_ai.operation.name": "invoke_workflow",
          "gen_ai.workflow.name": "graph",
          "atomic.run.id": runId,
          "atomic.run.is_resume": false,
          "atomic.run.status": "completed",
          "atomic.usage.total_tokens": 36,
          "atomic.usage.total_cost_usd": 1,
        },
      ],
      [
        "agent work",
        {
          "atomic.node.id": "work",
          "atomic.node.type": "agent",
          "atomic.task.id": "work",
          "atomic.attempt": 1,
          "atomic.node.status": "completed",
          "atomic.usage.total_tokens": 36,
          "atomic.usage.total_cost_usd": 1,
        },
      ],
      [
        "invoke_agent fake",
        {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "fake",
          "gen_ai.conversation.id": "s1",
          "atomic.agent.is_resumed": false,
          "gen_ai.usage.input_tokens": 26,
          "gen_ai.usage.output_tokens": 10,
          "gen_ai.usage.cache_read.input_tokens": 6,
          "gen_ai.usage.cache_creation.input_tokens": 0,
          "atomic.usage.cost_usd": 1,
        },
      ],
      [
        "execute_tool bash",
        { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "gen_ai.tool.call.id": "t1" },
      ],
      ["tool test", expect.objectContaining({ "atomic.node.status": "completed" })],
      ["command", { "process.exit.code": 2 }],
      ["wait gate", expect.objectContaining({ "atomic.node.status": "asking" })],
    ]);
    expect(JSON.stringify(telemetry.spans)).not.toContain(SECRET);
    expect(findSpanFaults(telemetry.spans)).toEqual([]);
  });

  test("end when the journal can no longer be written, and when the run is cancelled", async () => {
    const telemetry = new SpanRecorder();
    const slow = controlled("slow");
    const compiled = graph(TestState)
      .start(node("plan"))
      .parallel([slow.node, node("b")])
      .end()
      .compile();
    const checkpointer = new FaultySaver(new MemorySaver(), { failAfter: 2 });
    await rejectionOf(compiled.run({}, { telemetry, checkpointer }));
    const controller = new AbortController();
    const slower = controlled("slow");
    const simple = graph(TestState).start(node("plan")).then(slower.node).end().compile();
    const cancelled = simple.run({}, { telemetry, signal: controller.signal });
    await slower.started;
    controller.abort(new Error("enough"));
    expect((await cancelled).status).toBe("cancelled");
    expect(telemetry.outline()).toEqual([
      "invoke_workflow graph | failed | JOURNAL_WRITE",
      "  tool plan | completed",
      "  fork parallel_1",
      "    branch slow",
      "      tool slow",
      "    branch b",
      "      tool b",
      "invoke_workflow graph | cancelled",
      "  tool plan | completed",
      "  tool slow",
    ]);
    expect(findSpanFaults(telemetry.spans)).toEqual([]);
  });
});

describe("a port that takes events", () => {
  test("receives those of subscribers, and an end of a run that broke off", async () => {
    const received: RunEvent[] = [];
    const seen: RunEvent[] = [];
    const telemetry: TelemetryPort = {
      startSpan: (start, parent) => new SpanRecorder().startSpan(start, parent),
      onRunEvent: (event) => received.push(event),
    };
    const options = { telemetry, onEvent: (event: RunEvent) => seen.push(event), now: () => 5, runId: "r" };
    const compiled = graph(TestState).start(node("plan")).end().compile();
    await compiled.run({}, options);
    expect(received).toEqual(seen);
    received.length = 0;
    const checkpointer = new FaultySaver(new MemorySaver(), { failAfter: 1 });
    await rejectionOf(compiled.run({}, { ...options, checkpointer }));
    expect(received.at(-1)).toEqual({
      type: "run-end",
      runId: "r",
      at: 5,
      status: "failed",
      usage: NO_USAGE,
      error: { code: "JOURNAL_WRITE", message: expect.any(String) },
    });
  });
});

describe("each span ends once, within its parent,", () => {
  test("in any run, through crashes, questions and failures", async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 4 }),
        fc.boolean(),
        async (plan, lives, isSlow) => {
          const telemetry = new SpanRecorder();
          await survive((world) => buildPlan(plan, world), { lives, isSlow, options: { telemetry } });
          expect(findSpanFaults(telemetry.spans)).toEqual([]);
        },
      ),
    );
  });

  test("in any run that is cancelled, with a clock that sometimes runs backwards", async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.nat(9), { minLength: 1 }),
        async (plan, after, clock) => {
          const telemetry = new SpanRecorder();
          const controller = new AbortController();
          let eventCount = 0;
          let ticks = 0;
          const onEvent = (): void => {
            if (eventCount++ === after) controller.abort(new Error("enough"));
          };
          const now = (): number => 100 + ticks + (clock[ticks++ % clock.length] ?? 0);
          const compiled = buildPlan(plan, new World()).end().compile();
          await compiled.run({}, { telemetry, onEvent, now, signal: controller.signal });
          expect(findSpanFaults(telemetry.spans)).toEqual([]);
        },
      ),
    );
  });
});

describe("a telemetry port that fails", () => {
  const broken = (): never => {
    throw new Error("no room");
  };
  const span: TelemetrySpan = { setAttributes: broken, addEvent: broken, setStatus: broken, end: broken };

  test.each<{ title: string; telemetry: TelemetryPort }>([
    { title: "to begin spans", telemetry: { startSpan: broken } },
    { title: "to take anything of a span", telemetry: { startSpan: () => span } },
    {
      title: "to take an event",
      telemetry: { startSpan: (start, parent) => new SpanRecorder().startSpan(start, parent), onRunEvent: broken },
    },
  ])("$title does not harm the run, and subscribers receive one warning", async ({ telemetry }) => {
    const events: RunEvent[] = [];
    const compiled = graph(TestState)
      .start(node("a"))
      .parallel([node("b"), failing("c")])
      .catch(node("d"))
      .end()
      .compile();
    const { status, state } = await compiled.run(
      {},
      { telemetry, onEvent: (event) => events.push(event), now: () => 1, runId: "r" },
    );
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["a", "d"] });
    expect(events.filter(({ type }) => type === "warning")).toEqual([
      { type: "warning", runId: "r", at: 1, message: "Telemetry failed; the run continues: no room" },
    ]);
  });
});
