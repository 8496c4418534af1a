import { expect, test } from "bun:test";
import fc from "fast-check";
import { graph } from "../builder.ts";
import type { CompiledGraph } from "../compiled-graph.ts";
import { World } from "../fixtures/crash-harness.ts";
import { buildPlan, plans } from "../fixtures/random-graph.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { parallelNode } from "../nodes/flow/parallel-node.ts";
import type { GraphEdge } from "./graph-edges.ts";

function linesOf({ edges }: { readonly edges: readonly GraphEdge[] }): readonly string[] {
  return edges.map(({ from, to, label }) => `${from} -> ${to}${label === undefined ? "" : ` (${label})`}`);
}

test("a graph lists its edges, its start node and its end nodes", () => {
  const compiled = graph(TestState)
    .start(node("plan"))
    .if(({ total }) => total > 1)
    .then(node("big"))
    .else()
    .then(node("small"))
    .endif()
    .parallel([node("search"), node("read")])
    .loop([node("draft"), node("review")], { until: ({ isDone }) => isDone, maxIterations: 3 })
    .map(({ log }) => log, node("each"))
    .then(
      decisionNode<TestState>({ id: "route", routes: [{ condition: () => true, target: "plan" }], fallback: "last" }),
    )
    .then(node("last"))
    .catch(node("report"))
    .end()
    .compile();
  const { startNode, endNodes } = compiled;
  expect({ startNode, endNodes: [...endNodes] }).toEqual({ startNode: "plan", endNodes: ["last", "report"] });
  expect(linesOf(compiled)).toEqual([
    "plan -> big (yes)",
    "plan -> small (no)",
    "big -> search (search)",
    "big -> read (read)",
    "small -> search (search)",
    "small -> read (read)",
    "search -> draft (again)",
    "search -> each (done, each)",
    "read -> draft (again)",
    "read -> each (done, each)",
    "draft -> review",
    "review -> draft (again)",
    "review -> each (done, each)",
    "each -> route",
    "route -> plan (route)",
    "route -> last (route)",
    ...["plan", "big", "small", "search", "read", "draft", "review", "each", "route", "last"].map(
      (id) => `${id} -> report (failure)`,
    ),
  ]);
});

test("the targets of a parallelNode are its branches", () => {
  const split = parallelNode<TestState>({ id: "split", branches: ["a", "b"] });
  const compiled = graph(TestState)
    .start([split, node("a"), node("b"), node("last")])
    .end()
    .compile();
  expect(linesOf(compiled)).toEqual(["split -> a (a)", "split -> b (b)", "a -> last", "b -> last"]);
  expect([...compiled.endNodes]).toEqual(["last"]);
});

test("an edge has no conditions from before a join or from before the paths of an if merge", () => {
  const maybe = (id: string) =>
    graph(TestState)
      .if(() => true)
      .then(node(id))
      .endif();
  const compiled = graph(TestState)
    .start(node("start"))
    .parallel([maybe("a"), maybe("b")], { names: ["left", "right"] })
    .if(() => true)
    .if(() => true)
    .then(node("c"))
    .endif()
    .endif()
    .if(() => true)
    .then(node("d"))
    .endif()
    .then(node("last"))
    .end()
    .compile();
  expect(linesOf(compiled).filter((line) => line.startsWith("start "))).toEqual([
    "start -> a (left, yes)",
    "start -> b (right, yes)",
    "start -> c (yes, yes)",
    "start -> d (yes)",
    "start -> last (no)",
  ]);
});

test("the edges of many blocks in a row are as many as the ways between their nodes", () => {
  const maybe = (id: string) =>
    graph(TestState)
      .if(() => true)
      .then(node(id))
      .endif();
  const count = 40;
  const chain = Array.from({ length: count }).reduce<ReturnType<typeof maybe>>(
    (before, _none, index) => before.parallel([maybe(`a${index}`), maybe(`b${index}`)], { names: ["a", "b"] }),
    graph(TestState).start(node("start")),
  );
  const { edges } = chain.then(node("last")).end().compile();
  const ways = new Set(edges.map(({ from, to }) => `${from} -> ${to}`));
  // From the start and from each node to both nodes of each later block, and to the last node.
  expect({ edges: edges.length, ways: ways.size }).toEqual({ edges: 3_281, ways: 3_281 });
});

/** The arrows of a picture from node to node, without the boxes in between and what only failures take. */
function arrowsOf(compiled: CompiledGraph<TestState>): ReadonlySet<string> {
  const ids = new Map([...compiled.code.program.pcOfNode].map(([id, pc]) => [`n${pc}`, id]));
  const ways = new Map<string, string[]>();
  for (const line of compiled.toMermaid().split("\n")) {
    const [, from, arrow = "", to] = /^ {2}(\w+) (-.*->) (\w+)$/.exec(line) ?? [];
    if (from === undefined || to === undefined || arrow.includes("failure")) continue;
    ways.set(from, [...(ways.get(from) ?? []), to]);
  }
  const arrows = new Set<string>();
  const follow = (from: string, box: string, passed: ReadonlySet<string>): void => {
    for (const to of ways.get(box) ?? []) {
      const id = to === "finish" ? "finish" : ids.get(to);
      if (id !== undefined) arrows.add(`${from} -> ${id}`);
      else if (!passed.has(to)) follow(from, to, new Set([...passed, to]));
    }
  };
  for (const [box, id] of ids) follow(id, box, new Set());
  return arrows;
}

test("the ways are those of the picture", async () => {
  await fc.assert(
    fc.property(plans, (plan) => {
      const compiled = buildPlan(plan, new World()).end().compile();
      const ways = new Set(
        compiled.edges.filter(({ label }) => !label?.startsWith("failure")).map(({ from, to }) => `${from} -> ${to}`),
      );
      for (const id of compiled.endNodes) ways.add(`${id} -> finish`);
      expect([...ways].sort()).toEqual([...arrowsOf(compiled)].sort());
    }),
    { numRuns: 50 },
  );
});
