import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../contracts/index.ts";
import { graph } from "../../builder.ts";
import { logs, node, TestState } from "../../fixtures/test-nodes.ts";
import type { WorkflowResolver } from "../../model/execution-context.ts";
import { MemorySaver } from "../../savers/memory-saver.ts";
import { waitNode } from "../people/wait-node.ts";
import { type SubgraphNodeConfig, subgraphNode } from "./subgraph-node.ts";

/** Finds a workflow whose steps have the names that it is configured with, and notes what it was asked for. */
function findSteps(asked: unknown[] = []): WorkflowResolver {
  return (name, { config } = {}) => {
    asked.push([name, config]);
    const step = String(config?.step ?? "default");
    return graph(TestState)
      .start(node(step))
      .then(waitNode<TestState>({ id: `${step}-gate` }))
      .then(node(`${step}-end`))
      .end()
      .compile();
  };
}

function build(config: NonNullable<SubgraphNodeConfig<TestState, TestState>["config"]>) {
  const sub = subgraphNode<TestState, TestState>({
    id: "sub",
    subgraph: "steps",
    config,
    inputMapper: () => ({}),
    outputMapper: ({ log }) => ({ log }),
  });
  return graph(TestState).start(sub).end();
}

describe("the config of a subgraph", () => {
  test.each([
    { how: "from the journal", options: {} },
    { how: "from a snapshot", options: { snapshotMinLength: 0 } },
  ])("is what the workflow is built with, also when the run is resumed, $how", async ({ options }) => {
    const checkpointer = new MemorySaver();
    const settings = { checkpointer, ...options };
    const first = build((state) => ({ step: state.value })).compile(settings);
    const begun = await first.run({ value: "own" }, { runId: "r", services: { workflows: findSteps() } });
    expect(begun.requests.map(({ id }) => id)).toEqual(["sub/own-gate"]);

    const asked: unknown[] = [];
    const changed = build({ step: "changed" }).compile(settings);
    const services = { workflows: findSteps(asked) };
    const { status, state } = await changed.resume("r", { "sub/own-gate": "yes" }, { services });
    expect({ status, log: state.log }).toEqual({ status: "completed", log: ["own", "own-end"] });
    expect(asked).toEqual([["steps", { step: "own" }]]);
  });

  test("belongs to each node, even if several run the same workflow", async () => {
    const checkpointer = new MemorySaver();
    const sub = (step: string) =>
      subgraphNode<TestState, TestState>({
        id: step,
        subgraph: "steps",
        config: { step: `${step}-own` },
        inputMapper: () => ({}),
        outputMapper: ({ log }) => ({ log }),
      });
    const compiled = graph(TestState)
      .parallel([sub("a"), sub("b")])
      .end()
      .compile({ checkpointer });
    const services = { workflows: findSteps() };
    const begun = await compiled.run({}, { runId: "r", services });
    const answers = Object.fromEntries(begun.requests.map(({ id }) => [id, "yes"]));
    expect(Object.keys(answers)).toEqual(["parallel_1[a]/a/a-own-gate", "parallel_1[b]/b/b-own-gate"]);
    const { state } = await compiled.resume("r", answers, { services });
    expect(state.log).toEqual(["a-own", "a-own-end", "b-own", "b-own-end"]);
  });

  test("drops undefined fields", async () => {
    const asked: unknown[] = [];
    // The cast is a lie: workflow files are not type-checked.
    const config = { step: "own", model: undefined } as unknown as JsonObject;
    for (const given of [config, () => config]) {
      await build(given)
        .compile({ checkpointer: new MemorySaver() })
        .run({}, { services: { workflows: findSteps(asked) } });
    }
    expect(asked).toStrictEqual([
      ["steps", { step: "own" }],
      ["steps", { step: "own" }],
    ]);
  });

  test.each([
    { config: { since: new Date(0) } },
    { config: { step: { name: undefined } } },
    { config: ["a"] },
    { config: "a" },
  ])("that is not JSON is a problem of the graph, or fails the node: $config", async ({ config }) => {
    // The cast is a lie: workflow files are not type-checked.
    const wrong = config as unknown as JsonObject;
    const compile = () => build(wrong).compile();
    expect(compile).toThrow(/"sub" .*an object of JSON values or a function/);
    const services = { workflows: findSteps() };
    const { errorInfo } = await build(() => wrong)
      .compile()
      .run({}, { services });
    expect(errorInfo).toMatchObject({
      code: "GRAPH_SUBGRAPH_CONFIG",
      message:
        'The config of "sub" is not a JSON object, and the journal has to store it for a resume. Use strings, numbers, booleans, null, and arrays and objects of them.',
    });
  });

  test("is a problem if the node contains its graph", () => {
    const inner = graph(TestState)
      .start(node("a", () => logs("a")))
      .end()
      .compile();
    const sub = subgraphNode<TestState, TestState>({ id: "sub", subgraph: inner, config: { step: "x" } });
    expect(() => graph(TestState).start(sub).end().compile()).toThrow(
      '"sub" has a config, which only a workflow given by name can use; name one as its subgraph',
    );
  });
});
