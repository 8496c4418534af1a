import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../../../clients/index.ts";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { FakeCodingAgent } from "../../fixtures/fake-coding-agent.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import { messageOf, textOf } from "../../fixtures/wrong-graphs.ts";
import type { AgentDefinition, PromptDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { RunOptions } from "../../run/run-options.ts";
import { subagentNode } from "../subagents/subagent-node.ts";
import { agentNode } from "./agent-node.ts";
import { skillNode } from "./skill-node.ts";

describe("an agent node whose agent has a name", () => {
  const reviewer: AgentDefinition = {
    name: "reviewer",
    prompt: "You review.",
    model: "large",
    tools: ["read", "grep"],
    agentType: "claude",
  };
  const REFUSED = { effect: "deny" as const, exceptTools: ["read", "grep"] };
  const agents = new NamedRegistry<AgentDefinition>([reviewer, { name: "blank", prompt: "", model: "inherit" }]);

  /** Runs the node; says which agent was asked for, how its session was set up, and what it was asked. */
  async function setUp(node: ReturnType<typeof agentNode<TestState>>, services: RunOptions["services"] = {}) {
    const agent = new FakeCodingAgent([{ content: "done" }]);
    let agentType: string | undefined;
    const clients = (wanted: string | undefined): FakeCodingAgent => {
      agentType = wanted;
      return agent;
    };
    const compiled = graph(TestState).start(node).end().compile({ defaultModel: "small" });
    const { state } = await compiled.run({ value: "x" }, { runId: "r", services: { clients, agents, ...services } });
    return { agentType, config: agent.configs[0], sent: agent.calls[1], outputs: state.outputs };
  }

  test("uses its system prompt, model, tools and vendor", async () => {
    expect(await setUp(agentNode<TestState>({ agent: "reviewer", prompt: ({ value }) => `Review ${value}` }))).toEqual({
      agentType: "claude",
      config: {
        title: "agent-reviewer (r)",
        systemPrompt: "You review.",
        model: "large",
        permissions: { rules: [REFUSED] },
      },
      sent: "send s1: Review x",
      outputs: { "agent-reviewer": "done" },
    });
  });

  test("prefers the node's own settings", async () => {
    const own = agentNode<TestState>({
      id: "review",
      agent: "reviewer",
      buildMessage: "Look",
      systemPrompt: "Be kind.",
      model: "tiny",
      tools: ["*"],
      agentType: "copilot",
    });
    expect(await setUp(own)).toEqual({
      agentType: "copilot",
      config: { title: "review (r)", systemPrompt: "Be kind.", model: "tiny" },
      sent: "send s1: Look",
      outputs: { review: "done" },
    });
  });

  test("has its message from buildMessage or from prompt, not from both", () => {
    const node = agentNode<TestState>({ agent: "reviewer", prompt: "Review it.", buildMessage: "Look at it." });
    expect(messageOf(() => graph(TestState).start(node).end().compile())).toBe(
      textOf(['"agent-reviewer" has both buildMessage and prompt; give it one of them']),
    );
  });

  test("cannot call with its own tools what the definition excludes, also as a sub-agent or for a skill", async () => {
    const careful: AgentDefinition = { name: "careful", prompt: "You review.", tools: ["*", "!Bash"] };
    const services = {
      agents: new NamedRegistry([careful]),
      skills: new NamedRegistry<PromptDefinition>([{ name: "fix", prompt: "Fix it.", tools: ["*", "!WebFetch"] }]),
    };
    const nodes = [
      { node: agentNode<TestState>({ agent: "careful", tools: ["bash"] }), exceptTools: ["bash", "!Bash"] },
      {
        node: subagentNode<TestState>({ id: "n", agentName: "careful", task: "Look.", tools: ["bash"] }),
        exceptTools: ["bash", "!Bash"],
      },
      { node: skillNode<TestState>({ skill: "fix", tools: ["webfetch"] }), exceptTools: ["webfetch", "!WebFetch"] },
    ];
    for (const { node, exceptTools } of nodes) {
      expect((await setUp(node, services)).config?.permissions).toEqual({ rules: [{ effect: "deny", exceptTools }] });
    }
  });

  test.each([
    { title: "the definition and the run", own: {}, expected: { systemPrompt: "Be brief.", model: "medium" } },
    {
      title: "them, but not the node's other settings",
      own: { systemPrompt: "Be kind.", model: "tiny" },
      expected: { systemPrompt: "Be kind.", model: "tiny" },
    },
  ])("lets the node's sessionConfig override $title", async ({ own, expected }) => {
    const sessionConfig = { systemPrompt: "Be brief.", model: "medium" };
    for (const agent of ["reviewer", "blank"]) {
      const { config } = await setUp(agentNode<TestState>({ agent, tools: ["*"], sessionConfig, ...own }));
      expect(config).toEqual({ title: `agent-${agent} (r)`, ...expected });
    }
  });

  test("limits the run's permissions to its tools", async () => {
    const permissions = { rules: [{ effect: "allow" as const }], otherwise: "deny" as const };
    const { config } = await setUp(agentNode<TestState>({ agent: "reviewer" }), { sessionConfig: { permissions } });
    expect(config?.permissions).toEqual({ rules: [{ effect: "allow" }, REFUSED], otherwise: "deny" });
  });

  test("uses the run's settings if its definition has none", async () => {
    const { agentType, config, sent } = await setUp(agentNode<TestState>({ agent: "blank" }));
    expect({ agentType, config, sent }).toEqual({
      agentType: undefined,
      config: { title: "agent-blank (r)", model: "small" },
      sent: "send s1: Do what your instructions say.",
    });
  });

  test("fails once, with the known names, when the agent is unknown", async () => {
    const agent = new FakeCodingAgent([]);
    const events: string[] = [];
    const compiled = graph(TestState)
      .start(agentNode<TestState>({ agent: "reviwer" }))
      .end()
      .compile();
    const { errorInfo } = await compiled.run(
      {},
      {
        services: { clients: () => agent, agents },
        onEvent: ({ type }) => events.push(type),
      },
    );
    expect(errorInfo).toEqual({
      code: "NAME_UNKNOWN",
      message:
        'The node "agent-reviwer" needs the agent "reviwer", which does not exist. Did you mean "reviewer"? Known agents: reviewer, blank.',
      nodeId: "agent-reviwer",
    });
    expect(events.filter((type) => type === "node-error")).toHaveLength(1);
    expect(agent.calls).toEqual([]);
  });

  test("a tool of the run may be named: the agent that offers it can call it, and nothing else", async () => {
    const lint = { name: "lint", description: "Lint", inputSchema: { type: "object" }, handler: () => "clean" };
    const agent = createScriptedAgent({
      evaluatePermission: (policy, request) =>
        evaluatePermission(policy ?? { rules: [] }, request, { workingDirectory: "/work" }).effect,
      script: async (_turn, { perform }) => {
        const linted = await perform({ type: "call-tool", name: "lint", input: {} });
        const ran = await perform({ type: "run-command", command: "true" });
        return `${linted.output}, ${ran.isDenied ? "denied" : "ran"}`;
      },
    });
    agent.registerTool(lint);
    const ask = agentNode<TestState>({ id: "ask", buildMessage: "Lint it", tools: ["lint"] });
    const services = { clients: () => agent, tools: new NamedRegistry([lint]) };
    const permissions = { rules: [], otherwise: "allow" as const };
    const compiled = graph(TestState).start(ask).end().compile();
    const { state } = await compiled.run({}, { services: { ...services, sessionConfig: { permissions } } });
    expect(state.outputs).toEqual({ ask: "clean, denied" });
  });
});
