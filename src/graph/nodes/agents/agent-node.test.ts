import { describe, expect, test } from "bun:test";
import { z } from "zod";
import {
  AgentTurnError,
  CapabilityMissingError,
  ClientNotInstalledError,
  NO_USAGE,
  NotSignedInError,
  RateLimitedError,
  type RunEvent,
} from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError, SchemaValidationError } from "../../errors/errors.ts";
import { FakeCodingAgent, type FakeTurn } from "../../fixtures/fake-coding-agent.ts";
import { FaultySaver } from "../../fixtures/faulty-saver.ts";
import { logs, node, rejectionOf, TestState } from "../../fixtures/test-nodes.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { type AgentNodeConfig, agentNode } from "./agent-node.ts";
import { skillNode } from "./skill-node.ts";

const RETRY = { retry: { backoffMs: 0, jitter: 0 } };
const FAILS: FakeTurn = { error: new AgentTurnError("fake", "overloaded") };

function ask<Output = unknown>(config: Partial<AgentNodeConfig<TestState, Output>> = {}) {
  return agentNode<TestState, Output>({ id: "plan", buildMessage: "Plan it", ...RETRY, ...config });
}

/** A graph of one agent node, and a run of it. */
async function runWith(agent: FakeCodingAgent, planning = ask(), options: RunOptions = {}) {
  const compiled = graph(TestState).start(planning).end().compile();
  const services = { ...options.services, clients: () => agent };
  return await compiled.run({ value: "caching" }, { runId: "r", ...options, services });
}

describe("an agent node", () => {
  test("sends its message in a session of its own and keeps the answer", async () => {
    const agent = new FakeCodingAgent([{ content: "the plan" }]);
    const { status, state } = await runWith(agent);
    expect({ status, outputs: state.outputs }).toEqual({ status: "completed", outputs: { plan: "the plan" } });
    expect(agent.calls).toEqual(["create s1", "send s1: Plan it", "destroy s1"]);
    expect(agent.listenerCount).toBe(0);
  });

  test("builds its message, and its update, from the state", async () => {
    const agent = new FakeCodingAgent([{ content: "the plan" }]);
    const planning = ask({
      buildMessage: (state, { taskId }) => `Plan ${state.value} (${taskId})`,
      outputMapper: (reply, state, { nodeId }) => ({ log: [`${nodeId}: ${reply.content} for ${state.value}`] }),
    });
    expect((await runWith(agent, planning)).state.log).toEqual(["plan: the plan for caching"]);
    expect(agent.calls[1]).toBe("send s1: Plan caching (plan)");
  });

  test("has its system prompt in the message where the agent takes none", async () => {
    const agent = new FakeCodingAgent([{ content: "the plan" }]);
    agent.takesSystemPrompt = false;
    expect((await runWith(agent, ask({ systemPrompt: "Be brief." }))).status).toBe("completed");
    expect(agent.calls[1]).toBe("send s1: Follow these instructions:\n\nBe brief.\n\nYour task:\n\nPlan it");
  });

  test.each<{ readonly code: string; readonly update: unknown }>([
    { code: "STATE_UNKNOWN_FIELD", update: { plann: "x" } },
    { code: "STATE_UNSERIALIZABLE", update: { value: () => 5 } },
  ])("is not paid again when its update fails with $code", async ({ code, update }) => {
    const agent = new FakeCodingAgent([{ content: "the plan" }, { content: "again" }]);
    // Files that are run directly are not type-checked.
    const { errorInfo } = await runWith(agent, ask({ outputMapper: () => update as { value: string } }));
    expect({ code: errorInfo?.code, calls: agent.calls }).toEqual({
      code,
      calls: ["create s1", "send s1: Plan it", "destroy s1"],
    });
  });

  test("uses the agent that it names", async () => {
    const asked: (string | undefined)[] = [];
    const clients = (agentType: string | undefined): FakeCodingAgent => {
      asked.push(agentType);
      return new FakeCodingAgent([{}]);
    };
    for (const config of [{}, { agentType: "claude" }]) {
      await graph(TestState).start(ask(config)).end().compile().execute({}, { services: { clients } });
    }
    expect(asked).toEqual([undefined, "claude"]);
  });

  test.each([
    {
      node: agentNode<TestState>({ agent: "reviewer" }),
      says: `Write getSubagentRegistry().register({ name, description, prompt }) in the workflow's file, or pass it in the run's "services".`,
    },
    { node: skillNode<TestState>({ skill: "pdf" }), says: `Pass it in the run's "services".` },
  ])("says where a missing name could come from", async ({ node: named, says }) => {
    const error = await rejectionOf(graph(TestState).start(named).end().compile().execute());
    expect(error.message).toEndWith(`which this run does not have. ${says}`);
  });

  test("fails without clients, and says what to do", async () => {
    const error = await rejectionOf(graph(TestState).start(ask()).end().compile().execute());
    expect(error).toEqual(new MissingServiceError("clients", "plan"));
    expect(error.message).toBe(
      'The node "plan" needs "clients", which this run does not have. Pass it in the run\'s "services", or run the workflow with the atomic command.',
    );
  });

  test.each<{ title: string; own: Partial<AgentNodeConfig<TestState>>; options: RunOptions; model?: string }>([
    { title: "one that names no agent", own: {}, options: { defaultModelAgent: "claude" }, model: "small" },
    {
      title: "one that names the same agent",
      own: { agentType: "claude" },
      options: { defaultModelAgent: "claude" },
      model: "small",
    },
    { title: "not one of another agent", own: { agentType: "copilot" }, options: { defaultModelAgent: "claude" } },
    {
      title: "one of another agent, but only with a model of its own",
      own: { agentType: "copilot", model: "tiny" },
      options: { defaultModelAgent: "claude" },
      model: "tiny",
    },
    { title: "any, where it is no agent's in particular", own: { agentType: "copilot" }, options: {}, model: "small" },
  ])("the run's model is for $title", async ({ own, options, model }) => {
    const agent = new FakeCodingAgent([{}]);
    await runWith(agent, ask(own), { ...options, defaultModel: "small" });
    expect(agent.configs).toEqual([{ title: "plan (r)", ...(model === undefined ? {} : { model }) }]);
  });

  test("merges the node's session settings over those of the run", async () => {
    const agent = new FakeCodingAgent([{}, {}]);
    const permissions = { rules: [], otherwise: "deny" as const };
    const services = { workingDirectory: "/work", sessionConfig: { systemPrompt: "run", permissions } };
    await runWith(agent, ask(), { services, defaultModel: "small" });
    const own = ask({
      name: "Plan",
      model: "large",
      systemPrompt: (state) => `for ${state.value}`,
      sessionConfig: { workingDirectory: "/other" },
      permissions: { rules: [], otherwise: "allow" },
      stallTimeoutMs: 7,
    });
    await runWith(agent, own, { services, defaultModel: "small" });
    expect(agent.configs).toEqual([
      { title: "plan (r)", workingDirectory: "/work", systemPrompt: "run", permissions, model: "small" },
      {
        title: "Plan (r)",
        workingDirectory: "/other",
        systemPrompt: "for caching",
        permissions: { rules: [], otherwise: "allow" },
        model: "large",
      },
    ]);
    expect(agent.turnOptions.map((options) => options?.stallTimeoutMs)).toEqual([undefined, 7]);
  });

  test("publishes the agent's events, and counts their cost", async () => {
    const denied = { toolName: "Bash", kind: "shell" as const, title: "rm -rf", reason: "policy" };
    const usage = { ...NO_USAGE, inputTokens: 5, costUsd: 0.25 };
    const told = [
      { type: "turn-start" },
      { type: "subagent-start", subagentId: "a1", title: "Search" },
      { type: "stalled", silentMs: 7 },
      { type: "waiting", reason: "rate-limit", message: "Slow down", retryAt: 9 },
      { type: "vendor", name: "mood", data: 1 },
      { type: "thinking-delta", text: "hm" },
      { type: "tool-start", toolId: "t1", toolName: "Bash", kind: "shell", input: { command: "npm  test\n" } },
      { type: "tool-end", toolId: "t1", toolName: "Bash", isError: true, output: "no" },
      { type: "permission-denied", denied },
      { type: "usage", usage },
      { type: "usage", usage },
      { type: "text-delta", text: "x" },
      { type: "turn-end", outcome: "completed" },
    ] as const;
    const agent = new FakeCodingAgent([{ content: "x", events: told }]);
    const events: RunEvent[] = [];
    const { usage: spent, usageByAgent } = await runWith(agent, ask(), {
      now: () => 5,
      onEvent: (event) => events.push(event),
    });
    const about = { nodeId: "plan", taskId: "plan", runId: "r", at: 5 };
    expect<unknown>(events.slice(2, -2)).toEqual([
      { type: "agent-session", agentType: "fake", sessionId: "s1", isResumed: false, ...about },
      { type: "agent-prompt", message: "Plan it", sessionId: "s1", agentType: "fake", ...about },
      ...told.map((event) => ({
        ...{ type: "agent", event: { ...event, sessionId: "s1", at: 5 }, ...about },
        ...(event.type === "usage" ? { agentType: "fake" } : {}),
      })),
    ]);
    const total = { ...NO_USAGE, inputTokens: 10, costUsd: 0.5 };
    expect({ spent, usageByAgent }).toEqual({ spent: total, usageByAgent: { fake: total } });
  });
});

const CONTINUE = "Your work on the following was interrupted. Look at what is already done, then finish it.\n\nPlan it";

describe("an agent node that runs again", () => {
  test("reopens its session and asks the agent to finish", async () => {
    const agent = new FakeCodingAgent([FAILS, FAILS, { content: "done" }]);
    expect((await runWith(agent)).state.outputs).toEqual({ plan: "done" });
    expect(agent.calls).toEqual([
      "create s1",
      "send s1: Plan it",
      "destroy s1",
      "resume s1",
      `send s1: ${CONTINUE}`,
      "destroy s1",
      "resume s1",
      `send s1: ${CONTINUE}`,
      "destroy s1",
    ]);
  });

  test("reopens it also in another process", async () => {
    const checkpointer = new MemorySaver();
    const agent = new FakeCodingAgent([{ isEndless: true }, { content: "done" }]);
    const stop = new AbortController();
    const services = { clients: () => agent };
    const compiled = graph(TestState).start(ask()).end().compile({ checkpointer });
    const onEvent = ({ type }: RunEvent): void => {
      if (type === "agent-session") setImmediate(() => stop.abort(new Error("enough")));
    };
    expect((await compiled.run({}, { runId: "r", services, signal: stop.signal, onEvent })).status).toBe("cancelled");
    const events: RunEvent[] = [];
    const { state } = await compiled.resume("r", {}, { services, onEvent: (event) => events.push(event) });
    expect(state.outputs).toEqual({ plan: "done" });
    expect(agent.calls).toEqual([
      "create s1",
      "send s1: Plan it",
      "destroy s1",
      "resume s1",
      `send s1: ${CONTINUE}`,
      "destroy s1",
    ]);
    expect(events.find(({ type }) => type === "agent-session")).toMatchObject({ sessionId: "s1", isResumed: true });
  });

  test("starts a new session when the agent has lost the old one, and reopens that one next", async () => {
    const agent = new FakeCodingAgent([FAILS, FAILS, { content: "done" }]);
    agent.lost.add("s1");
    await runWith(agent);
    expect(agent.calls.filter((call) => !call.startsWith("destroy"))).toEqual([
      "create s1",
      "send s1: Plan it",
      "resume s1",
      "create s2",
      "send s2: Plan it",
      "resume s2",
      `send s2: ${CONTINUE}`,
    ]);
  });

  test("starts a new session when the agent cannot resume", async () => {
    const agent = new FakeCodingAgent([FAILS, { content: "done" }], { resume: false });
    await runWith(agent);
    expect(agent.calls.filter((call) => call.startsWith("create"))).toEqual(["create s1", "create s2"]);
  });

  test("has its own session in each visit", async () => {
    const agent = new FakeCodingAgent([{}, {}]);
    await graph(TestState)
      .loop(ask(), { maxIterations: 2 })
      .end()
      .compile()
      .execute({}, { services: { clients: () => agent } });
    expect(agent.calls.filter((call) => call.startsWith("create"))).toEqual(["create s1", "create s2"]);
  });

  test.each([
    { title: "a missing program", error: new ClientNotInstalledError("fake", "the fake") },
    { title: "a missing login", error: new NotSignedInError("fake", "fake login") },
    { title: "a missing capability", error: new CapabilityMissingError("fake", "resume", []) },
    { title: "a request that would fail again", error: new AgentTurnError("fake", "bad", { isRetryable: false }) },
  ])("does not retry $title", async ({ error }) => {
    const agent = new FakeCodingAgent([{ error }]);
    const result = await runWith(agent);
    expect(result.error).toBe(error);
    expect(agent.calls).toEqual(["create s1", "send s1: Plan it", "destroy s1"]);
  });

  test("tries three times by default, as late as the provider asks", async () => {
    const retryAts: (number | undefined)[] = [];
    const limited = { error: new RateLimitedError("fake", "busy", 3) };
    const agent = new FakeCodingAgent([limited, limited, limited]);
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-error") retryAts.push(event.retryAt && event.retryAt - event.at);
    };
    const { errorInfo } = await runWith(agent, ask(), { onEvent, now: () => 5 });
    expect(errorInfo?.code).toBe("RATE_LIMITED");
    expect(retryAts).toEqual([3, 3, undefined]);
  });

  test("frees its session even if the session cannot be journaled", async () => {
    const agent = new FakeCodingAgent([{}]);
    const checkpointer = new FaultySaver(new MemorySaver(), { failAfter: 1 });
    await rejectionOf(runWith(agent, ask(), { checkpointer }));
    expect(agent.calls).toEqual(["create s1", "destroy s1"]);
  });
});

describe("an agent node with an outputSchema", () => {
  const outputSchema = z.object({ tasks: z.array(z.string()).min(1) });
  const problem = "tasks: Too small: expected array to have >=1 items";
  const again = `Your answer does not have the required shape: ${problem}. Answer again, in the required shape.`;
  const bad: FakeTurn = { structured: { tasks: [] } };

  test("returns the parsed answer, whether the agent parsed it or wrote it as text", async () => {
    for (const turn of [{ structured: { tasks: ["a"] } }, { content: '{"tasks":["a"]}' }]) {
      const agent = new FakeCodingAgent([turn]);
      const planning = ask({ outputSchema, outputMapper: ({ structured }) => ({ log: structured.tasks }) });
      expect((await runWith(agent, planning)).state.log).toEqual(["a"]);
      expect(agent.turnOptions[0]?.outputSchema).toMatchObject({ type: "object", required: ["tasks"] });
    }
  });

  test("keeps the parsed answer in outputs", async () => {
    const agent = new FakeCodingAgent([{ content: '{"tasks":["a"]}' }]);
    expect((await runWith(agent, ask({ outputSchema }))).state.outputs).toEqual({ plan: { tasks: ["a"] } });
  });

  test("asks again, in the same session, until the answer fits", async () => {
    const agent = new FakeCodingAgent([bad, { content: "no JSON" }, { structured: { tasks: ["a"] } }]);
    expect((await runWith(agent, ask({ outputSchema }))).status).toBe("completed");
    expect(agent.calls).toEqual([
      "create s1",
      "send s1: Plan it",
      `send s1: ${again}`,
      "send s1: Your answer does not have the required shape: Invalid input: expected object, received string. Answer again, in the required shape.",
      "destroy s1",
    ]);
  });

  test("fails after the given number of corrections", async () => {
    const agent = new FakeCodingAgent([bad, bad, bad]);
    const { errorInfo } = await runWith(agent, ask({ outputSchema }));
    expect(errorInfo).toEqual({
      code: "SCHEMA_VALIDATION",
      message: `The answer of "plan" does not have the required shape: ${problem}`,
      nodeId: "plan",
    });
    const none = new FakeCodingAgent([bad]);
    await runWith(none, ask({ outputSchema, maxRepairs: 0 }));
    expect(none.calls).toHaveLength(3);
  });

  test("receives the reason when the next node rejects its answer", async () => {
    const agent = new FakeCodingAgent([{ content: "one" }, { content: "two" }]);
    const check = node(
      "check",
      ({ state }) => {
        if (state.outputs.plan === "one") throw new SchemaValidationError("too short");
        return logs("checked");
      },
      { retry: { maxAttempts: 2 } },
    );
    const compiled = graph(TestState).start(ask()).then(check).end().compile();
    expect((await compiled.execute({}, { services: { clients: () => agent } })).log).toEqual(["checked"]);
    expect(agent.calls.filter((call) => call.startsWith("send"))).toEqual([
      "send s1: Plan it",
      "send s2: Plan it\n\nYour previous answer was rejected: too short",
    ]);
  });
});
