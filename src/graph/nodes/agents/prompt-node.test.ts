import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { AgentTurnError } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { FakeCodingAgent, type FakeTurn } from "../../fixtures/fake-coding-agent.ts";
import { rejectionOf, TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition, PromptDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { commandNode } from "./command-node.ts";
import { skillNode } from "./skill-node.ts";

const skills = new NamedRegistry<PromptDefinition>([
  { name: "commit", prompt: "Commit: $ARGUMENTS" },
  { name: "pdf", prompt: "Read forms.md.", directory: "/skills/pdf", model: "inherit", tools: ["read"] },
]);
const commands = new NamedRegistry<PromptDefinition>([
  { name: "compare", prompt: "Compare $1 with $2." },
  { name: "review", prompt: "Review.", agent: "reviewer", model: "tiny", agentType: "copilot" },
  { name: "audit", prompt: "Audit.", agent: "reviewer", tools: ["read", "bash"] },
  { name: "offline", prompt: "Check.", agent: "reviewer", tools: ["*", "!WebFetch"] },
  { name: "git/push", prompt: "Push.", agent: "nobody" },
]);
const agents = new NamedRegistry<AgentDefinition>([
  { name: "reviewer", prompt: "You review.", model: "large", tools: ["read"], agentType: "claude" },
]);

const ALL_BUT_READ = { effect: "deny" as const, exceptTools: ["read"] };

/** Runs the node; says which agent was asked for, how its session was set up, and what it was asked. */
async function ask(node: NodeDefinition<TestState>, turns: readonly FakeTurn[] = [{ content: "done" }]) {
  const agent = new FakeCodingAgent(turns);
  let agentType: string | undefined;
  const clients = (wanted: string | undefined): FakeCodingAgent => {
    agentType = wanted;
    return agent;
  };
  const compiled = graph(TestState).start(node).end().compile();
  const state = await compiled.execute(
    { value: "a b" },
    { runId: "r", services: { clients, skills, commands, agents } },
  );
  const { title: _title, ...config } = agent.configs[0] ?? {};
  return { agentType, config, calls: agent.calls, outputs: state.outputs, log: state.log };
}

describe("a skill node", () => {
  test.each([
    { args: "all of it", sent: "Commit: all of it" },
    { args: ({ value }: Readonly<TestState>) => `${value}!`, sent: "Commit: a b!" },
    { args: undefined, sent: "Commit: [no arguments]" },
  ])("sends the skill's text to an agent: $sent", async ({ args, sent }) => {
    const node = skillNode<TestState>({ skill: "commit", ...(args === undefined ? {} : { args }) });
    expect(await ask(node)).toEqual({
      agentType: undefined,
      config: {},
      calls: ["create s1", `send s1: ${sent}`, "destroy s1"],
      outputs: { "skill-commit": "done" },
      log: [],
    });
  });

  test("says where the skill's files are, and keeps to its tools", async () => {
    const { config, calls } = await ask(skillNode<TestState>({ id: "fill", skill: "PDF", args: "form 7" }));
    expect({ config, sent: calls[1] }).toEqual({
      config: { permissions: { rules: [ALL_BUT_READ] } },
      sent: "send s1: The files of this skill are in: /skills/pdf\n\nRead forms.md.\n\nARGUMENTS: form 7",
    });
  });

  test("fails for an unknown skill, once", async () => {
    expect((await rejectionOf(ask(skillNode<TestState>({ skill: "comit" })))).message).toBe(
      'The node "skill-comit" needs the skill "comit", which does not exist. Did you mean "commit"? Known skills: commit, pdf.',
    );
  });

  test("resumes the agent's session after a failure, and asks again for the right shape", async () => {
    const node = skillNode<TestState, { readonly n: number }>({
      skill: "commit",
      args: "x",
      outputSchema: z.object({ n: z.number() }),
      outputMapper: ({ structured }) => ({ log: [`n = ${structured.n}`] }),
      retry: { backoffMs: 0 },
    });
    const { calls, log } = await ask(node, [
      { error: new AgentTurnError("fake", "overloaded") },
      { structured: { n: "one" } },
      { structured: { n: 1 } },
    ]);
    expect({ calls, log }).toEqual({
      calls: [
        "create s1",
        "send s1: Commit: x",
        "destroy s1",
        "resume s1",
        "send s1: Your work on the following was interrupted. Look at what is already done, then finish it.\n\nCommit: x",
        "send s1: Your answer does not have the required shape: n: Invalid input: expected number, received string. Answer again, in the required shape.",
        "destroy s1",
      ],
      log: ["n = 1"],
    });
  });
});

describe("a command node", () => {
  test("inserts its arguments into the command's text", async () => {
    const node = commandNode<TestState>({ command: "/compare", args: ({ value }) => value });
    expect(await ask(node)).toEqual({
      agentType: undefined,
      config: {},
      calls: ["create s1", "send s1: Compare a with b.", "destroy s1"],
      outputs: { "command-compare": "done" },
      log: [],
    });
  });

  test.each([
    {
      title: "the command's model and vendor, and its agent's role and tools",
      node: commandNode<TestState>({ command: "review" }),
      agentType: "copilot",
      config: { systemPrompt: "You review.", model: "tiny", permissions: { rules: [ALL_BUT_READ] } },
    },
    {
      title: "the command's tools instead of its agent's",
      node: commandNode<TestState>({ command: "audit" }),
      agentType: "claude",
      config: {
        systemPrompt: "You review.",
        model: "large",
        permissions: { rules: [{ effect: "deny", exceptTools: ["read", "bash"] }] },
      },
    },
    {
      title: "its agent's tools without those that the command takes off",
      node: commandNode<TestState>({ command: "offline" }),
      agentType: "claude",
      config: {
        systemPrompt: "You review.",
        model: "large",
        permissions: { rules: [{ effect: "deny", exceptTools: ["read", "!WebFetch"] }] },
      },
    },
    {
      title: "what the node says, before everything else",
      node: commandNode<TestState>({
        command: "git/push",
        agent: "reviewer",
        agentType: "opencode",
        model: "own",
        systemPrompt: "Be quick.",
        tools: ["*"],
        permissions: { rules: [], otherwise: "deny" },
      }),
      agentType: "opencode",
      config: { systemPrompt: "Be quick.", model: "own", permissions: { rules: [], otherwise: "deny" } },
    },
  ])("uses $title", async ({ node, agentType, config }) => {
    const asked = await ask(node);
    expect({ agentType: asked.agentType, config: asked.config }).toEqual({ agentType, config });
  });

  test("fails when its agent is unknown, and has an id without reserved characters", async () => {
    expect((await rejectionOf(ask(commandNode<TestState>({ command: "git/push" })))).message).toBe(
      'The node "command-git-push" needs the agent "nobody", which does not exist. Known agents: reviewer.',
    );
  });
});
