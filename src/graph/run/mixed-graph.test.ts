import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../testkit/index.ts";
import { graph } from "../builder.ts";
import { NamedRegistry } from "../model/named-registry.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { subagentNode } from "../nodes/subagents/subagent-node.ts";
import { customToolNode } from "../nodes/tools/custom-tool-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState, Reducers, type StateOf } from "../state/annotation.ts";

const State = defineState({
  plan: annotation(""),
  issues: annotation<number[]>([], Reducers.concat),
  review: annotation(""),
});
type State = StateOf<typeof State>;

const workflow = graph(State)
  .start(agentNode<State>({ id: "plan", buildMessage: "Plan it", outputMapper: ({ content }) => ({ plan: content }) }))
  .then(
    customToolNode<State, { readonly path: string }, number>({
      id: "lint",
      toolName: "lint",
      args: ({ plan }) => ({ path: plan }),
      outputMapper: (count) => ({ issues: [count] }),
    }),
  )
  .then(
    subagentNode<State>({
      id: "review",
      agentName: "reviewer",
      task: ({ plan, issues }) => `Review ${plan}, which has ${issues.at(-1)} issues`,
      outputMapper: ({ output }) => ({ review: output }),
    }),
  )
  .then(
    decisionNode<State>({
      id: "decide",
      routes: [{ condition: ({ issues }) => issues.at(-1) !== 0, target: "lint" }],
      fallback: "report",
    }),
  )
  .then({
    id: "report",
    type: "tool",
    execute: ({ state }) => ({ stateUpdate: { plan: `${state.plan}: ${state.review}` } }),
  })
  .end()
  .compile();

test("an agent, a tool, a sub-agent and a decision work in one graph, on one state", async () => {
  const agent = createScriptedAgent({ script: ({ prompt }) => (prompt === "Plan it" ? "a.ts" : `Done: ${prompt}`) });
  const linted: unknown[] = [];
  const tools = new NamedRegistry([
    {
      name: "lint",
      description: "Count issues",
      inputSchema: { type: "object" },
      handler: (input: unknown) => 2 - linted.push(input),
    },
  ]);
  const agents = new NamedRegistry([{ name: "reviewer", prompt: "You review." }]);
  const path: string[] = [];
  const checkpointer = new MemorySaver();
  const services = { clients: () => agent, tools, agents };
  const { status, state } = await workflow.run(
    {},
    {
      runId: "r",
      checkpointer,
      services,
      onEvent: (event) => void (event.type === "node-end" && path.push(event.taskId)),
    },
  );
  expect({ status, plan: state.plan, issues: state.issues, path }).toEqual({
    status: "completed",
    plan: "a.ts: Done: Review a.ts, which has 0 issues",
    issues: [1, 0],
    path: ["plan", "lint", "review", "decide", "lint#2", "review#2", "decide#2", "report"],
  });
  expect(linted).toEqual([{ path: "a.ts" }, { path: "a.ts" }]);
  expect(agent.turns.map(({ config }) => config.systemPrompt)).toEqual([undefined, "You review.", "You review."]);
  expect((await workflow.history("r", { checkpointer })).length).toBeGreaterThan(path.length - 1);
});
