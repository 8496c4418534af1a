import { expect, test } from "bun:test";
import { graph, subgraphNode, toolNode } from "../../graph/index.ts";
import { findSubgraphCycle, subgraphCalls } from "./subgraph-calls.ts";

test("calls are found in branches, loops and inner graphs, each graph once", () => {
  const inner = graph()
    .start(subgraphNode({ id: "deep", subgraph: "d" }))
    .end()
    .compile();
  const outer = graph()
    .start(toolNode({ id: "first", execute: () => 1 }))
    .if(() => true)
    .then(subgraphNode({ id: "in-if", subgraph: "a" }))
    .endif()
    .loop(subgraphNode({ id: "in-loop", subgraph: "b" }), { maxIterations: 2 })
    .parallel([subgraphNode({ id: "side", subgraph: "c" }), subgraphNode({ id: "by-value", subgraph: inner })])
    .then(subgraphNode({ id: "by-value-again", subgraph: inner }))
    .end()
    .compile();
  expect(subgraphCalls(outer)).toEqual([
    { nodeId: "in-if", workflow: "a" },
    { nodeId: "in-loop", workflow: "b" },
    { nodeId: "side", workflow: "c" },
    { nodeId: "deep", workflow: "d" },
  ]);
});

const CALLS: Readonly<Record<string, readonly string[]>> = {
  a: ["b", "leaf"],
  b: ["c", "e"],
  c: ["d"],
  d: ["a"],
  e: ["a"],
  leaf: [],
  self: ["self"],
  // It leads into a cycle that it is no part of.
  outside: ["a"],
};

test.each([
  { start: "a", cycle: ["a", "b", "e", "a"] },
  { start: "self", cycle: ["self", "self"] },
  { start: "outside", cycle: undefined },
  { start: "leaf", cycle: undefined },
])("the shortest cycle through $start", ({ start, cycle }) => {
  const called = (name: string) => ({ key: name, name });
  expect(findSubgraphCycle(called(start), (key) => (CALLS[key] ?? []).map(called))).toEqual(cycle);
});

test("a workflow that runs itself with another config is a cycle", () => {
  const again = { key: "a with a config", name: "a" };
  expect(findSubgraphCycle({ key: "a", name: "a" }, (key) => (key === "a" ? [again] : []))).toEqual(["a", "a"]);
});
