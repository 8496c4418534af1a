import { expect, test } from "bun:test";
import { createScriptedAgent } from "../../testkit/index.ts";
import { graph } from "../builder.ts";
import type { CompiledGraph } from "../compiled-graph.ts";
import type { GraphConfig } from "../model/graph-config.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { type SubgraphRef, subgraphNode } from "../nodes/flow/subgraph-node.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { BaseState } from "../state/annotation.ts";

/** The model of the innermost agent, in a graph within a graph. */
interface Chain {
  readonly agent?: { readonly model?: string; readonly agentType?: string };
  readonly innerNode?: string;
  readonly inner?: GraphConfig;
  readonly outerNode?: string;
  readonly middle?: GraphConfig;
  readonly outer?: GraphConfig;
  readonly run?: RunOptions;
}

function compileAround(
  id: string,
  subgraph: SubgraphRef,
  [model, config]: readonly [string | undefined, GraphConfig | undefined],
) {
  const node = subgraphNode({ id, subgraph, ...(model === undefined ? {} : { model }) });
  return graph().start(node).end().compile(config);
}

/** Runs the graphs and returns the model that the agent was called with. */
async function modelOf({ agent = {}, ...chain }: Chain, isByName = false): Promise<string | undefined> {
  const client = createScriptedAgent({ script: () => "" });
  const inner = graph()
    .start(agentNode<BaseState>({ id: "ask", buildMessage: "Go.", ...agent }))
    .end()
    .compile(chain.inner);
  const graphs: Record<string, CompiledGraph> = { inner };
  const middle = compileAround("in", isByName ? "inner" : inner, [chain.innerNode, chain.middle]);
  graphs.middle = middle;
  const outer = compileAround("out", isByName ? "middle" : middle, [chain.outerNode, chain.outer]);
  const services = { clients: () => client, workflows: (name: string) => graphs[name] ?? null };
  const { status } = await outer.run({}, { services, ...chain.run });
  expect(status).toBe("completed");
  return client.turns[0]?.config.model;
}

const RUN = { run: { defaultModel: "of the run" } };
const OUTER = { ...RUN, outer: { defaultModel: "of the outer graph" } };
const MIDDLE = { ...OUTER, middle: { defaultModel: "of the middle graph" } };
const INNER = { ...MIDDLE, inner: { defaultModel: "of the inner graph" } };
const OUTER_NODE = { ...INNER, outerNode: "of the outer subgraphNode" };
const INNER_NODE = { ...OUTER_NODE, innerNode: "of the inner subgraphNode" };
const OWN = { ...INNER_NODE, agent: { model: "its own" } };

const STEPS: readonly { readonly title: string; readonly chain: Chain; readonly expected: string | undefined }[] = [
  { title: "nobody names one", chain: {}, expected: undefined },
  { title: "only the graph of the run has one", chain: { outer: { defaultModel: "g" } }, expected: "g" },
  { title: "the run overrides its graph", chain: OUTER, expected: "of the run" },
  { title: "a graph within it has one", chain: MIDDLE, expected: "of the middle graph" },
  { title: "the graph of the node has one", chain: INNER, expected: "of the inner graph" },
  { title: "a subgraphNode further out has one", chain: OUTER_NODE, expected: "of the outer subgraphNode" },
  { title: "the subgraphNode around it has one", chain: INNER_NODE, expected: "of the inner subgraphNode" },
  { title: "the node has one", chain: OWN, expected: "its own" },
  {
    title: "the inner graph's is one of another agent",
    chain: { ...RUN, inner: { defaultModel: "gpt", defaultModelAgent: "copilot" }, agent: { agentType: "claude" } },
    expected: "of the run",
  },
];

test.each(STEPS)("the model of a node where $title", async ({ chain, expected }) => {
  expect(await modelOf(chain)).toBe(expected);
  expect(await modelOf(chain, true)).toBe(expected);
});

test("a plan shows the model of the node around a subgraph", async () => {
  const inner = graph()
    .start(agentNode({ id: "ask", buildMessage: "Go." }))
    .end()
    .compile({ defaultModel: "m" });
  const named = graph()
    .start(subgraphNode({ id: "sub", subgraph: inner }))
    .end()
    .compile();
  const overridden = graph()
    .start(subgraphNode({ id: "sub", subgraph: inner, model: "n" }))
    .end()
    .compile();
  const clients = () => createScriptedAgent({ script: () => "" });
  const models = await Promise.all(
    [named, overridden].map(async (compiled) => {
      const { steps } = await compiled.plan({}, { clients });
      return steps.flatMap((step) => ("model" in step ? [step.model] : []));
    }),
  );
  expect(models).toEqual([["m"], ["n"]]);
});
