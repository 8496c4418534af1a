import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { AgentEvent } from "../../contracts/index.ts";
import { type AgentScript, createScriptedAgent } from "../../testkit/index.ts";
import { FakeCodingAgent } from "../fixtures/fake-coding-agent.ts";
import type { SubagentSpawnOptions } from "../model/subagent-runner.ts";
import {
  SubagentBusyError,
  SubagentCancelledError,
  SubagentSessionManager,
  type SubagentSessionManagerOptions,
  SubagentTimeoutError,
} from "./subagent-session-manager.ts";
import type { SubagentStatus } from "./subagent-work.ts";

interface Bench {
  readonly manager: SubagentSessionManager;
  readonly agent: ReturnType<typeof createScriptedAgent>;
  readonly statuses: SubagentStatus[];
}

function createBench(script: AgentScript, options: Partial<SubagentSessionManagerOptions> = {}): Bench {
  let count = 0;
  const agent = createScriptedAgent({ script, createSessionId: () => `s${++count}` });
  const statuses: SubagentStatus[] = [];
  const onStatusUpdate = (status: SubagentStatus): number => statuses.push(status);
  return { manager: new SubagentSessionManager({ clients: () => agent, onStatusUpdate, ...options }), agent, statuses };
}

const task = (agentId: string, more: Partial<SubagentSpawnOptions> = {}): SubagentSpawnOptions => ({
  agentId,
  agentName: "explore",
  task: `Look at ${agentId}`,
  ...more,
});

/** A script whose turns wait until each is let go. */
function createGates() {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (name: string): PromiseWithResolvers<void> => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    return gate;
  };
  const begun: string[] = [];
  const script: AgentScript = async ({ prompt }, { signal }) => {
    const name = prompt.replace("Look at ", "");
    begun.push(name);
    gateOf(`${name} begins`).resolve();
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    await Promise.race([gateOf(name).promise, aborted]);
    return `Saw ${name}`;
  };
  return {
    script,
    begun,
    open: (name: string) => gateOf(name).resolve(),
    begins: (name: string) => gateOf(`${name} begins`).promise,
  };
}

const success = (agentId: string, output: string) => ({
  success: true as const,
  agentId,
  output,
  toolUses: 0,
  durationMs: expect.any(Number),
  usage: expect.any(Object),
});

describe("a sub-agent of a manager", () => {
  test("works in a session of its own, with its definition's prompt, model and tools", async () => {
    const { manager, agent } = createBench(({ prompt }) => `${prompt}: done`);
    const events: AgentEvent["type"][] = [];
    const sessions: unknown[] = [];
    const result = await manager.spawn(
      task("a", {
        systemPrompt: "You explore.",
        model: "small",
        tools: ["read"],
        onEvent: ({ type }) => events.push(type),
        onSession: (session) => {
          sessions.push(session);
        },
      }),
    );
    expect(result).toEqual(success("a", "Look at a: done"));
    expect(agent.turns.map(({ prompt, config }) => ({ prompt, config }))).toEqual([
      {
        prompt: "Look at a",
        config: {
          title: "explore",
          systemPrompt: "You explore.",
          model: "small",
          permissions: { rules: [{ effect: "deny", exceptTools: ["read"] }] },
        },
      },
    ]);
    expect([...new Set(events)]).toEqual(["turn-start", "text-delta", "usage", "turn-end"]);
    expect(sessions).toEqual([{ agentType: "scripted", sessionId: "s1", isResumed: false }]);
    expect(manager.activeSessions.size).toBe(0);
  });

  test("has its instructions in the task where the agent takes no system prompt", async () => {
    const agent = new FakeCodingAgent([{ content: "done" }]);
    agent.takesSystemPrompt = false;
    const manager = new SubagentSessionManager({ clients: () => agent });
    const result = await manager.spawn(task("a", { systemPrompt: "You explore." }));
    expect(result.success).toBe(true);
    expect(agent.calls[1]).toBe("send s1: Follow these instructions:\n\nYou explore.\n\nYour task:\n\nLook at a");
  });

  test("leaves the permissions of a run as they are", async () => {
    const { manager, agent } = createBench(() => "done");
    const permissions = { rules: [], otherwise: "allow" } as const;
    await manager.spawn(task("a", { tools: ["read"], sessionConfig: { permissions } }));
    expect(agent.turns[0]?.config.permissions).toEqual(permissions);
  });

  test("returns the beginning and the end of a long answer, and the whole beside it", async () => {
    const long = `a${"x".repeat(2_998)}z`;
    const { manager } = createBench(() => long);
    expect(await manager.spawn(task("a"))).toEqual({
      ...success("a", `a${"x".repeat(999)}\n… (1000 characters left out) …\n${"x".repeat(999)}z`),
      isTruncated: true,
      fullOutput: long,
    });
    expect(await manager.spawn(task("b", { maxOutputLength: Number.POSITIVE_INFINITY }))).toEqual(success("b", long));
    const { manager: brief } = createBench(() => "0123456789", { maxOutputLength: 4 });
    expect((await brief.spawn(task("a"))).output).toBe("01\n… (6 characters left out) …\n89");
  });

  test("returns a value in the shape of a schema, and corrects one that does not fit", async () => {
    const { manager, agent } = createBench(({ turnIndex }) => ({ structured: { count: turnIndex === 0 ? "two" : 2 } }));
    const result = await manager.spawn(task("a", { outputSchema: z.object({ count: z.number() }) }));
    expect(result).toMatchObject({ success: true, structured: { count: 2 } });
    expect(agent.turns.map(({ prompt }) => prompt.slice(0, 50))).toEqual([
      "Look at a",
      "Your answer does not have the required shape: coun",
    ]);
  });

  test("continues the session of an earlier attempt", async () => {
    const { manager, agent } = createBench(() => "done");
    await agent.createSession({ title: "earlier" });
    const result = await manager.spawn(task("a", { resumeSessionId: "s1" }));
    expect(result.success).toBe(true);
    expect(agent.turns.map(({ sessionId, prompt }) => [sessionId, prompt])).toEqual([
      ["s1", "Your work on the following was interrupted. Look at what is already done, then finish it.\n\nLook at a"],
    ]);
    await manager.spawn(task("b", { resumeSessionId: "lost" }));
    expect(agent.turns.at(-1)).toMatchObject({ sessionId: "s2", prompt: "Look at b" });
  });

  test("that fails is a result with its error, its last words and its tools", async () => {
    const { manager, statuses } = createBench(async (_turn, { say, perform }) => {
      await say("First");
      await perform({ type: "run-command", command: "true" });
      await say("I could not");
      throw new Error("out of luck");
    });
    expect(await manager.spawn(task("a"))).toEqual({
      success: false,
      agentId: "a",
      output: "I could not",
      error: "out of luck",
      cause: new Error("out of luck"),
      toolUses: 1,
      durationMs: expect.any(Number),
    });
    expect(statuses.at(-1)).toMatchObject({ phase: "failed", error: "out of luck", toolUses: 1 });
  });

  test("fails when its client cannot be had, and leaves its place to the next", async () => {
    const agent = createScriptedAgent({ script: () => "done" });
    const clients = (agentType: string | undefined) => {
      if (agentType === "gone") throw new Error("not installed");
      return agent;
    };
    const manager = new SubagentSessionManager({ clients, maxConcurrent: 1 });
    const results = await manager.spawnParallel([task("a", { agentType: "gone" }), task("b")]);
    expect(results).toEqual([
      {
        success: false,
        agentId: "a",
        output: "",
        error: "not installed",
        cause: new Error("not installed"),
        toolUses: 0,
        durationMs: expect.any(Number),
      },
      success("b", "done"),
    ]);
  });

  test("ends when its time is over; waiting for a place does not count", async () => {
    const { script, begins, open } = createGates();
    const { manager } = createBench(script, { maxConcurrent: 1 });
    const first = manager.spawn(task("a", { timeoutMs: 20 }));
    const second = manager.spawn(task("b", { timeoutMs: 60_000 }));
    expect(await first).toMatchObject({ success: false, cause: new SubagentTimeoutError("a", 20) });
    await begins("b");
    open("b");
    expect(await second).toEqual(success("b", "Saw b"));
  });
});

test("a sub-agent that waits for other agents stops the time limit of its node, too", async () => {
  const agent = new FakeCodingAgent([{ content: "done" }]);
  const manager = new SubagentSessionManager({ clients: () => agent });
  const clock: string[] = [];
  const stopTimeout = () => {
    clock.push("stopped");
    return () => void clock.push("started");
  };
  await manager.spawn(task("a", { timeoutMs: 60_000, stopTimeout }));
  const resume = agent.turnOptions[0]?.stopTimeout?.();
  expect(clock).toEqual(["stopped"]);
  resume?.();
  expect(clock).toEqual(["stopped", "started"]);
});

describe("a manager", () => {
  test("lets five work at the same time, and the others in the order in which they came", async () => {
    const { script, begun, begins, open } = createGates();
    const { manager } = createBench(script);
    const names = ["1", "2", "3", "4", "5", "6", "7"];
    const all = manager.spawnParallel(names.map((name) => task(name)));
    await begins("5");
    expect([...manager.activeSessions.values()].map(({ agentId, phase }) => `${agentId} ${phase}`)).toEqual([
      ...["1", "2", "3", "4", "5"].map((name) => `${name} running`),
      "6 queued",
      "7 queued",
    ]);
    expect(begun).toEqual(["1", "2", "3", "4", "5"]);
    open("3");
    await begins("6");
    open("1");
    await begins("7");
    for (const name of names) open(name);
    expect((await all).map(({ output }) => output)).toEqual(names.map((name) => `Saw ${name}`));
    expect(manager.activeSessions.size).toBe(0);
  });

  test("cancels one that works and one that waits; the others continue", async () => {
    const { script, begun, begins, open } = createGates();
    const { manager, statuses } = createBench(script, { maxConcurrent: 1 });
    const all = manager.spawnParallel([task("a"), task("b"), task("c")]);
    await begins("a");
    expect([manager.cancel("b"), manager.cancel("a"), manager.cancel("x")]).toEqual([true, true, false]);
    await begins("c");
    open("c");
    expect((await all).map(({ success: isDone, error }) => [isDone, error])).toEqual([
      [false, new SubagentCancelledError("a").message],
      [false, new SubagentCancelledError("b").message],
      [true, undefined],
    ]);
    expect(begun).toEqual(["a", "c"]);
    expect(
      statuses
        .filter(({ phase }) => phase === "cancelled")
        .map(({ agentId }) => agentId)
        .sort(),
    ).toEqual(["a", "b"]);
  });

  test("cancels all", async () => {
    const { script, begins } = createGates();
    const { manager } = createBench(script, { maxConcurrent: 2 });
    const all = manager.spawnParallel([task("a"), task("b"), task("c")]);
    await begins("b");
    expect(manager.cancelAll()).toBe(3);
    expect((await all).map((result) => !result.success && result.cause)).toEqual(
      ["a", "b", "c"].map((id) => new SubagentCancelledError(id)),
    );
    expect(manager.cancelAll()).toBe(0);
  });

  test("rejects with the reason of a signal, for one that works and one that waits", async () => {
    const { script, begins } = createGates();
    const { manager } = createBench(script, { maxConcurrent: 1 });
    const stop = new AbortController();
    const both = Promise.allSettled([
      manager.spawn(task("a", { signal: stop.signal })),
      manager.spawn(task("b", { signal: stop.signal })),
    ]);
    await begins("a");
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await both).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(await Promise.allSettled([manager.spawn(task("c", { signal: stop.signal }))])).toEqual([
      { status: "rejected", reason },
    ]);
    expect(manager.activeSessions.size).toBe(0);
  });

  test("keeps tasks of different runs apart, and rejects an id that is at work", async () => {
    const { script, begins, open } = createGates();
    const { manager } = createBench(script);
    const first = manager.spawn(task("a", { runId: "r1" }));
    const second = manager.spawn(task("a", { runId: "r2" }));
    await begins("a");
    expect([...manager.activeSessions.keys()]).toEqual(["r1/a", "r2/a"]);
    expect(await Promise.allSettled([manager.spawn(task("a", { runId: "r1" }))])).toEqual([
      { status: "rejected", reason: new SubagentBusyError("a") },
    ]);
    open("a");
    expect([await first, await second]).toEqual([success("a", "Saw a"), success("a", "Saw a")]);
  });

  test("reports what each sub-agent does, also when the display throws", async () => {
    const { manager, statuses } = createBench(async (_turn, { perform }) => {
      await perform({ type: "run-command", command: "true" });
      await perform({ type: "wait", reason: "rate-limit", message: "later", delayMs: 1 });
      return "done";
    });
    await manager.spawn(task("a"));
    expect(
      statuses.map(({ phase, currentTool, toolUses, retryAt }): unknown => ({ phase, currentTool, toolUses, retryAt })),
    ).toEqual(
      [
        { phase: "queued", toolUses: 0 },
        { phase: "running", toolUses: 0 },
        { phase: "running", toolUses: 0 },
        { phase: "running", currentTool: "run_command", toolUses: 1 },
        { phase: "running", toolUses: 1 },
        { phase: "waiting", toolUses: 1, retryAt: expect.any(Number) },
        { phase: "running", toolUses: 1 },
        { phase: "completed", toolUses: 1 },
      ].map((status): unknown => ({ currentTool: undefined, retryAt: undefined, ...status })),
    );
    const throwing = createBench(() => "done", {
      onStatusUpdate: () => {
        throw new Error("no terminal");
      },
    });
    expect(await throwing.manager.spawn(task("a"))).toEqual(success("a", "done"));
  });

  test.each([0, -1, Number.NaN])("rejects a limit of %p", (maxConcurrent) => {
    expect(() => new SubagentSessionManager({ clients: () => createScriptedAgent(), maxConcurrent })).toThrow(
      new RangeError(`maxConcurrent must be at least 1, not ${maxConcurrent}.`),
    );
  });
});
