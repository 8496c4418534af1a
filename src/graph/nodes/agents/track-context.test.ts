import { describe, expect, test } from "bun:test";
import type { CodingAgentClient, NodeEmission, RunEvent, Session } from "../../../contracts/index.ts";
import { createScriptedAgent, type ScriptedAgentOptions } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { fill, messagesIn, runWithAgent, windowsIn } from "../../fixtures/context-bench.ts";
import { controlled, logs, node, TestState } from "../../fixtures/test-nodes.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { agentNode } from "./agent-node.ts";
import { trackContext } from "./track-context.ts";

const look = node("look", ({ contextWindowUsage }) => logs(`${contextWindowUsage}`));
const COMPACTED = "The agent compacted its conversation.";

describe("after the turn of an agent's node", () => {
  test("an event reports how full the context window is, and later nodes can read it", async () => {
    const { events, state } = await runWithAgent([look, fill("a", 0.5), { ...look, id: "then" }]);
    expect(windowsIn(events, "a")).toEqual([{ nodeId: "a", session: "work", fraction: 0.5, action: "none" }]);
    expect(state.log).toEqual(["undefined", "0.5"]);
  });

  test("a session that ends with its node is checked as well, and has no name", async () => {
    const ask = agentNode<TestState>({ id: "ask", buildMessage: "x".repeat(400), outputMapper: () => ({}) });
    const { events } = await runWithAgent([ask]);
    expect(windowsIn(events, "ask")).toEqual([{ nodeId: "ask", fraction: 0.1, action: "none" }]);
  });

  test("there is a warning from 60 % on, but no action", async () => {
    const { events, sessions, state } = await runWithAgent([fill("a", 0.6), look, fill("b", 0)]);
    expect(windowsIn(events, "a")).toEqual([{ nodeId: "a", session: "work", fraction: 0.6, action: "warn" }]);
    expect({ sessions, log: state.log, messages: messagesIn(events) }).toEqual({
      sessions: ["s1", "s1"],
      log: ["0.6"],
      messages: [],
    });
  });

  type Row = {
    readonly title: string;
    readonly capabilities?: ScriptedAgentOptions["capabilities"] & object;
    readonly action: string;
    readonly sessions: string[];
    readonly messages: string[];
  };
  test.each<Row>([
    { title: "a summary is made", action: "summarize", sessions: ["s1", "s1"], messages: [COMPACTED] },
    {
      title: "a new session begins where the agent makes no summaries",
      capabilities: { summarize: false },
      action: "recreate",
      sessions: ["s1", "s2"],
      messages: [],
    },
  ])("from the graph's contextWindowThreshold on $title", async ({ capabilities = {}, action, sessions, messages }) => {
    const nodes = [fill("a", 0.3), fill("b", 0)];
    const ran = await runWithAgent(nodes, capabilities, { contextWindowThreshold: 0.3 });
    expect(windowsIn(ran.events, "a")).toEqual([{ nodeId: "a", session: "work", fraction: 0.3, action }]);
    expect<object>({ sessions: ran.sessions, messages: messagesIn(ran.events) }).toEqual({ sessions, messages });
  });

  test("a session that ends with its node is not shortened", async () => {
    const ask = agentNode<TestState>({ id: "ask", buildMessage: "x".repeat(400), outputMapper: () => ({}) });
    const { events } = await runWithAgent([ask], {}, { contextWindowThreshold: 0.05 });
    expect(windowsIn(events, "ask")).toEqual([{ nodeId: "ask", fraction: 0.1, action: "warn" }]);
    expect(messagesIn(events)).toEqual([]);
  });

  test.each([
    { title: "the agent cannot tell", capabilities: { contextUsage: false }, contextWindowTokens: 1_000 },
    { title: "nobody knows how large the window is", capabilities: {}, contextWindowTokens: 0 },
  ])("reports nothing if $title", async ({ capabilities, contextWindowTokens }) => {
    const agent = createScriptedAgent({ capabilities, contextWindowTokens, script: () => "" });
    expect(await eventsWith(agent, { isNamed: true })).toEqual([]);
  });
});

/** Runs an agent's node. Returns the events about context windows, and the messages. */
async function eventsWith(client: CodingAgentClient, { isNamed }: { readonly isNamed: boolean }): Promise<unknown[]> {
  const events: RunEvent[] = [];
  const ask = agentNode<TestState>({ id: "ask", buildMessage: "Go.", ...(isNamed ? { session: "work" } : {}) });
  const compiled = graph(TestState).start(ask).end().compile();
  const onEvent = (event: RunEvent): void => void events.push(event);
  const { status } = await compiled.run({}, { services: { clients: () => client }, onEvent });
  expect(status).toBe("completed");
  return [...windowsIn(events, "ask"), ...messagesIn(events)];
}

/** A scripted agent whose sessions answer some calls otherwise. */
function agentWith(changed: Partial<Session>, hasFreeContextUsage: boolean): CodingAgentClient {
  const inner = createScriptedAgent({ contextWindowTokens: 10, script: () => "" });
  const createSession: CodingAgentClient["createSession"] = async (config) => {
    const session = await inner.createSession(config);
    const change = (target: Session, name: string | symbol): unknown => {
      // The cast is true: every object has properties.
      const value = name in changed ? changed[name as keyof Session] : target[name as keyof Session];
      return typeof value === "function" ? value.bind(target) : value;
    };
    return new Proxy(session, { get: change });
  };
  const get = (target: CodingAgentClient, name: string | symbol): unknown => {
    if (name === "createSession") return createSession;
    if (name === "hasFreeContextUsage") return hasFreeContextUsage;
    // The cast is true for the same reason.
    const value = target[name as keyof CodingAgentClient];
    return typeof value === "function" ? value.bind(target) : value;
  };
  return new Proxy(inner, { get });
}

describe("checking a context window", () => {
  test("is skipped for a session that ends, if it costs a call to the agent", async () => {
    const getContextUsage = () => Promise.resolve({ usedTokens: 1, maxTokens: 2, fraction: 0.5 });
    const told = { nodeId: "ask", fraction: 0.5, action: "none" };
    expect(await eventsWith(agentWith({ getContextUsage }, false), { isNamed: false })).toEqual([]);
    expect(await eventsWith(agentWith({ getContextUsage }, true), { isNamed: false })).toEqual([told]);
    expect(await eventsWith(agentWith({ getContextUsage }, false), { isNamed: true })).toEqual([
      { ...told, session: "work" },
    ]);
  });

  test("does not lose the turn's work when the agent cannot report it", async () => {
    const getContextUsage = () => Promise.reject(new Error("no reply"));
    expect(await eventsWith(agentWith({ getContextUsage }, true), { isNamed: true })).toEqual([
      "The agent could not report how full its context window is: no reply",
    ]);
  });

  test("does not lose it either when the agent cannot summarize", async () => {
    const client = agentWith({ summarize: () => Promise.reject(new Error("no reply")) }, true);
    const compiled = graph(TestState)
      .start(agentNode<TestState>({ id: "ask", session: "work", buildMessage: "Go on." }))
      .end()
      .compile({ contextWindowThreshold: 0.1 });
    const events: RunEvent[] = [];
    const onEvent = (event: RunEvent): void => void events.push(event);
    const { status, state } = await compiled.run({}, { services: { clients: () => client }, onEvent });
    expect([status, state.agentSessions?.work?.agentType]).toEqual(["completed", "scripted"]);
    expect(windowsIn(events, "ask")).toEqual([{ nodeId: "ask", session: "work", fraction: 0.2, action: "warn" }]);
    expect(messagesIn(events)).toEqual(["The agent could not summarize its conversation: no reply"]);
  });

  test.each<{ title: string; changed: Partial<Session>; message: string; tracked: object }>([
    {
      title: "reports how full it is",
      changed: { getContextUsage: () => new Promise(() => undefined) },
      message: "The agent could not report how full its context window is: ",
      tracked: { signals: [], isForgotten: false },
    },
    {
      title: "summarizes",
      changed: { summarize: () => new Promise(() => undefined) },
      message: "The agent could not summarize its conversation: ",
      tracked: {
        signals: [{ type: "context_window_warning", session: "work", usage: 0.2, action: "warn" }],
        isForgotten: false,
      },
    },
  ])("does not wait for ever until the agent $title", async ({ changed, message, tracked }) => {
    const client = agentWith(changed, true);
    const session = await client.createSession();
    await session.send("Go on.");
    const told: string[] = [];
    const emit = (event: NodeEmission): void => void (event.type === "log" && told.push(event.message));
    const context = { emit, signal: new AbortController().signal, contextWindowThreshold: 0.1 };
    const limits = { lookMs: 1, summarizeMs: 1 };
    const usual = changed.getContextUsage === undefined ? { ...limits, lookMs: 60_000 } : limits;
    expect<object>(await trackContext({ client, session, name: "work" }, context, usual)).toEqual(tracked);
    expect(told).toEqual([expect.stringContaining(message)]);
  });

  test("does not count towards the node's timeout", async () => {
    const calls: string[] = [];
    const getContextUsage = () => {
      calls.push("look");
      return Promise.resolve({ usedTokens: 1, maxTokens: 2, fraction: 0.5 });
    };
    const ask = agentNode<TestState>({ id: "ask", session: "work", buildMessage: "Go on.", timeout: 60_000 });
    const stopTimeout = (): (() => void) => {
      calls.push("stopTimeout");
      return () => void calls.push("resume");
    };
    const watched = (context: ExecutionContext<TestState>) =>
      // The cast is true: every object has properties.
      new Proxy(context, {
        get: (own, name) => (name === "stopTimeout" ? stopTimeout : own[name as keyof typeof own]),
      });
    const compiled = graph(TestState)
      .start({ ...ask, execute: (context) => ask.execute(watched(context)) })
      .end()
      .compile();
    const { status } = await compiled.run({}, { services: { clients: () => agentWith({ getContextUsage }, true) } });
    expect({ status, calls }).toEqual({ status: "completed", calls: ["stopTimeout", "look", "resume"] });
  });

  test("leaves the time limit of a node around it in place", async () => {
    const agent = createScriptedAgent({ contextWindowTokens: 10, script: () => "" });
    const ask = agentNode<TestState>({ id: "ask", buildMessage: "Go.", timeout: 50, retry: { maxAttempts: 1 } });
    const hanging = controlled("ask");
    const execute: typeof ask.execute = async (context) => {
      await ask.execute(context);
      return await hanging.node.execute(context);
    };
    const compiled = graph(TestState)
      .start({ ...ask, execute })
      .end()
      .compile();
    const { errorInfo } = await compiled.run({}, { services: { clients: () => agent } });
    expect([errorInfo?.code, agent.turns.length]).toEqual(["NODE_TIMEOUT", 1]);
  });
});
