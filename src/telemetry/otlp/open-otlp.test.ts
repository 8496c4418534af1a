import { afterEach, beforeEach, expect, test } from "bun:test";
import { createRedactor, NO_USAGE } from "../../contracts/index.ts";
import { FakeCodingAgent } from "../../graph/fixtures/fake-coding-agent.ts";
import { failing, node, TestState } from "../../graph/fixtures/test-nodes.ts";
import { agentNode, graph, MemorySaver } from "../../graph/index.ts";
import { attributesOf, OtlpReceiver } from "../fixtures/otlp-receiver.ts";
import { openOtlp } from "./open-otlp.ts";
import { readOtlpSettings } from "./otlp-settings.ts";

const SECRET = "/home/me/secret.txt";
const TOKEN = "tok-12345678";
let receiver: OtlpReceiver;

beforeEach(() => {
  receiver = new OtlpReceiver();
});
afterEach(() => receiver.stop());

async function open(env: Readonly<Record<string, string>> = {}) {
  const settings = readOtlpSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    ...env,
  });
  if (settings === undefined) throw new Error("no settings");
  const failures: unknown[] = [];
  const otlp = await openOtlp(settings, {
    version: "1.2.3",
    anonymousId: "id-1",
    redactor: createRedactor({ secrets: [{ name: "API_TOKEN", value: TOKEN }] }),
    onFailure: (error) => failures.push(error),
  });
  return { otlp, failures };
}

function research() {
  const usage = { ...NO_USAGE, inputTokens: 10, outputTokens: 5 };
  const agent = new FakeCodingAgent([
    {
      events: [
        { type: "turn-start" },
        { type: "tool-start", toolId: "t1", toolName: "bash", kind: "shell", input: { command: SECRET } },
        { type: "tool-end", toolId: "t1", toolName: "bash", isError: true, output: SECRET },
        { type: "usage", usage },
        { type: "text-delta", text: SECRET },
        { type: "turn-end", outcome: "completed" },
      ],
      content: SECRET,
    },
  ]);
  const work = agentNode<TestState>({ id: "work", buildMessage: SECRET });
  const measure = node("measure", ({ emit }) => {
    emit({ type: "context-window", fraction: 0.25, action: "none" });
    return;
  });
  const compiled = graph(TestState)
    .start(work)
    .parallel([measure, failing("broken", SECRET)])
    .catch(node("rescue"))
    .end()
    .compile({ name: "research" });
  return { compiled, services: { clients: () => agent } };
}

test("a run is a trace: nodes, agents, turns and tools are its spans, without any text", async () => {
  const { otlp, failures } = await open({
    OTEL_SERVICE_NAME: "mine",
    OTEL_RESOURCE_ATTRIBUTES: "team=core",
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=k1",
  });
  const { compiled, services } = research();
  let now = 1_790_000_000_000;
  await compiled.run({}, { runId: "monday", services, telemetry: otlp.port, now: () => ++now });
  await otlp.shutdown();
  expect(failures).toEqual([]);
  expect(receiver.outline()).toEqual([
    "invoke_workflow research | completed",
    "  agent work | completed",
    "    invoke_agent fake",
    "      turn | completed",
    "        execute_tool bash | TOOL_FAILED",
    "  fork parallel_1",
    "    branch measure",
    "      tool measure | completed",
    "    branch broken",
    "      tool broken | failed | NODE_FAILED",
    "  tool rescue | completed",
  ]);
  const [root] = receiver.roots;
  expect({ traceId: root?.traceId, spanId: root?.spanId, attributes: root && attributesOf(root) }).toEqual({
    traceId: "954ea8b2d78cda2d5309618e594109a8",
    spanId: "46bcbaf6b2278478",
    attributes: {
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "research",
      "atomic.run.id": "monday",
      "atomic.run.is_resume": false,
      "atomic.run.status": "completed",
      "atomic.usage.total_tokens": 15,
    },
  });
  expect(receiver.resource).toMatchObject({
    "service.name": "mine",
    "service.version": "1.2.3",
    "atomic.installation.id": "id-1",
    team: "core",
  });
  expect(receiver.requests.map(({ path, contentType, headers }) => [path, contentType, headers["api-key"]])).toEqual(
    expect.arrayContaining([
      ["/v1/traces", "application/json", "k1"],
      ["/v1/metrics", "application/json", "k1"],
    ]),
  );
  expect(JSON.stringify(receiver.requests)).not.toContain("secret.txt");
});

test("durations, nodes, checkpoints and context windows are metrics", async () => {
  const { otlp } = await open();
  const { compiled, services } = research();
  await compiled.run({}, { services, telemetry: otlp.port, checkpointer: new MemorySaver() });
  await otlp.shutdown();
  const workflow = { "gen_ai.workflow.name": "research" };
  const metrics = receiver.metrics.filter(([name]) => !name.startsWith("otel."));
  expect(metrics).toEqual([
    ["graph_execution_duration", { ...workflow, "atomic.run.status": "completed" }, 1],
    ["node_execution_count", { ...workflow, "atomic.node.type": "agent" }, 1],
    ["node_execution_count", { ...workflow, "atomic.node.type": "tool" }, 3],
    ["checkpoint_save_count", workflow, expect.any(Number)],
    ["context_window_usage", { ...workflow, "atomic.node.id": "measure" }, 0.25],
  ]);
});

test("a resumed run is in the same trace, with a link to its first span", async () => {
  const compiled = graph(TestState)
    .start(node("plan"))
    .wait({ id: "gate" })
    .end()
    .compile({ checkpointer: new MemorySaver() });
  const first = await open();
  await compiled.run({}, { runId: "monday", telemetry: first.otlp.port });
  await first.otlp.shutdown();
  const second = await open();
  await compiled.resume("monday", { gate: "yes" }, { telemetry: second.otlp.port });
  await second.otlp.shutdown();
  expect(receiver.roots.map(({ traceId, links }) => [traceId, links.map(({ spanId }) => spanId)])).toEqual([
    ["954ea8b2d78cda2d5309618e594109a8", []],
    ["954ea8b2d78cda2d5309618e594109a8", ["46bcbaf6b2278478"]],
  ]);
});

test("secrets in names are redacted", async () => {
  const { otlp } = await open();
  const compiled = graph(TestState)
    .start(node(`use-${TOKEN}`))
    .end()
    .compile({ name: `work ${TOKEN}` });
  await compiled.run({}, { telemetry: otlp.port });
  await otlp.shutdown();
  expect(receiver.outline()).toEqual([
    "invoke_workflow work [redacted:API_TOKEN] | completed",
    "  tool use-[redacted:API_TOKEN] | completed",
  ]);
  expect(JSON.stringify(receiver.requests)).not.toContain(TOKEN);
});

test("protobuf is the default encoding, and a signal that is turned off is not exported", async () => {
  const { otlp } = await open({ OTEL_EXPORTER_OTLP_PROTOCOL: "", OTEL_METRICS_EXPORTER: "none" });
  const compiled = graph(TestState).start(node("plan")).end().compile({ name: "research" });
  await compiled.run({}, { telemetry: otlp.port });
  await otlp.shutdown();
  expect(receiver.requests.map(({ path, contentType }) => [path, contentType])).toEqual([
    ["/v1/traces", "application/x-protobuf"],
  ]);
  expect(receiver.requests[0]?.body).toContain("invoke_workflow research");
});

test("look-ups of names are measured, without the names", async () => {
  const { otlp, failures } = await open();
  otlp.observeLookup({ type: "agent", durationMs: 12, isFound: true, isCached: false });
  otlp.observeLookup({ type: "agent", durationMs: 0.1, isFound: true, isCached: true });
  otlp.observeLookup({ type: "agent", durationMs: 0.1, isFound: true, isCached: true });
  await otlp.shutdown();
  const found = { "atomic.entity.type": "agent", "atomic.lookup.is_found": true };
  expect(receiver.metrics).toEqual([
    ["entity_lookup_duration", { ...found, "atomic.lookup.is_cached": false }, 1],
    ["entity_lookup_duration", { ...found, "atomic.lookup.is_cached": true }, 2],
  ]);
  expect(failures).toEqual([]);
});
