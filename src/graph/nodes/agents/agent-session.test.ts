import { describe, expect, test } from "bun:test";
import { AgentTurnError, CapabilityMissingError, type NodeEmission, type RunEvent } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { FakeCodingAgent, type FakeTurn } from "../../fixtures/fake-coding-agent.ts";
import { node, TestState } from "../../fixtures/test-nodes.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { type AgentNodeConfig, agentNode } from "./agent-node.ts";
import { closeSession, SessionAgentMismatchError } from "./agent-session.ts";

function ask(id: string, config: Partial<AgentNodeConfig<TestState>> = {}) {
  const retry = { backoffMs: 0, jitter: 0 };
  return agentNode<TestState>({ id, buildMessage: `Do ${id}`, session: "work", retry, ...config });
}

function optionsFor(agent: FakeCodingAgent, more: RunOptions = {}): RunOptions {
  return { runId: "r", services: { clients: () => agent }, ...more };
}

const twoNodes = graph(TestState).start(ask("a")).then(ask("b")).end().compile();

test("nodes that name a session continue one conversation", async () => {
  const agent = new FakeCodingAgent([{ content: "one" }, { content: "two" }]);
  const events: RunEvent[] = [];
  const { state } = await twoNodes.run({}, optionsFor(agent, { onEvent: (event) => events.push(event) }));
  expect(agent.calls).toEqual(["create s1", "send s1: Do a", "destroy s1", "resume s1", "send s1: Do b", "destroy s1"]);
  expect(state.outputs).toEqual({ a: "one", b: "two" });
  expect(state.agentSessions).toEqual({ work: { sessionId: "s1", agentType: "fake", runId: "r" } });
  expect(events.flatMap((event) => (event.type === "agent-session" ? [event.isResumed] : []))).toEqual([false, true]);
});

test("so do the visits of one node, in addition to its mapper's update", async () => {
  const agent = new FakeCodingAgent([{ content: "x" }, { content: "y" }]);
  const config = { outputMapper: ({ content }: { readonly content: string }) => ({ log: [content] }) };
  const compiled = graph(TestState).loop(ask("a", config), { maxIterations: 2 }).end().compile();
  const { state } = await compiled.run({}, optionsFor(agent));
  expect(state.log).toEqual(["x", "y"]);
  expect(agent.calls.filter((call) => !call.startsWith("destroy"))).toEqual([
    "create s1",
    "send s1: Do a",
    "resume s1",
    "send s1: Do a",
  ]);
});

test("a session stores what is needed to reopen it", async () => {
  const agent = new FakeCodingAgent([{}]);
  const config = { agentType: "fake", model: "large", sessionConfig: { workingDirectory: "/there" } };
  const { state } = await graph(TestState).start(ask("a", config)).end().compile().run({}, optionsFor(agent));
  expect(state.agentSessions?.work).toEqual({
    sessionId: "s1",
    agentType: "fake",
    requestedType: "fake",
    model: "large",
    workingDirectory: "/there",
    runId: "r",
  });
});

test("another process continues the conversation, too", async () => {
  const agent = new FakeCodingAgent([{}, {}]);
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState).start(ask("a")).wait({ id: "gate" }).then(ask("b")).end().compile();
  await compiled.run({}, optionsFor(agent, { checkpointer }));
  const { runId: _runId, ...options } = optionsFor(agent, { checkpointer });
  expect((await compiled.resume("r", { gate: "yes" }, options)).status).toBe("completed");
  expect(agent.calls.slice(3, 5)).toEqual(["resume s1", "send s1: Do b"]);
});

test("a run whose state is migrated keeps its conversations", async () => {
  const agent = new FakeCodingAgent([{}, {}]);
  const checkpointer = new MemorySaver();
  const compile = (stateVersion: number) =>
    graph(TestState)
      .start(ask("a"))
      .wait({ id: "gate" })
      .then(ask("b"))
      .end()
      .compile({ stateVersion, checkpointer, migrateState: () => ({ value: "new" }) });
  const options = { services: { clients: () => agent } };
  await compile(1).run({}, { runId: "r", ...options });
  expect((await compile(2).resume("r", { gate: "yes" }, options)).state.value).toBe("new");
  expect(agent.calls.slice(3, 5)).toEqual(["resume s1", "send s1: Do b"]);
});

test("a visit that failed resumes its session, and asks the agent to finish", async () => {
  const agent = new FakeCodingAgent([{}, { error: new AgentTurnError("fake", "overloaded") }, {}]);
  await twoNodes.run({}, optionsFor(agent));
  const interrupted = "Your work on the following was interrupted. Look at what is already done, then finish it.";
  expect(agent.calls.filter((call) => call.startsWith("send"))).toEqual([
    "send s1: Do a",
    "send s1: Do b",
    `send s1: ${interrupted}\n\nDo b`,
  ]);
});

test("a session that the vendor has lost is replaced by a new one, which is logged and kept", async () => {
  const agent = new FakeCodingAgent([{}, {}, {}]);
  const lose = node("lose", () => {
    agent.lost.add("s1");
    return;
  });
  const compiled = graph(TestState).start(ask("a")).then(lose).then(ask("b")).then(ask("c")).end().compile();
  const events: RunEvent[] = [];
  await compiled.run({}, optionsFor(agent, { onEvent: (event) => events.push(event) }));
  expect(agent.calls.filter((call) => !call.startsWith("destroy")).slice(2)).toEqual([
    "resume s1",
    "create s2",
    "send s2: Do b",
    "resume s2",
    "send s2: Do c",
  ]);
  expect(events.flatMap((event) => (event.type === "log" ? [event.message] : []))).toEqual([
    'The agent has lost the session "work"; starting a new one.',
  ]);
});

test("branches keep sessions under their own names, which continue after the join", async () => {
  const agent = new FakeCodingAgent([{}, {}, {}, {}]);
  const perItem = { session: (_state: TestState, { item }: { readonly item: unknown }) => `work on ${item}` };
  const again = ask("again", perItem);
  const compiled = graph(TestState)
    .map(() => ["x", "y"], ask("a", perItem), { concurrency: 1 })
    .map(() => ["y", "x"], again, { concurrency: 1 })
    .end()
    .compile();
  await compiled.run({}, optionsFor(agent));
  expect(agent.calls.filter((call) => call.startsWith("send"))).toEqual([
    "send s1: Do a",
    "send s2: Do a",
    "send s2: Do again",
    "send s1: Do again",
  ]);
});

test("a forked run has its own sessions", async () => {
  const agent = new FakeCodingAgent([{}, {}, {}]);
  const checkpointer = new MemorySaver();
  const options = optionsFor(agent, { checkpointer });
  await twoNodes.run({}, options);
  const at = (await twoNodes.history("r", { checkpointer })).find(({ nodeId }) => nodeId === "a")?.sequence ?? 0;
  const { state } = await twoNodes.fork("r", { at }, { ...options, runId: "other" });
  expect(agent.calls.slice(-3)).toEqual(["create s2", "send s2: Do b", "destroy s2"]);
  expect(state.agentSessions?.work).toEqual({ sessionId: "s2", agentType: "fake", runId: "other" });
});

test("an agent that cannot reopen sessions fails the node before it receives anything", async () => {
  const agent = new FakeCodingAgent([{}], { resume: false });
  const { error } = await twoNodes.run({}, optionsFor(agent));
  expect(error).toEqual(new CapabilityMissingError("fake", "resume", []));
  expect(agent.calls).toEqual([]);
});

test("a session stays with its agent", async () => {
  const agent = new FakeCodingAgent([{}]);
  const other = Object.assign(new FakeCodingAgent([]), { agentType: "other" });
  const compiled = graph(TestState)
    .start(ask("a"))
    .then(ask("b", { agentType: "other" }))
    .end()
    .compile();
  const clients = (type: string | undefined) => (type === "other" ? other : agent);
  const failed: string[] = [];
  const onEvent = (event: RunEvent): void => void (event.type === "node-error" && failed.push(event.nodeId));
  const { error } = await compiled.run({}, { services: { clients }, maxSteps: 2, onEvent });
  expect(error).toEqual(new SessionAgentMismatchError("b", "work", ["fake", "other"]));
  expect(error).toMatchObject({ isRetryable: false });
  expect(failed).toEqual(["b"]);
  expect(error?.message).toBe(
    'The session "work" belongs to the agent "fake", but the node "b" uses "other". Give all nodes of a session the same agentType, or use different session names.',
  );
  expect(other.calls).toEqual([]);
});

describe("a session that cannot be closed", () => {
  /** An agent whose sessions fail to close. */
  function clingingAgent(...turns: readonly FakeTurn[]): FakeCodingAgent {
    const agent = new FakeCodingAgent(turns);
    const create = agent.createSession.bind(agent);
    agent.createSession = async (config) =>
      Object.assign(await create(config), { destroy: () => Promise.reject(new Error("Connection lost.")) });
    return agent;
  }

  test("does not cost the answer, and is logged", async () => {
    const messages: string[] = [];
    const onEvent = (event: RunEvent): void => void (event.type === "log" && messages.push(event.message));
    const agent = clingingAgent({ content: "one" }, { content: "two" });
    const { state } = await twoNodes.run({}, optionsFor(agent, { onEvent }));
    expect(state.outputs).toEqual({ a: "one", b: "two" });
    expect(messages).toEqual(["The agent's session s1 could not be closed: Connection lost."]);
  });

  test("has a time limit", async () => {
    const messages: string[] = [];
    const emit = (event: NodeEmission): void => void (event.type === "log" && messages.push(event.message));
    const session = await new FakeCodingAgent([]).createSession({});
    const hanging = Object.assign(session, { destroy: () => new Promise<void>(() => undefined) });
    await closeSession(hanging, { emit }, { timeoutMs: 1 });
    expect(messages).toEqual([expect.stringContaining(`The agent's session ${session.id} could not be closed: `)]);
  });

  test("does not hide why the turn failed", async () => {
    const refused = new AgentTurnError("fake", "bad request", { isRetryable: false });
    const { error } = await twoNodes.run({}, optionsFor(clingingAgent({ error: refused })));
    expect(error).toBe(refused);
  });
});
