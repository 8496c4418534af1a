import { expect, test } from "bun:test";
import { createFakeAgent, type FakeScript } from "../clients/fixtures/fake-agent.ts";
import { AgentTurnError, NO_USAGE } from "../contracts/index.ts";
import { MemoryCollector } from "./fixtures/memory-collector.ts";
import { withTelemetry } from "./with-telemetry.ts";

const SECRET = "the text of a person";
const USAGE = { ...NO_USAGE, inputTokens: 10, outputTokens: 3 };

const WORK: FakeScript = ({ publish }) =>
  publish(
    { type: "tool-start", toolId: "t1", toolName: "Bash", kind: "shell", input: { command: SECRET } },
    { type: "tool-end", toolId: "t1", toolName: "Bash", isError: true, output: SECRET },
    { type: "usage", usage: USAGE },
    { type: "usage", usage: USAGE },
    { type: "text-delta", text: SECRET },
  );

const FAIL: FakeScript = () => {
  throw new AgentTurnError("fake", SECRET);
};

test("sessions of a client are tracked by names, lengths and counts, never by texts", async () => {
  const collector = new MemoryCollector();
  const client = withTelemetry(createFakeAgent([WORK, FAIL]), collector);
  const config = { model: "model-a", permissionMode: "plan", systemPrompt: SECRET } as const;
  const session = await client.createSession(config);
  await session.send(SECRET);
  await session.send(SECRET).catch(() => undefined);
  await session.destroy();
  await session.destroy();
  const again = await client.resumeSession(session.id);
  for await (const _event of again.stream(SECRET)) break;
  expect(collector.events.slice(0, 8)).toEqual([
    {
      eventType: "sdk.session.created",
      sessionId: "s1",
      properties: { agentType: client.agentType, model: "model-a", permissionMode: "plan", hasSystemPrompt: true },
    },
    {
      eventType: "sdk.message.sent",
      sessionId: "s1",
      properties: { agentType: client.agentType, messageLength: SECRET.length },
    },
    {
      eventType: "sdk.tool.executed",
      sessionId: "s1",
      properties: {
        agentType: client.agentType,
        toolName: "Bash",
        toolKind: "shell",
        isError: true,
        durationMs: expect.any(Number),
      },
    },
    {
      eventType: "sdk.message.received",
      sessionId: "s1",
      properties: {
        agentType: client.agentType,
        outcome: "completed",
        durationMs: expect.any(Number),
        toolUses: 1,
        ...NO_USAGE,
        inputTokens: 20,
        outputTokens: 6,
      },
    },
    expect.objectContaining({ eventType: "sdk.message.sent" }),
    expect.objectContaining({ eventType: "sdk.error", sessionId: "s1" }),
    expect.objectContaining({ eventType: "sdk.message.received", sessionId: "s1" }),
    { eventType: "sdk.session.destroyed", sessionId: "s1", properties: { agentType: client.agentType } },
  ]);
  expect(collector.events.slice(8, 10).map(({ eventType }) => eventType)).toEqual([
    "sdk.session.resumed",
    "sdk.message.sent",
  ]);
  await client.stop();
  expect(collector.events.at(-1)).toEqual({
    eventType: "sdk.session.destroyed",
    sessionId: "s1",
    properties: { agentType: client.agentType },
  });
  expect(JSON.stringify(collector.events)).not.toContain(SECRET);
});

test("a session that cannot be opened is an error with a name and a code", async () => {
  const collector = new MemoryCollector();
  const client = withTelemetry(createFakeAgent([]), collector);
  await client.resumeSession("gone").catch(() => undefined);
  expect(collector.events).toEqual([
    {
      eventType: "sdk.error",
      properties: { agentType: client.agentType, errorName: "UnknownSessionError", errorCode: "UNKNOWN_SESSION" },
    },
  ]);
});

test("everything else of a client is as before", async () => {
  const agent = createFakeAgent([]);
  const client = withTelemetry(agent, new MemoryCollector());
  expect([client.agentType, client.capabilities]).toEqual([agent.agentType, agent.capabilities]);
  const heard: string[] = [];
  const stop = client.on("turn-end", (event) => heard.push(event.type));
  await (await client.createSession()).send("Hello").catch(() => undefined);
  stop();
  expect(heard).toEqual(["turn-end"]);
  await client.stop();
});
