import { describe, expect, test } from "bun:test";
import { evaluatePermission } from "../../../clients/index.ts";
import type { RunEvent, SessionConfig, ToolDefinition } from "../../../contracts/index.ts";
import { createScriptedAgent } from "../../../testkit/index.ts";
import { graph } from "../../builder.ts";
import { given } from "../../errors/given.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition, PromptDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { subagentNode } from "../subagents/subagent-node.ts";
import { agentNode } from "./agent-node.ts";
import { skillNode } from "./skill-node.ts";

const WORK = { workingDirectory: "/work" };
const ALLOW_ALL: SessionConfig = { permissions: { rules: [], otherwise: "allow" } };

function tool(name: string, handler: ToolDefinition["handler"] = () => "unused"): ToolDefinition {
  return { name, description: name, inputSchema: { type: "object" }, handler };
}

/** A run whose agent calls the tool "lint", and what the tool and the agent received. */
async function callLint(asking: NodeDefinition<TestState>, sessionConfig = ALLOW_ALL) {
  const calls: unknown[] = [];
  const lint = tool("lint", (input, { agent }) => {
    calls.push({ agent, input });
    return "2 issues";
  });
  const agent = createScriptedAgent({
    script: async (_turn, { perform }) => {
      const outcome = await perform({ type: "call-tool", name: "lint", input: { path: "a.ts" } });
      return outcome.output;
    },
    evaluatePermission: (policy, request) => evaluatePermission(policy, request, WORK).effect,
  });
  const agents = new NamedRegistry<AgentDefinition>([{ name: "checker", prompt: "Check.", tools: ["Lint", "read"] }]);
  const services = { clients: () => agent, tools: new NamedRegistry([lint, tool("other")]), agents, sessionConfig };
  const { status, state, errorInfo } = await graph(TestState).start(asking).end().compile().run({}, { services });
  return { status, output: state.outputs.check, error: errorInfo?.message, calls };
}

const RETRY = { retry: { maxAttempts: 1 } };
const called = {
  status: "completed" as const,
  output: "2 issues",
  error: undefined,
  calls: [{ agent: "scripted", input: { path: "a.ts" } }],
};

describe("the run's own tools", () => {
  test.each([
    {
      title: "an agent node that names them",
      asking: agentNode<TestState>({ id: "check", buildMessage: "Check", tools: ["lint"], ...RETRY }),
    },
    {
      title: "an agent node whose definition names them, in any case",
      asking: agentNode<TestState>({ id: "check", prompt: "Check", agent: "checker", ...RETRY }),
    },
    {
      title: "a sub-agent whose definition names them",
      asking: subagentNode<TestState>({ id: "check", agentName: "checker", task: "Check", ...RETRY }),
    },
  ])("can be called by $title", async ({ asking }) => {
    expect(await callLint(asking)).toEqual(called);
  });

  test("are not called if the permissions deny it", async () => {
    const asking = agentNode<TestState>({ id: "check", buildMessage: "Check", tools: ["lint"], ...RETRY });
    const { calls, output } = await callLint(asking, { permissions: { rules: [], otherwise: "deny" } });
    expect([calls, output]).toEqual([[], "The policy of the session denies it."]);
  });

  test.each<{ tools: readonly string[] | undefined }>([{ tools: undefined }, { tools: ["*"] }, { tools: ["other"] }])(
    "are no tools of an agent that does not name them: $tools",
    async ({ tools }) => {
      const asking = agentNode<TestState>({ id: "check", buildMessage: "Check", ...given({ tools }), ...RETRY });
      const { calls, output } = await callLint(asking);
      const denial = 'Denied: "lint" is not among the tools that may be used here: "other".';
      const unknown = 'No tool named "lint". Known tools: none.';
      expect({ calls, output }).toEqual({ calls: [], output: tools?.[0] === "other" ? denial : unknown });
    },
  );

  test("give way to a tool of the same name in the node's own settings", async () => {
    const own = tool("lint", () => "the node's own");
    const sessionConfig = { tools: [own] };
    const asking = agentNode<TestState>({
      id: "check",
      buildMessage: "Check",
      tools: ["lint"],
      sessionConfig,
      ...RETRY,
    });
    expect(await callLint(asking)).toEqual({ ...called, output: "the node's own", calls: [] });
  });
});

describe("misspelled names in a list of tools", () => {
  const NAMES = ["raed", "Bsah(git:*)", "fromat", "lint", "problems", "github_raed", "raed"];
  const warningsOf = (node: string) =>
    [
      ["raed", "read"],
      ["Bsah", "Bash"],
      ["fromat", "format"],
    ].map(
      ([name, nearest]) =>
        `The tools of the node "${node}" include "${name}", which Atomic does not know. Did you mean "${nearest}"?`,
    );
  const agents = new NamedRegistry<AgentDefinition>([{ name: "checker", prompt: "Check.", tools: NAMES }]);
  const skills = new NamedRegistry<PromptDefinition>([{ name: "repair", prompt: "Repair.", tools: NAMES }]);
  const tools = new NamedRegistry([tool("lint"), tool("format")]);

  test.each([
    {
      title: "an agent node",
      asking: agentNode<TestState>({ id: "check", buildMessage: "Check", tools: NAMES, ...RETRY }),
    },
    {
      title: "an agent's definition",
      asking: agentNode<TestState>({ id: "check", prompt: "Check", agent: "checker", ...RETRY }),
    },
    { title: "a skill", asking: skillNode<TestState>({ id: "check", skill: "repair", ...RETRY }) },
    { title: "a sub-agent", asking: subagentNode<TestState>({ id: "check", agentName: "checker", task: "Check" }) },
  ])("of $title are warnings of the run, and of its plan", async ({ asking }) => {
    const agent = createScriptedAgent({ script: () => "done" });
    const workflow = graph(TestState).start(asking).end().compile();
    const heard: string[] = [];
    const onEvent = (event: RunEvent): void => void (event.type === "warning" && heard.push(event.message));
    const services = { agents, skills, tools };
    const { status, warnings } = await workflow.run({}, { services: { ...services, clients: () => agent }, onEvent });
    const plan = await workflow.plan({}, { clients: () => agent, services });
    expect({ status, warnings, heard, planned: plan.warnings }).toEqual({
      status: "completed",
      warnings: warningsOf("check"),
      heard: warningsOf("check"),
      planned: warningsOf("check"),
    });
  });

  test.each([
    { title: "an agent's definition", tools: ["*", "!bsh"], said: 'exclude "bsh"', meant: "bash" },
    {
      title: "a list that may include a tool of the run",
      tools: ["lint", "!lnt"],
      said: 'exclude "lnt"',
      meant: "lint",
    },
  ])("that exclude nothing end the node before its session: $title", async ({ tools, said, meant }) => {
    const agent = createScriptedAgent({ script: () => "done" });
    const asking = agentNode<TestState>({ id: "check", agent: "checker", prompt: "Check", ...RETRY });
    const services = {
      clients: () => agent,
      agents: new NamedRegistry<AgentDefinition>([{ name: "checker", prompt: "Check.", tools }]),
      tools: new NamedRegistry([tool("lint")]),
    };
    const workflow = graph(TestState).start(asking).end().compile();
    const { status, error } = await workflow.run({}, { services });
    expect({ status, error: error?.message, turns: agent.turns }).toEqual({
      status: "failed",
      error: `The tools of the node "check" ${said}, which Atomic does not know, so nothing is excluded. Did you mean "!${meant}"?`,
      turns: [],
    });
  });

  test("are none that tools of the session have", async () => {
    const agent = createScriptedAgent({ script: () => "done" });
    const sessionConfig = { tools: [tool("raed")] };
    const asking = agentNode<TestState>({ id: "check", buildMessage: "Check", tools: ["raed"], sessionConfig });
    const workflow = graph(TestState).start(asking).end().compile();
    expect((await workflow.run({}, { services: { clients: () => agent } })).warnings).toEqual([]);
  });
});
