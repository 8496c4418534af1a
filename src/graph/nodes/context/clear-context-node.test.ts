import { describe, expect, test } from "bun:test";
import { CapabilityMissingError, type Session } from "../../../contracts/index.ts";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { MissingServiceError } from "../../errors/errors.ts";
import { fill, messagesIn, runWithAgent, windowsIn } from "../../fixtures/context-bench.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { ClearContextNodeConfig } from "./clear-context.ts";
import { clearContextNode } from "./clear-context-node.ts";

function clear(config: Partial<ClearContextNodeConfig<TestState>> = {}) {
  return clearContextNode<TestState>({ session: "work", ...config });
}

const COMPACTED = "The agent compacted its conversation.";

describe("clearing a context", () => {
  test("has the agent summarize if it can", async () => {
    const { agent, events, sessions, state } = await runWithAgent([fill("a", 0.5), clear(), fill("b", 0.1)]);
    expect(sessions).toEqual(["s1", "s1"]);
    expect(messagesIn(events)).toEqual([COMPACTED]);
    expect(windowsIn(events, "clear-context")).toEqual([
      { nodeId: "clear-context", session: "work", fraction: 0.5, action: "summarize" },
    ]);
    const session = await agent.resumeSession(state.agentSessions?.work?.sessionId ?? "");
    expect((await session.getContextUsage()).usedTokens).toBe(150);
  });

  test("reports no usage if the agent cannot report it", async () => {
    const { events } = await runWithAgent([fill("a", 0.5), clear()], { contextUsage: false });
    expect(windowsIn(events, "clear-context")).toEqual([
      { nodeId: "clear-context", session: "work", action: "summarize" },
    ]);
  });

  test.each([
    { title: "by choice", action: "recreate" as const, capabilities: {} },
    { title: "if the agent cannot summarize", action: undefined, capabilities: { summarize: false } },
  ])("makes the next node start a new session $title", async ({ action, capabilities }) => {
    const node = clear(action === undefined ? {} : { action });
    const { events, sessions, state } = await runWithAgent([fill("a", 0.5), node, fill("b", 0)], capabilities);
    expect(sessions).toEqual(["s1", "s2"]);
    expect(windowsIn(events, "clear-context")).toEqual([
      { nodeId: "clear-context", session: "work", action: "recreate" },
    ]);
    expect(state.agentSessions?.work?.sessionId).toBe("s2");
  });

  test("only warns if `action` is warn", async () => {
    const { events, sessions } = await runWithAgent([fill("a", 0.5), clear({ action: "warn" }), fill("b", 0)]);
    expect(sessions).toEqual(["s1", "s1"]);
    expect(messagesIn(events)).toEqual([]);
    expect(windowsIn(events, "clear-context")).toEqual([{ nodeId: "clear-context", session: "work", action: "warn" }]);
  });

  test("fails if it needs a summary and the agent makes none", async () => {
    const { error } = await runWithAgent([fill("a", 0), clear({ action: "summarize" })], { summarize: false });
    expect(error).toEqual(new CapabilityMissingError("scripted", "summarize", []));
  });

  test("does nothing before the session exists", async () => {
    const { status, events } = await runWithAgent([clear({ session: () => "other" }), fill("a", 0)]);
    expect({ status, windows: windowsIn(events, "clear-context") }).toEqual({ status: "completed", windows: [] });
  });

  test("fails without clients", async () => {
    const { compiled } = await runWithAgent([fill("a", 0), clear({ action: "warn" })]);
    const at = (await compiled.history("r")).find(({ nodeId }) => nodeId === "a")?.sequence ?? 0;
    const sessions = { work: { sessionId: "s1", agentType: "scripted", runId: "other" } };
    const { error } = await compiled.fork(
      "r",
      { at, update: { agentSessions: sessions } },
      { runId: "other", services: {} },
    );
    expect(error).toEqual(new MissingServiceError("clients", "clear-context"));
  });

  test("forgets a session that the vendor has lost", async () => {
    const { compiled, state } = await runWithAgent([fill("a", 0), clear({ action: "warn" }), clear({ id: "clear" })]);
    const at = (await compiled.history("r")).find(({ nodeId }) => nodeId === "clear-context")?.sequence ?? 0;
    const work = { sessionId: "gone", agentType: "scripted", runId: "other" };
    const services = { clients: () => createScriptedAgent() };
    const forked = await compiled.fork("r", { at, update: { agentSessions: { work } } }, { runId: "other", services });
    expect(forked.status).toBe("completed");
    expect([state.agentSessions?.work?.sessionId, forked.state.agentSessions]).toEqual(["s1", { work: null }]);
  });

  test("ends with the run, although the agent's summary is still in progress", async () => {
    const agent = createScriptedAgent();
    const stop = new AbortController();
    const aborted: string[] = [];
    /** A session that never ends its summary by itself. */
    const endless = (session: Session): Session => ({
      id: session.id,
      send: (message, options) => session.send(message, options),
      stream: (message, options) => session.stream(message, options),
      getContextUsage: () => session.getContextUsage(),
      getSystemToolsTokens: () => session.getSystemToolsTokens(),
      steer: (message) => session.steer(message),
      getMcpStatus: () => session.getMcpStatus(),
      destroy: () => session.destroy(),
      abort: async () => void aborted.push(session.id),
      summarize() {
        stop.abort(new Error("enough"));
        return new Promise(() => {});
      },
    });
    const resume = agent.resumeSession.bind(agent);
    agent.resumeSession = async (...args) => endless(await resume(...args));
    const compiled = graph(TestState).start(fill("a", 0)).then(clear()).end().compile();
    const { status, state } = await compiled.run({}, { signal: stop.signal, services: { clients: () => agent } });
    expect(status).toBe("cancelled");
    expect(aborted).toEqual([state.agentSessions?.work?.sessionId ?? "none"]);
  });

  test("ends with the run, although the agent is still opening its session", async () => {
    const agent = createScriptedAgent();
    const stop = new AbortController();
    agent.resumeSession = () => {
      stop.abort(new Error("enough"));
      return new Promise(() => undefined);
    };
    const compiled = graph(TestState).start(fill("a", 0)).then(clear()).end().compile();
    const { status } = await compiled.run({}, { signal: stop.signal, services: { clients: () => agent } });
    expect(status).toBe("cancelled");
  });

  test("succeeds even if the session cannot be closed", async () => {
    const agent = createScriptedAgent({ createSessionId: () => "s1" });
    const resume = agent.resumeSession.bind(agent);
    agent.resumeSession = async (...args) =>
      Object.assign(await resume(...args), { destroy: () => Promise.reject(new Error("Connection lost.")) });
    const { status, events } = await runWithAgent(
      [fill("a", 0.5), clear()],
      {},
      { services: { clients: () => agent } },
    );
    expect(status).toBe("completed");
    expect(messagesIn(events)).toEqual([COMPACTED, "The agent's session s1 could not be closed: Connection lost."]);
  });
});
