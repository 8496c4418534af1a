import { expect, test } from "bun:test";
import { NO_USAGE } from "../../contracts/index.ts";
import { pictureOf } from "./picture-of.ts";
import type { ReportedStatus, ReportedVisit } from "./run-report-page.ts";

function visit(taskId: string, status: ReportedStatus, changes: Partial<ReportedVisit> = {}): ReportedVisit {
  const nodeId = taskId.replace(/^.*\//, "").replace(/#\d+$/, "");
  const lists = { usageByAgent: [], agents: [], periods: [], parts: [], partsLeftOut: 0 };
  return { taskId, nodeId, name: nodeId, status, attempts: 1, usage: NO_USAGE, durationMs: 10, ...lists, ...changes };
}

const SHAPE = {
  nodes: [
    { id: "plan", name: "Plan" },
    { id: "work", name: "Work" },
    { id: "sub", name: "Nested" },
    { id: "end", name: "End" },
  ],
  edges: [{ from: "plan", to: "work", label: "yes" }],
};

test("each node has the status of its visits; those of a subgraph count for its node only", () => {
  const visits = [
    visit("plan", "completed"),
    visit("map[0]/work", "completed"),
    visit("map[1]/work", "failed"),
    visit("map[2]/work", "running"),
    visit("sub", "completed", { nodeType: "subgraph" }),
    visit("sub/plan", "failed"),
  ];
  expect(pictureOf(visits, SHAPE, new Map())).toEqual({
    nodes: [
      { id: "plan", name: "Plan", status: "completed", visits: 1, durationMs: 10, taskId: "plan" },
      { id: "work", name: "Work", status: "failed", visits: 3, durationMs: 30, taskId: "map[1]/work" },
      { id: "sub", name: "Nested", status: "completed", visits: 1, durationMs: 10, taskId: "sub" },
      { id: "end", name: "End", status: "not visited", visits: 0, durationMs: 0 },
    ],
    edges: SHAPE.edges,
    isDerived: false,
  });
});

test("a node that failed and then succeeded is completed", () => {
  const visits = [visit("work", "not passed"), visit("work#2", "completed")];
  const [, work] = pictureOf(visits, SHAPE, new Map()).nodes;
  expect(work).toEqual({ id: "work", name: "Work", status: "completed", visits: 2, durationMs: 20, taskId: "work#2" });
});

test("a node whose duration is not recorded has the time of its periods, as in the timeline", () => {
  const periods = [
    { type: "failed", from: 0, to: 18 },
    { type: "wait", from: 18, to: 90 },
  ] as const;
  const { durationMs: _, ...failed } = visit("work", "failed", { periods });
  expect(pictureOf([failed], SHAPE, new Map()).nodes[1]).toMatchObject({ status: "failed", durationMs: 18 });
});

test("without the workflow, the edges are those that the run decided about, or follow the order in time", () => {
  const visits = [
    visit("plan", "completed", { startedAt: 0, endedAt: 10 }),
    visit("a", "completed", { startedAt: 11, endedAt: 20 }),
    visit("b", "completed", { startedAt: 11, endedAt: 30 }),
    visit("end", "completed", { startedAt: 31, endedAt: 40 }),
  ];
  expect(pictureOf(visits, undefined, new Map([["plan", ["a", "b"]]]))).toMatchObject({
    edges: [
      { from: "plan", to: "a" },
      { from: "plan", to: "b" },
      { from: "b", to: "end" },
    ],
    isDerived: true,
  });
});
