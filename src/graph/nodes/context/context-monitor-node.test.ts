import { describe, expect, test } from "bun:test";
import { CapabilityMissingError, type ContextUsage, type RunEvent } from "../../../contracts/index.ts";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { fill, messagesIn, runWithAgent, windowsIn } from "../../fixtures/context-bench.ts";
import { FaultySaver } from "../../fixtures/faulty-saver.ts";
import { rejectionOf, TestState } from "../../fixtures/test-nodes.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { BACKGROUND_COMPACTION_THRESHOLD, BUFFER_EXHAUSTION_THRESHOLD } from "../agents/context-thresholds.ts";
import { waitNode } from "../people/wait-node.ts";
import { contextMonitorNode } from "./context-monitor-node.ts";
import type { ContextMonitorNodeConfig, ContextReading } from "./monitor-context.ts";

function monitor(config: Partial<ContextMonitorNodeConfig<TestState>> = {}) {
  return contextMonitorNode<TestState>({ session: "work", ...config });
}

function usage(fraction: number): ContextUsage {
  return { usedTokens: Math.round(fraction * 1_000), maxTokens: 1_000, fraction };
}

type Row = {
  readonly title: string;
  readonly fraction: number;
  readonly config?: Partial<ContextMonitorNodeConfig<TestState>>;
  readonly capabilities?: { readonly summarize: boolean };
  readonly level: ContextReading["level"];
  readonly action: ContextReading["action"];
};

describe("a context monitor", () => {
  test("has the documented thresholds", () => {
    expect([BACKGROUND_COMPACTION_THRESHOLD, BUFFER_EXHAUSTION_THRESHOLD]).toEqual([0.45, 0.6]);
  });

  test.each<Row>([
    { title: "below the thresholds nothing", fraction: 0.449, level: "ok", action: "none" },
    { title: "from the first on a summary", fraction: 0.45, level: "compaction", action: "summarize" },
    {
      title: "of an agent that makes none a new session",
      fraction: 0.5,
      capabilities: { summarize: false },
      level: "compaction",
      action: "recreate",
    },
    {
      title: "what the author chose",
      fraction: 0.5,
      config: { action: "recreate" },
      level: "compaction",
      action: "recreate",
    },
    { title: "from the second on a new session", fraction: 0.6, level: "exhaustion", action: "recreate" },
    {
      title: "for an author who only wants to be warned, a warning, also there",
      fraction: 0.9,
      config: { action: "warn" },
      level: "exhaustion",
      action: "warn",
    },
    {
      title: "other thresholds",
      fraction: 0.3,
      config: { thresholds: { compaction: 0.2, exhaustion: 0.4 } },
      level: "compaction",
      action: "summarize",
    },
  ])("does $title", async ({ fraction, config, capabilities, level, action }) => {
    const nodes = [fill("a", fraction), monitor(config), fill("b", 0)];
    const { events, sessions, state } = await runWithAgent(nodes, capabilities);
    expect(state.outputs).toEqual({ "context-monitor": { session: "work", usage: usage(fraction), level, action } });
    expect(windowsIn(events, "context-monitor")).toEqual([
      { nodeId: "context-monitor", session: "work", fraction, action },
    ]);
    expect(sessions).toEqual(["s1", action === "recreate" ? "s2" : "s1"]);
    expect(messagesIn(events)).toEqual(action === "summarize" ? ["The agent compacted its conversation."] : []);
  });

  test("uses the threshold of its graph, unless it has its own", async () => {
    const own = monitor({ id: "own", thresholds: { compaction: 0.3 } });
    const gate = waitNode<TestState>({ id: "gate", prompt: "Go on?" });
    const nodes = [fill("a", 0.25), gate, own, monitor({ action: "warn" })];
    const { agent, compiled } = await runWithAgent(nodes);
    // With the threshold from the beginning on, the agent's node would have made the session shorter itself.
    const options = { contextWindowThreshold: 0.2, services: { clients: () => agent } };
    const { state } = await compiled.resume("r", { gate: "yes" }, options);
    expect(state.outputs).toMatchObject({ own: { level: "ok" }, "context-monitor": { level: "compaction" } });
  });

  test("logs that the size of the window is unknown", async () => {
    const agent = createScriptedAgent({ contextWindowTokens: 0 });
    const compiled = graph(TestState)
      .start([fill("a", 0), monitor()])
      .end()
      .compile();
    const messages: string[] = [];
    const onEvent = (event: RunEvent): void => void (event.type === "log" && messages.push(event.message));
    const { state } = await compiled.run({}, { services: { clients: () => agent }, onEvent });
    expect(messages).toEqual(['The size of the context window of "work" is unknown.']);
    expect(state.outputs).toMatchObject({ "context-monitor": { action: "none" } });
  });

  test("fails at exhaustion with `onExhaustion: fail`, and reads again when the run is resumed", async () => {
    const nodes = [fill("a", 0.7), monitor({ onExhaustion: "fail" }), fill("b", 0)];
    const { agent, compiled, errorInfo } = await runWithAgent(nodes);
    expect(errorInfo).toEqual({
      code: "CONTEXT_EXHAUSTED",
      message:
        'The session "work" fills 70 % of its context window; the limit is 60 %. Clear it earlier with clearContextNode, or raise thresholds.exhaustion.',
      nodeId: "context-monitor",
    });
    await (await agent.resumeSession("s1")).summarize();
    const { status, state } = await compiled.resume("r", {}, { services: { clients: () => agent } });
    expect(status).toBe("completed");
    expect(state.outputs["context-monitor"]).toMatchObject({ level: "ok", usage: usage(0.07) });
  });

  test("passes its reading to the author", async () => {
    const heard: unknown[] = [];
    const node = monitor({
      onUsage: (reading, { nodeId }) => heard.push([nodeId, reading]),
      outputMapper: ({ level }, { value }) => ({ value: `${value}${level}` }),
    });
    expect((await runWithAgent([fill("a", 0.2), node])).state).toMatchObject({ value: "ok", outputs: {} });
    expect(heard).toEqual([["context-monitor", usage(0.2)]]);
  });

  test("has nothing to read before the session exists", async () => {
    const { events, state } = await runWithAgent([monitor(), fill("a", 0)]);
    const nothing = { session: "work", usage: null, level: "ok", action: "none" };
    expect(state.outputs).toEqual({ "context-monitor": nothing });
    expect(windowsIn(events, "context-monitor")).toEqual([]);
  });

  test.each([
    { missing: "contextUsage", capabilities: { contextUsage: false }, config: {} },
    { missing: "summarize", capabilities: { summarize: false }, config: { action: "summarize" as const } },
  ])("fails if the agent lacks $missing", async ({ missing, capabilities, config }) => {
    const { error } = await runWithAgent([fill("a", 0.5), monitor(config)], capabilities);
    expect(error).toEqual(new CapabilityMissingError("scripted", missing, []));
  });

  test("is not fooled by its own summary when its process dies after it", async () => {
    const inner = new MemorySaver();
    // run, step of the agent's session, what its turn used, end of the agent's node, the reading; then the disk is full.
    const checkpointer = new FaultySaver(inner, { failAfter: 5 });
    const agent = createScriptedAgent({ contextWindowTokens: 1_000, script: () => "" });
    const services = { clients: () => agent };
    const compiled = graph(TestState)
      .start([fill("a", 0.5), monitor()])
      .end()
      .compile();
    const error = await rejectionOf(compiled.run({}, { runId: "x", checkpointer, services }));
    expect(error).toMatchObject({ code: "JOURNAL_WRITE" });
    const { state } = await compiled.resume("x", {}, { checkpointer: inner, services });
    expect(state.outputs["context-monitor"]).toMatchObject({ level: "compaction", action: "summarize" });
    const session = await agent.resumeSession(state.agentSessions?.work?.sessionId ?? "");
    expect((await session.getContextUsage()).usedTokens).toBe(50);
  });

  test("is checked with the graph", async () => {
    const compile = async () =>
      graph(TestState)
        .start(monitor({ thresholds: { compaction: 0.7 } }))
        .then(monitor({ id: "other", thresholds: { exhaustion: 60 } }))
        .end()
        .compile();
    expect((await rejectionOf(compile())).message).toBe(`The graph cannot be compiled:
  - "context-monitor" has the thresholds 0.7 and 0.6; they must ascend, above 0 and up to 1
  - "other" has thresholds.exhaustion 60; it must be a number from 0 to 1
Correct the graph's definition.`);
  });
});
