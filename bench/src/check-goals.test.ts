import { expect, test } from "bun:test";
import { checkGoals } from "./check-goals.ts";
import type { Goal } from "./goals.ts";
import type { MetricName } from "./metrics.ts";
import type { SummaryRow } from "./summary.ts";

function row(caseId: string, runtime: string, medians: Partial<Record<MetricName, number>>): SummaryRow {
  const metrics = Object.fromEntries(
    Object.entries(medians).map(([name, median]) => [name, { median, min: median, max: median }]),
  );
  return { scenarioId: "s", caseId, label: caseId, runtime, repetitions: 1, metrics };
}

function goal(change: Partial<Goal>): Goal {
  const subject = { type: "value", caseId: "atomic" } as const;
  return { title: "goal", subject, metric: "cpuMicros", limit: { type: "at-most", value: 5 }, unit: "µs", ...change };
}

const ROWS = [
  row("atomic", "Bun 1", { cpuMicros: 4, rssBytesAt10k: 100, rssBytesAt100k: 110 }),
  row("peer", "Bun 1", { cpuMicros: 200 }),
  row("atomic", "Node 26", { cpuMicros: 6 }),
];

test.each<{ title: string; goal: Goal; outcomes: readonly (readonly [string, number, boolean])[] }>([
  {
    title: "a value is compared on every runtime it was measured on",
    goal: goal({}),
    outcomes: [
      ["Bun 1", 4, true],
      ["Node 26", 6, false],
    ],
  },
  {
    title: "a goal for one runtime says nothing of others",
    goal: goal({ runtime: "Node" }),
    outcomes: [["Node 26", 6, false]],
  },
  {
    title: "a ratio needs both cases on the same runtime",
    goal: goal({ subject: { type: "times", caseId: "peer", of: "atomic" }, limit: { type: "at-least", value: 50 } }),
    outcomes: [["Bun 1", 50, true]],
  },
  {
    title: "a difference is the case less the other one",
    goal: goal({ subject: { type: "above", caseId: "peer", of: "atomic" } }),
    outcomes: [["Bun 1", 196, false]],
  },
  {
    title: "growth compares two values of one case",
    goal: goal({ subject: { type: "growth", caseId: "atomic", from: "rssBytesAt10k" }, metric: "rssBytesAt100k" }),
    outcomes: [["Bun 1", 1.1, true]],
  },
  { title: "what was not measured has no outcome", goal: goal({ metric: "diskBytes" }), outcomes: [] },
])("$title", ({ goal, outcomes }) => {
  const found = checkGoals([goal], ROWS);
  expect(found.map(({ runtime, value, isReached }) => [runtime, value, isReached] as const)).toEqual([...outcomes]);
});
