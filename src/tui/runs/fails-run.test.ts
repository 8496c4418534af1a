import { expect, test } from "bun:test";
import type { GraphStep } from "../host/runs-port.ts";
import { failsRun } from "./fails-run.ts";

const step = (depth: number, nodeType: string, nodeId: string, strategy?: GraphStep["strategy"]): GraphStep => ({
  ...{ nodeId, name: nodeId, nodeType, depth },
  ...(strategy === undefined ? {} : { strategy }),
});

const STEPS: readonly GraphStep[] = [
  step(0, "agent", "handled"),
  step(0, "catch", ""),
  step(1, "tool", "handler"),
  step(0, "loop", "rounds"),
  step(1, "agent", "work"),
  step(0, "map", "all", "all"),
  step(1, "agent", "strict"),
  step(0, "map", "some", "settled"),
  step(1, "agent", "lenient"),
  step(0, "script", "script"),
  step(1, "agent", "call"),
  step(0, "agent", "last"),
];

test.each([
  ["handled", false],
  ["work", true],
  ["strict", true],
  ["lenient", false],
  ["call", false],
  ["last", true],
  ["unknown", false],
])("the failure of %s fails the run: %p", (nodeId, fails) => {
  expect(failsRun(STEPS, nodeId)).toBe(fails);
});
