import { describe, expect, test } from "bun:test";
import {
  AgentTurnError,
  NO_USAGE,
  NotSignedInError,
  RateLimitedError,
  type RunEvent,
} from "../../../contracts/index.ts";
import { waitUntil } from "../../../testkit/conformance/wait-until.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError, SchemaValidationError } from "../../errors/errors.ts";
import { FakeCodingAgent } from "../../fixtures/fake-coding-agent.ts";
import { FakeSubagents, type SubagentAnswer, succeed } from "../../fixtures/fake-subagents.ts";
import { logs, node, TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { SubagentFailedError } from "./run-subagent.ts";
import { type SubagentNodeConfig, subagentNode } from "./subagent-node.ts";

const agents = new NamedRegistry<AgentDefinition>([
  { name: "explore", prompt: "You explore.", model: "large", tools: ["read"], agentType: "claude" },
  { name: "plain", prompt: "" },
]);
const ALL_BUT_READ = { effect: "deny" as const, exceptTools: ["read"] };

/** Runs a graph of one sub-agent. */
async function explore(
  config: Partial<SubagentNodeConfig<TestState>>,
  services: RunOptions["services"],
  options: RunOptions = {},
) {
  const exploring = subagentNode<TestState>({
    id: "look",
    agentName: "explore",
    task: "Look around",
    ...config,
    retry: { backoffMs: 0, jitter: 0, ...config.retry },
  });
  const compiled = graph(TestState).start(exploring).end().compile();
  return await compiled.run({ value: "x" }, { runId: "r", ...options, services: { agents, ...services } });
}

describe("a sub-agent node", () => {
  test("sends its task to the run's sub-agents, with the settings of the agent's definition", async () => {
    const subagents = new FakeSubagents();
    const sessionConfig = { permissions: { rules: [], otherwise: "allow" as const } };
    const { state } = await explore(
      { task: ({ value }) => `Look at ${value}` },
      { subagents, sessionConfig, workingDirectory: "/work" },
    );
    expect(state.outputs).toEqual({ look: "explore: Look at x" });
    expect(subagents.spawned).toEqual([
      {
        runId: "r",
        agentId: "look",
        attempt: 1,
        agentName: "explore",
        agentType: "claude",
        task: "Look at x",
        systemPrompt: "You explore.",
        model: "large",
        tools: ["read"],
        sessionConfig: {
          title: "explore (r)",
          workingDirectory: "/work",
          permissions: { rules: [ALL_BUT_READ], otherwise: "allow" },
        },
        signal: expect.any(AbortSignal),
        stopTimeout: expect.any(Function),
        onEvent: expect.any(Function),
        onMessage: expect.any(Function),
        onLog: expect.any(Function),
        onSession: expect.any(Function),
      },
    ]);
  });

  test("prefers its own settings, and maps the result", async () => {
    const subagents = new FakeSubagents();
    const { state } = await explore(
      {
        name: "Look",
        agentType: "copilot",
        systemPrompt: ({ value }) => `For ${value}`,
        model: "tiny",
        tools: ["*"],
        timeout: 1_000,
        maxOutputLength: 50,
        outputMapper: ({ output, toolUses }, { value }) => ({ log: [`${value}, ${toolUses}: ${output}`] }),
      },
      { subagents },
    );
    expect(state.log).toEqual(["x, 1: explore: Look around"]);
    expect(subagents.spawned).toMatchObject([
      {
        agentType: "copilot",
        systemPrompt: "For x",
        model: "tiny",
        tools: ["*"],
        timeoutMs: 1_000,
        maxOutputLength: 50,
        sessionConfig: { title: "Look (r)" },
      },
    ]);
  });

  test("uses the run's model if nothing else names one", async () => {
    const subagents = new FakeSubagents();
    await explore({ agentName: "plain" }, { subagents }, { defaultModel: "small" });
    const [
      {
        signal: _signal,
        stopTimeout: _stop,
        onEvent: _onEvent,
        onSession: _onSession,
        onMessage: _onMessage,
        onLog: _onLog,
        ...options
      } = {},
    ] = subagents.spawned;
    expect(options).toEqual({
      runId: "r",
      agentId: "look",
      attempt: 1,
      agentName: "plain",
      task: "Look around",
      model: "small",
      sessionConfig: { title: "plain (r)" },
    });
  });

  test.each([{ title: "Look" }, { title: ({ value }: Readonly<TestState>) => `Look at ${value}` }])(
    "has the title %p",
    async (settings) => {
      const titles: string[] = [];
      const looking = subagentNode<TestState>({ id: "look", agentName: "plain", task: "Look around", ...settings });
      const onEvent = (event: RunEvent) => (event.type === "node-start" ? titles.push(event.name) : 0);
      const options = { services: { subagents: new FakeSubagents() }, onEvent };
      await graph(TestState).start(looking).end().compile().run({ value: "x" }, options);
      expect(titles).toEqual([typeof settings.title === "string" ? "Look" : "Look at x"]);
    },
  );

  test("leaves the model of another vendor's agent to that agent", async () => {
    const subagents = new FakeSubagents();
    const options = { defaultModel: "small", defaultModelAgent: "claude" };
    for (const agentType of ["claude", "copilot"]) {
      await explore({ agentName: "plain", agentType }, { subagents }, options);
    }
    expect(subagents.spawned.map(({ agentType, model }) => [agentType, model])).toEqual([
      ["claude", "small"],
      ["copilot", undefined],
    ]);
  });

  test.each<{ title: string; answer: SubagentAnswer; error: Error; attempts: number }>([
    {
      title: "with the error of the result",
      answer: () => ({ success: false, output: "", error: "lost its way" }),
      error: new SubagentFailedError("look", "explore", { error: "lost its way" }),
      attempts: 3,
    },
    {
      title: "once, when a retry cannot help",
      answer: () => {
        const cause = new AgentTurnError("fake", "bad request", { isRetryable: false });
        return { success: false, output: "", error: "bad request", cause };
      },
      error: new SubagentFailedError("look", "explore", { error: "bad request" }),
      attempts: 1,
    },
    {
      title: "with the thrown error",
      answer: () => new AgentTurnError("fake", "overloaded"),
      error: new AgentTurnError("fake", "overloaded"),
      attempts: 3,
    },
  ])("fails $title", async ({ answer, error, attempts }) => {
    const subagents = new FakeSubagents(answer);
    const result = await explore({}, { subagents });
    expect(result.error?.message).toBe(error.message);
    expect(result.error?.constructor).toBe(error.constructor);
    expect(subagents.spawned.map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: attempts }, (_, index) => index + 1),
    );
  });

  test.each([
    { title: "a missing login", cause: new NotSignedInError("fake", "fake login"), attempts: 1 },
    { title: "a rate limit", cause: new RateLimitedError("fake", "busy", 0), attempts: 3 },
  ])("fails with the cause itself if that is $title", async ({ cause, attempts }) => {
    const subagents = new FakeSubagents(() => ({ success: false, output: "", error: cause.message, cause }));
    const { error } = await explore({}, { subagents });
    expect(error).toBe(cause);
    expect(subagents.spawned).toHaveLength(attempts);
  });

  test("is not retried if its agent cannot start", () => {
    const cause = new NotSignedInError("fake", "fake login");
    expect(new SubagentFailedError("look", "explore", { error: cause.message, cause }).isRetryable).toBe(false);
  });

  test("reports which sub-agent of which node failed, and when to retry", () => {
    const cause = new RateLimitedError("fake", "busy", 7);
    const failed = new SubagentFailedError("look", "explore", { error: "busy", cause });
    const { code, message, isRetryable, retryAfterMs } = failed;
    expect({ code, message, isRetryable, retryAfterMs, cause: failed.cause }).toEqual({
      code: "SUBAGENT_FAILED",
      message: 'The sub-agent "explore" of the node "look" failed: busy',
      isRetryable: true,
      retryAfterMs: 7,
      cause,
    });
  });

  test("has a title with its agent and its task", async () => {
    const names: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-start") names.push(event.name);
    };
    await explore({ task: ({ value }) => `Look\n  at ${value}` }, { subagents: new FakeSubagents() }, { onEvent });
    expect(names).toEqual(["explore: Look at x"]);
  });

  test("publishes the sub-agent's events, and counts its usage once", async () => {
    const usage = { ...NO_USAGE, outputTokens: 3 };
    const told = new FakeSubagents(async (options) => {
      options.onEvent({ type: "text-delta", sessionId: "s", at: 5, text: "hm" });
      await options.onSession?.({ agentType: "copilot", sessionId: "s", isResumed: false });
      options.onEvent({ type: "usage", sessionId: "s", at: 5, usage });
      return { ...succeed(options), usage };
    });
    const texts: string[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "agent" && event.event.type === "text-delta") texts.push(event.event.text);
    };
    const whileWorking = await explore({}, { subagents: told }, { onEvent });
    const inTheEnd = await explore({}, { subagents: new FakeSubagents() });
    const spentAtEnd = { ...NO_USAGE, inputTokens: 2 };
    expect({ texts, usages: [whileWorking.usage, inTheEnd.usage] }).toEqual({
      texts: ["hm"],
      usages: [usage, spentAtEnd],
    });
    // The agent of the session, else the agent that the task names.
    expect([whileWorking.usageByAgent, inTheEnd.usageByAgent]).toEqual([{ copilot: usage }, { claude: spentAtEnd }]);
  });

  test("passes a cancel on, and is cancelled with the run", async () => {
    const stop = new AbortController();
    let reason: unknown;
    const subagents = new FakeSubagents(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason);
          });
          stop.abort(new Error("enough"));
        }),
    );
    expect((await explore({}, { subagents }, { signal: stop.signal })).status).toBe("cancelled");
    expect(reason).toEqual(new Error("enough"));
  });

  test("sends the sub-agent the reason why the next node rejected its answer", async () => {
    const subagents = new FakeSubagents();
    const look = subagentNode<TestState>({ id: "look", agentName: "plain", task: "Look" });
    const check = node(
      "check",
      ({ state }) => {
        if (!String(state.outputs.look).includes("rejected")) throw new SchemaValidationError("too short");
        return logs("checked");
      },
      { retry: { maxAttempts: 2 } },
    );
    const compiled = graph(TestState).start(look).then(check).end().compile();
    expect((await compiled.run({}, { services: { agents, subagents } })).state.log).toEqual(["checked"]);
    expect(subagents.spawned.map(({ task }) => task)).toEqual([
      "Look",
      "Look\n\nYour previous answer was rejected: too short",
    ]);
  });

  test.each([
    { title: "agents", services: {}, missing: "agents" },
    { title: "anything that runs them", services: { agents }, missing: "subagents" },
  ])("fails without $title", async ({ services, missing }) => {
    const look = subagentNode<TestState>({ id: "look", agentName: "explore", task: "Look" });
    const { error } = await graph(TestState).start(look).end().compile().run({}, { services });
    expect(error).toEqual(new MissingServiceError(missing, "look"));
  });
});

describe("a sub-agent without a service", () => {
  const answer = {
    content: "a long answer",
    events: [{ type: "usage" as const, usage: { ...NO_USAGE, inputTokens: 4 } }],
  };

  test("works in an agent's session", async () => {
    const agent = new FakeCodingAgent([answer]);
    const asked: (string | undefined)[] = [];
    const clients = (agentType: string | undefined): FakeCodingAgent => {
      asked.push(agentType);
      return agent;
    };
    const results: unknown[] = [];
    const { usage, usageByAgent } = await explore(
      {
        maxOutputLength: 6,
        outputMapper: (result) => {
          results.push(result);
          return {};
        },
      },
      { clients },
    );
    expect({ asked, calls: agent.calls, configs: agent.configs, usage, usageByAgent, results }).toEqual({
      asked: ["claude"],
      calls: ["create s1", "send s1: Look around", "destroy s1"],
      configs: [
        { title: "explore (r)", systemPrompt: "You explore.", model: "large", permissions: { rules: [ALL_BUT_READ] } },
      ],
      usage: { ...NO_USAGE, inputTokens: 4 },
      usageByAgent: { fake: { ...NO_USAGE, inputTokens: 4 } },
      results: [
        {
          success: true,
          agentId: "look",
          agentType: "claude",
          output: "a l\n… (7 characters left out) …\nwer",
          isTruncated: true,
          toolUses: 0,
          durationMs: expect.any(Number),
          usage: NO_USAGE,
        },
      ],
    });
  });

  test("resumes that session in another process", async () => {
    const checkpointer = new MemorySaver();
    const agent = new FakeCodingAgent([{ isEndless: true }, answer]);
    const stop = new AbortController();
    const services = { agents, clients: () => agent };
    const look = subagentNode<TestState>({ id: "look", agentName: "plain", task: "Look" });
    const compiled = graph(TestState).start(look).end().compile({ checkpointer });
    const onEvent = ({ type }: RunEvent): void => {
      if (type === "agent-session") setImmediate(() => stop.abort(new Error("enough")));
    };
    expect((await compiled.run({}, { runId: "r", services, signal: stop.signal, onEvent })).status).toBe("cancelled");
    expect((await compiled.resume("r", {}, { services })).state.outputs).toEqual({ look: "a long answer" });
    expect(agent.calls.filter((call) => !call.startsWith("send"))).toEqual([
      "create s1",
      "destroy s1",
      "resume s1",
      "destroy s1",
    ]);
  });

  test("fails when it times out", async () => {
    const agent = new FakeCodingAgent([{ isEndless: true }]);
    const { errorInfo } = await explore({ timeout: 5, retry: { maxAttempts: 1 } }, { clients: () => agent });
    expect(errorInfo).toEqual({
      code: "NODE_TIMEOUT",
      message: 'The node "look" took longer than its time limit of 5 ms. Raise it or split the node.',
      nodeId: "look",
    });
    expect(agent.calls).toEqual(["create s1", "send s1: Look around", "destroy s1"]);
  });

  test.each([
    { title: "its client", clients: () => new Promise<never>(() => undefined) },
    {
      title: "its session",
      clients: () =>
        Object.assign(new FakeCodingAgent([]), { createSession: () => new Promise<never>(() => undefined) }),
    },
  ])("fails when it times out before it has $title", async ({ clients }) => {
    const { errorInfo } = await explore({ timeout: 5, retry: { maxAttempts: 1 } }, { clients });
    expect(errorInfo?.code).toBe("NODE_TIMEOUT");
  });

  test("closes a session that opens after its time", async () => {
    const agent = new FakeCodingAgent([]);
    const create = agent.createSession.bind(agent);
    const isOver = Promise.withResolvers<void>();
    agent.createSession = async (config) => {
      await isOver.promise;
      return await create(config);
    };
    const { errorInfo } = await explore({ timeout: 5, retry: { maxAttempts: 1 } }, { clients: () => agent });
    isOver.resolve();
    await waitUntil(() => agent.calls.includes("destroy s1"), "the session was not destroyed");
    expect([errorInfo?.code, agent.calls]).toEqual(["NODE_TIMEOUT", ["create s1", "destroy s1"]]);
  });

  test("starts no session with a client that comes too late", async () => {
    const agent = new FakeCodingAgent([]);
    const found = Promise.withResolvers<FakeCodingAgent>();
    await explore({ timeout: 5, retry: { maxAttempts: 1 } }, { clients: () => found.promise });
    found.resolve(agent);
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.calls).toEqual([]);
  });
});
