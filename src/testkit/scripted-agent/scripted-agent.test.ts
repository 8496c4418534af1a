import { describe, expect, test } from "bun:test";
import { setImmediate as nextTask } from "node:timers/promises";
import { missingCapability } from "../../clients/agent-kit.ts";
import {
  type AgentCapability,
  type AgentEvent,
  RateLimitedError,
  SessionBusyError,
  SessionDestroyedError,
  StructuredOutputError,
  TurnStalledError,
  UnknownSessionError,
} from "../../contracts/index.ts";
import { createScriptedAgent } from "./create-scripted-agent.ts";

async function collect(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
const createSessionId = (): string => "s1";

describe("without a script", () => {
  test("the answer repeats the beginning of the prompt", async () => {
    const session = await createScriptedAgent().createSession();
    const reply = await session.send(`Fix\n  the ${"very ".repeat(20)}old bug`);
    expect(reply).toEqual({
      type: "text",
      content: `Scripted answer to: Fix the ${"very ".repeat(14)}ve…`,
      usage: { inputTokens: 30, outputTokens: 26, cacheReadTokens: 0, cacheWriteTokens: 0 },
      toolUses: 0,
      deniedPermissions: [],
    });
  });

  test("the answer to a schema is its smallest value", async () => {
    const session = await createScriptedAgent().createSession();
    const reply = await session.send("Ok?", { outputSchema: schema });
    expect([reply.content, reply.structured]).toEqual(['{"ok":false}', { ok: false }]);
  });
});

describe("a turn", () => {
  test("yields its events in order, and listeners receive the same", async () => {
    const usage = { inputTokens: 5, outputTokens: 6, costUsd: 0.25 };
    const agent = createScriptedAgent({
      createSessionId,
      script: () => ({ thinking: "Hm, yes.", text: "All good.", usage }),
    });
    const heard: AgentEvent[] = [];
    const texts: string[] = [];
    agent.on("*", (event) => heard.push(event));
    const stopListening = agent.on("text-delta", (event) => texts.push(event.text));
    const session = await agent.createSession();
    const events = await collect(session.stream("Go"));
    const base = { sessionId: "s1", at: expect.any(Number) };
    expect(events).toEqual([
      { ...base, type: "turn-start" },
      { ...base, type: "thinking-delta", text: "Hm, " },
      { ...base, type: "thinking-delta", text: "yes." },
      { ...base, type: "text-delta", text: "All " },
      { ...base, type: "text-delta", text: "good." },
      { ...base, type: "usage", usage: { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0 } },
      { ...base, type: "turn-end", outcome: "completed" },
    ]);
    expect(heard).toEqual([...events]);
    stopListening();
    await session.send("Again");
    expect(texts).toEqual(["All ", "good."]);
  });

  test("reaches the script with all its details, and is recorded", async () => {
    const config = { model: "big", systemPrompt: "Be brief." };
    const agent = createScriptedAgent({
      createSessionId,
      script: ({ turnIndex }) => `Answer ${turnIndex}: {"ok":true}`,
    });
    const session = await agent.createSession(config);
    await session.send("One");
    await session.send("Two", { outputSchema: schema });
    expect(agent.turns).toEqual([
      { prompt: "One", turnIndex: 0, sessionId: "s1", config },
      { prompt: "Two", turnIndex: 1, sessionId: "s1", config, outputSchema: schema },
    ]);
  });

  test("shows no thinking when the capability is off", async () => {
    const agent = createScriptedAgent({
      capabilities: { thinking: false },
      script: () => ({ thinking: "Hm.", text: "Yes." }),
    });
    const events = await collect((await agent.createSession()).stream("Go"));
    expect(events.map((event) => event.type)).toEqual(["turn-start", "text-delta", "usage", "turn-end"]);
  });

  test("fails with the error of the script, after its text", async () => {
    const error = new RateLimitedError("scripted", "too many", 2000);
    const agent = createScriptedAgent({ createSessionId, script: () => ({ text: "Half", error }) });
    const session = await agent.createSession();
    expect(await failureOf(session.send("Go"))).toBe(error);
    expect((await collect(session.stream("Go"))).slice(1)).toEqual([
      { type: "text-delta", sessionId: "s1", at: expect.any(Number), text: "Half" },
      { type: "error", sessionId: "s1", at: expect.any(Number), message: error.message, code: "RATE_LIMITED" },
      { type: "turn-end", sessionId: "s1", at: expect.any(Number), outcome: "failed" },
    ]);
  });

  test("fails with what the script throws", async () => {
    const error = new TypeError("A bug in the script.");
    const agent = createScriptedAgent({
      script: () => {
        throw error;
      },
    });
    expect(await failureOf((await agent.createSession()).send("Go"))).toBe(error);
  });
});

describe("structured output", () => {
  test.each([
    { title: "as it is in the reply", reply: { structured: { ok: true } }, content: '{"ok":true}' },
    { title: "beside a text", reply: { text: "Done.", structured: { ok: true } }, content: "Done." },
    { title: "from a JSON text", reply: '{"ok":true}', content: '{"ok":true}' },
    {
      title: "from a fenced block",
      reply: 'Here [1]:\n```json\n{"ok":true}\n```\n',
      content: 'Here [1]:\n```json\n{"ok":true}\n```\n',
    },
    { title: "from brackets in a text", reply: 'It is {"ok":true}.', content: 'It is {"ok":true}.' },
  ])("is taken $title", async ({ reply, content }) => {
    const session = await createScriptedAgent({ script: () => reply }).createSession();
    expect(await session.send("Go", { outputSchema: schema })).toMatchObject({ content, structured: { ok: true } });
  });

  test("is the smallest value when the script says nothing", async () => {
    const session = await createScriptedAgent({ script: () => ({ actions: [] }) }).createSession();
    expect((await session.send("Go", { outputSchema: schema })).structured).toEqual({ ok: false });
  });

  test("is absent when nobody asked for it", async () => {
    const session = await createScriptedAgent({ script: () => ({ structured: { ok: true } }) }).createSession();
    expect(Object.keys(await session.send("Go"))).not.toContain("structured");
  });

  test("that is no JSON fails the turn", async () => {
    const session = await createScriptedAgent({ script: () => "No idea." }).createSession();
    const failure = await failureOf(session.send("Go", { outputSchema: schema }));
    expect(failure).toEqual(new StructuredOutputError("scripted", ["the answer is not JSON"], "No idea."));
  });
});

describe("an aborted turn", () => {
  const slow = {
    script: ({ prompt }: { prompt: string }) => (prompt === "Wait" ? { delayMs: 60_000 } : "Back again."),
  };

  test("rejects with the signal's reason and leaves the session usable", async () => {
    const session = await createScriptedAgent(slow).createSession();
    const controller = new AbortController();
    const failure = failureOf(session.send("Wait", { signal: controller.signal }));
    const reason = new Error("Changed my mind.");
    controller.abort(reason);
    expect(await failure).toBe(reason);
    expect((await session.send("Go")).content).toBe("Back again.");
  });

  test("ends its events with the outcome, without an error", async () => {
    const session = await createScriptedAgent({ ...slow, createSessionId }).createSession();
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of session.stream("Wait", { signal: controller.signal })) {
      events.push(event);
      controller.abort();
    }
    expect(events).toEqual([
      { type: "turn-start", sessionId: "s1", at: expect.any(Number) },
      { type: "turn-end", sessionId: "s1", at: expect.any(Number), outcome: "aborted" },
    ]);
  });

  test("by abort() is over when abort() resolves", async () => {
    const session = await createScriptedAgent(slow).createSession();
    const failure = failureOf(session.send("Wait"));
    await session.abort();
    expect((await session.send("Go")).content).toBe("Back again.");
    expect(await failure).toMatchObject({ name: "AbortError", message: "The turn was aborted." });
  });

  test("does not wait for a script that never answers", async () => {
    const session = await createScriptedAgent({ script: () => new Promise<string>(() => undefined) }).createSession();
    const failure = failureOf(session.send("Go"));
    await session.abort();
    expect(await failure).toMatchObject({ name: "AbortError" });
  });

  test("between two words sends no more of them", async () => {
    const agent = createScriptedAgent({ script: () => "one two three" });
    const session = await agent.createSession();
    const texts: string[] = [];
    for await (const event of session.stream("Go")) {
      if (event.type !== "text-delta") continue;
      texts.push(event.text);
      await session.abort();
    }
    expect(texts).toEqual(["one "]);
  });

  test("that was cancelled before it began never reaches the script", async () => {
    const agent = createScriptedAgent(slow);
    const session = await agent.createSession();
    const reason = new Error("Too late.");
    expect(await failureOf(session.send("Go", { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(agent.turns).toEqual([]);
  });

  test("happens when the reader leaves early", async () => {
    const agent = createScriptedAgent({
      script: ({ turnIndex }) => (turnIndex === 0 ? { text: "one two", delayMs: 0 } : "next"),
    });
    const outcomes: string[] = [];
    agent.on("turn-end", (event) => outcomes.push(event.outcome));
    const session = await agent.createSession();
    for await (const event of session.stream("Go")) {
      if (event.type === "turn-start") break;
    }
    expect(outcomes).toEqual(["aborted"]);
  });
});

describe("a stalled turn", () => {
  test("fails after the time without events", async () => {
    const session = await createScriptedAgent({ createSessionId, script: () => ({ delayMs: 60_000 }) }).createSession();
    expect(await failureOf(session.send("Go", { stallTimeoutMs: 20 }))).toEqual(new TurnStalledError("scripted", 20));
    const events = await collect(session.stream("Go", { stallTimeoutMs: 20 }));
    expect(events.slice(1)).toEqual([
      { type: "stalled", sessionId: "s1", at: expect.any(Number), silentMs: 20 },
      {
        type: "error",
        sessionId: "s1",
        at: expect.any(Number),
        message: new TurnStalledError("scripted", 20).message,
        code: "TURN_STALLED",
      },
      { type: "turn-end", sessionId: "s1", at: expect.any(Number), outcome: "failed" },
    ]);
  });

  test("is not one that waits for a person", async () => {
    const agent = createScriptedAgent({
      evaluatePermission: () => "ask",
      script: () => ({ actions: [{ type: "call-tool", name: "none", input: {} }], text: "Done." }),
    });
    const slow = await createScriptedAgent({ script: () => ({ delayMs: 60_000 }) }).createSession();
    const session = await agent.createSession({
      onPermissionAsk: async () => {
        // Another turn's time is over before the person answers, so this one's would be, too.
        await failureOf(slow.send("Go", { stallTimeoutMs: 20 }));
        return { type: "allow" };
      },
    });
    expect((await session.send("Go", { stallTimeoutMs: 20 })).content).toBe("Done.");
  });
});

describe("sessions", () => {
  test("take one turn at a time", async () => {
    const session = await createScriptedAgent({ createSessionId, script: () => ({ delayMs: 60_000 }) }).createSession();
    const first = failureOf(session.send("One"));
    expect(await failureOf(session.send("Two"))).toEqual(new SessionBusyError("s1"));
    expect(await failureOf(collect(session.stream("Three")))).toEqual(new SessionBusyError("s1"));
    expect(await failureOf(session.summarize())).toEqual(new SessionBusyError("s1"));
    await session.abort();
    await first;
  });

  test("are resumed where they were, also after stop()", async () => {
    const agent = createScriptedAgent({ script: ({ turnIndex }) => `Answer ${turnIndex}` });
    const session = await agent.createSession();
    await session.send("One");
    await agent.stop();
    expect(await failureOf(session.send("Two"))).toEqual(new SessionDestroyedError(session.id));
    const resumed = await agent.resumeSession(session.id, { model: "other" });
    expect([resumed.id, (await resumed.send("Two")).content]).toEqual([session.id, "Answer 1"]);
  });

  test("can be resumed while open: during a turn it is rejected, otherwise the earlier session is released", async () => {
    const agent = createScriptedAgent({ createSessionId, script: () => ({ delayMs: 60_000 }) });
    const session = await agent.createSession();
    const turn = failureOf(session.send("One"));
    expect(await failureOf(agent.resumeSession("s1"))).toEqual(new SessionBusyError("s1"));
    await session.abort();
    await turn;
    await agent.resumeSession("s1");
    expect(await failureOf(session.send("Two"))).toEqual(new SessionDestroyedError("s1"));
  });

  test("that nobody knows cannot be resumed", async () => {
    const agent = createScriptedAgent();
    expect(await failureOf(agent.resumeSession("gone"))).toEqual(new UnknownSessionError("scripted", "gone"));
  });

  test("that are destroyed abort their turn", async () => {
    const agent = createScriptedAgent({ script: () => ({ delayMs: 60_000 }) });
    const session = await agent.createSession();
    const failure = failureOf(session.send("Go"));
    await agent.stop();
    await agent.stop();
    expect(await failure).toMatchObject({ name: "AbortError" });
  });

  test("that are destroyed are forgotten", async () => {
    const agent = createScriptedAgent();
    const sessions: WeakRef<object>[] = [];
    for (let count = 0; count < 100; count++) {
      const session = await agent.createSession();
      sessions.push(new WeakRef(session));
      await session.destroy();
    }
    // What is weakly held stays until the end of the task that made it.
    await nextTask();
    Bun.gc(true);
    // A few may still lie on the stack.
    expect(sessions.filter((session) => session.deref() !== undefined).length).toBeLessThan(20);
  });

  test("count what is in the context, and forget most of it when summarized", async () => {
    const agent = createScriptedAgent({
      contextWindowTokens: 1000,
      script: ({ turnIndex }) =>
        turnIndex === 0
          ? "12345678"
          : { text: "ok", usage: { inputTokens: 400, cacheReadTokens: 90, outputTokens: 10 } },
    });
    const compacted: AgentEvent[] = [];
    agent.on("compacted", (event) => compacted.push(event));
    const session = await agent.createSession({ systemPrompt: "Be brief" });
    expect(await session.getContextUsage()).toEqual({ usedTokens: 0, maxTokens: 1000, fraction: 0 });
    await session.send("Question");
    expect(await session.getContextUsage()).toEqual({ usedTokens: 6, maxTokens: 1000, fraction: 0.006 });
    await session.send("More");
    expect(await session.getContextUsage()).toEqual({ usedTokens: 500, maxTokens: 1000, fraction: 0.5 });
    await session.summarize();
    expect(await session.getContextUsage()).toEqual({ usedTokens: 50, maxTokens: 1000, fraction: 0.05 });
    expect(compacted).toEqual([{ type: "compacted", sessionId: session.id, at: expect.any(Number) }]);
  });

  test("fill no part of a context window whose size nobody knows", async () => {
    const session = await createScriptedAgent({ contextWindowTokens: 0, script: () => "Hi." }).createSession();
    await session.send("Question");
    expect(await session.getContextUsage()).toEqual({ usedTokens: 3, maxTokens: 0, fraction: 0 });
  });

  test("reject capabilities that the agent lacks", async () => {
    const off = { resume: false, summarize: false, contextUsage: false, permissions: false };
    const agent = createScriptedAgent({ capabilities: off });
    const session = await agent.createSession();
    const missing = (capability: AgentCapability) => missingCapability("scripted", capability);
    expect(await failureOf(session.summarize())).toEqual(missing("summarize"));
    expect(await failureOf(session.getContextUsage())).toEqual(missing("contextUsage"));
    expect(await failureOf(agent.resumeSession(session.id))).toEqual(missing("resume"));
    expect(await failureOf(agent.createSession({ permissions: { rules: [] } }))).toEqual(missing("permissions"));
    expect(agent.capabilities).toEqual({ ...createScriptedAgent().capabilities, ...off });
  });

  test("have a model with a name and a size", async () => {
    const agent = createScriptedAgent({ contextWindowTokens: 1000 });
    expect(await agent.getModelDisplayInfo()).toEqual({
      model: "scripted-model",
      displayName: "Scripted model",
      contextWindowTokens: 1000,
    });
    expect(await agent.getModelDisplayInfo("big")).toEqual({
      model: "big",
      displayName: "big",
      contextWindowTokens: 1000,
    });
  });
});
