import { expect, test } from "bun:test";
import { nearestName } from "./nearest-name.ts";

const NODES = ["agentNode", "askUserNode", "graph", "annotation", "shellNode"];

test.each([
  { name: "grpah", candidates: NODES, expected: "graph" },
  { name: "anotation", candidates: NODES, expected: "annotation" },
  { name: "AgentNodes", candidates: NODES, expected: "agentNode" },
  { name: "GRAPH", candidates: NODES, expected: "graph" },
  { name: "zzz", candidates: NODES, expected: undefined },
  { name: "a", candidates: ["b"], expected: undefined },
  { name: "ab", candidates: ["ac", "ad"], expected: "ac" },
  { name: "", candidates: NODES, expected: undefined },
  { name: "graph", candidates: [], expected: undefined },
  { name: "alias", candidates: ["name", "aliases"], expected: "aliases" },
])('"$name" is nearest to $expected', ({ name, candidates, expected }) => {
  expect(nearestName(name, candidates)).toBe(expected);
});

test("a limit rules out candidates that are further away", () => {
  expect([1, 2].map((maxDistance) => nearestName("anotaton", NODES, { maxDistance }))).toEqual([
    undefined,
    "annotation",
  ]);
});
