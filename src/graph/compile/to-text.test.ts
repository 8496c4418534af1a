import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type GraphBuilder, graph } from "../builder.ts";
import { World } from "../fixtures/crash-harness.ts";
import { buildPlan, plans } from "../fixtures/random-graph.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { agentNode } from "../nodes/agents/agent-node.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { parallelNode } from "../nodes/flow/parallel-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";

interface Case {
  readonly title: string;
  readonly build: () => GraphBuilder<TestState>;
  readonly outline: readonly string[];
}

const begun = () => graph(TestState);

describe("the outline of a graph shows", () => {
  test.each<Case>([
    {
      title: "both parts of an if, with blocks at their ends",
      build: () =>
        begun()
          .start(node("a"))
          .if(() => true)
          .then(node("b"))
          .loop(node("c"), { maxIterations: 2 })
          .else()
          .if(() => true, { id: "inner" })
          .then(node("d"))
          .endif()
          .endif()
          .if(() => true)
          .then(node("e"))
          .endif()
          .then(node("f")),
      outline: [
        "a: tool",
        "if if_1",
        "  b: tool",
        "  loop loop_1: 2 times",
        "    c: tool",
        "else",
        "  if inner",
        "    d: tool",
        "if if_2",
        "  e: tool",
        "f: tool",
      ],
    },
    {
      title: "the bounds of loops and maps, and what joins branches",
      build: () =>
        begun()
          .start(node("a"))
          .loop(node("b"), { until: () => true })
          .map(() => [], [node("c"), node("d")], { concurrency: 3, strategy: "settled" })
          .map(() => [], node("e"), { strategy: "any" })
          .parallel([node("f"), [node("g"), node("h")]], { strategy: "race", names: ["one", "two"] }),
      outline: [
        "a: tool",
        "loop loop_1: until its condition holds, at most 1000 times, then it fails",
        "  b: tool",
        "map map_1: for each item of a list, 3 at a time, all end, well or not",
        "  c: tool",
        "  d: tool",
        "map map_2: for each item of a list, the first to succeed decides",
        "  e: tool",
        "parallel parallel_1: the first to end decides",
        "  branch one",
        "    f: tool",
        "  branch two",
        "    g: tool",
        "    h: tool",
      ],
    },
    {
      title: "handlers after the steps they cover, in a branch too",
      build: () =>
        begun()
          .start(node("a"))
          .if(() => true)
          .then(node("b"))
          .catch(node("c"))
          .endif()
          .catch(() => undefined)
          .then(node("d")),
      outline: [
        "a: tool",
        "if if_1",
        "  b: tool",
        "  catch: when something above fails",
        "    c: tool",
        "catch: when something above fails",
        "  catch_1: tool",
        "d: tool",
      ],
    },
    {
      title: "what is known of nodes, and routes",
      build: () =>
        begun()
          .start(agentNode({ id: "plan", name: "Plan it", buildMessage: "Plan.", model: "small", timeout: 90_000 }))
          .then(node("quick", undefined, { timeoutMs: 1_500, retry: { maxAttempts: 2 } }))
          .then(decisionNode({ id: "go", routes: [{ condition: () => true, target: "gate" }], fallback: "both" }))
          .then(parallelNode<TestState>({ id: "both", branches: [node("left"), node("right")], strategy: "any" }))
          .wait({ id: "gate" }),
      outline: [
        "plan (Plan it): agent, model small, 3 attempts, at most 90 s",
        "quick: tool, 2 attempts, at most 1500 ms",
        "go: decision, to gate or both",
        "both: parallel, the first to succeed decides, to left and right",
        "  left: tool",
        "  right: tool",
        "gate: wait",
      ],
    },
    {
      title: "graphs within it once, and workflows by name",
      build: () => {
        const inner = begun().start(node("x")).wait({ id: "ask" }).end().compile();
        const outer = begun()
          .start(subgraphNode<TestState, TestState>({ id: "deep", subgraph: inner }))
          .end()
          .compile();
        return begun()
          .start(subgraphNode<TestState, TestState>({ id: "first", subgraph: outer }))
          .then(subgraphNode<TestState, TestState>({ id: "again", subgraph: inner }))
          .then(subgraphNode<TestState, TestState>({ id: "named", subgraph: "research" }))
          .then(
            subgraphNode<TestState, TestState>({
              id: "foreign",
              subgraph: { execute: (input) => inner.execute(input) },
            }),
          );
      },
      outline: [
        "first: subgraph",
        "  deep: subgraph",
        "    x: tool",
        "    ask: wait",
        'again: subgraph, as under "deep"',
        'named: subgraph, the workflow "research"',
        "foreign: subgraph",
      ],
    },
    {
      title: "names that hold control characters and line breaks as one line",
      build: () => begun().start(node("a", undefined, { name: "x\n\u001b[31my\u202e" })),
      outline: ["a (x [31my ): tool"],
    },
  ])("$title", ({ build, outline }) => {
    expect(build().end().compile().toText()).toBe(`${outline.join("\n")}\n`);
  });
});

test("the outline of any graph has each of its nodes, once", () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const compiled = buildPlan(plan, new World()).end().compile();
      const lines = compiled.toText().split("\n");
      for (const id of compiled.code.program.pcOfNode.keys()) {
        expect(lines.filter((line) => line.trimStart().startsWith(`${id}: `))).toHaveLength(1);
      }
    }),
  );
});

test("the steps of a graph are the lines of its text as data", () => {
  const built = begun()
    .start(node("a"))
    .loop(agentNode({ id: "b", name: "Write it", model: "small", buildMessage: () => "" }), { maxIterations: 2 });
  expect(built.end().compile().steps).toEqual([
    { id: "a", type: "tool", isBlock: false, depth: 0, facts: [] },
    { id: "loop_1", type: "loop", isBlock: true, depth: 0, facts: ["2 times"] },
    {
      ...{ id: "b", type: "agent", name: "Write it", isBlock: false, depth: 1 },
      ...{ model: "small", facts: ["model small", "3 attempts"] },
    },
  ]);
});
