import { expect, test } from "bun:test";
import type { GraphStep } from "../host/runs-port.ts";
import { nodeStart } from "./fixtures/run-events.ts";
import { EMPTY_RUN, type RunModel, reduceRun } from "./run-model.ts";
import { createStepTree, type StepNode } from "./step-tree.ts";

const step = (depth: number, nodeType: string, nodeId: string, name = nodeId): GraphStep => ({
  ...{ nodeId, name, nodeType, depth },
});

/** A line for each step: its name, and its visits. */
function outline(nodes: readonly StepNode[], depth = 0): readonly string[] {
  return nodes.flatMap(({ name, visits, children }) => [
    [`${"  ".repeat(depth)}${name}`, ...visits.map(({ taskId }) => taskId)].join(" "),
    ...outline(children, depth + 1),
  ]);
}

function visits(...taskIds: readonly string[]): RunModel {
  return reduceRun(
    EMPTY_RUN,
    taskIds.map((taskId) => nodeStart(taskId)),
  );
}

const STEPS: readonly GraphStep[] = [
  step(0, "tool", "read", "Read the goal"),
  step(0, "if", "needs-plan"),
  step(1, "agent", "plan", "Plan"),
  step(0, "else", ""),
  step(1, "tool", "skip"),
  step(0, "loop", "loop_1"),
  step(1, "map", "workers"),
  step(2, "agent", "work", "Work"),
  step(2, "catch", ""),
  step(3, "tool", "note"),
  step(0, "parallel", "parallel_1"),
  step(1, "branch", "bugs"),
  step(2, "subgraph", "review"),
  step(3, "agent", "work", "Find bugs"),
];

test("conditions and branches are left out, and handlers of failures until they run", () => {
  expect(outline(createStepTree(STEPS, []))).toEqual([
    "Read the goal",
    "Plan",
    "skip",
    "Repeat",
    "  workers",
    "    Work",
    "Side by side",
    "  review",
    "    Find bugs",
  ]);
});

test("a visit belongs to the step on its path, however often it repeats", () => {
  const { visits: seen } = visits(
    ...["read", "workers[0]/work", "workers[1]/work#2", "workers#2[0]/note", "parallel_1[bugs]/review/work"],
  );
  expect(outline(createStepTree(STEPS, seen.values()))).toEqual([
    "Read the goal read",
    "Plan",
    "skip",
    "Repeat",
    "  workers",
    "    Work workers[0]/work workers[1]/work#2",
    "    note workers#2[0]/note",
    "Side by side",
    "  review",
    "    Find bugs parallel_1[bugs]/review/work",
  ]);
});

test("without a graph, the steps are those that were visited", () => {
  const { visits: seen } = visits("read", "workers[0]/work", "workers[1]/work", "fork[a]/inner/deep", "read#2");
  expect(outline(createStepTree([], seen.values()))).toEqual([
    "read read read#2",
    "workers",
    "  work workers[0]/work workers[1]/work",
    "fork",
    "  inner",
    "    deep fork[a]/inner/deep",
  ]);
});

test("a step that only has an id in the graph has the title of its visit", () => {
  const { visits: seen } = reduceRun(EMPTY_RUN, [nodeStart("skip", { name: "Skip the plan" })]);
  expect(outline(createStepTree(STEPS, seen.values()))[2]).toBe("Skip the plan skip");
});
