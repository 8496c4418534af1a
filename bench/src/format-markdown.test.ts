import { expect, test } from "bun:test";
import { formatMarkdown } from "./format-markdown.ts";
import type { Scenario } from "./scenarios.ts";
import type { SummaryRow } from "./summary.ts";

const SCENARIO: Scenario = {
  id: "s",
  title: "A chain",
  metrics: ["cpuMicros", "diskBytes"],
  runtimes: "current",
  cases: [],
};

const MACHINE = { processor: "p", cores: 1, memoryGiB: 1, system: "s", runtimes: [], packages: [] };

function row(label: string, runtime: string, metrics: SummaryRow["metrics"]): SummaryRow {
  return { scenarioId: "s", caseId: `s/${label}`, label, runtime, repetitions: 1, metrics };
}

test("a line for each engine, a column for each value on each runtime, and the goals", () => {
  const rows = [
    row("Atomic", "Bun 1", { cpuMicros: { median: 2, min: 1, max: 3 }, diskBytes: { median: 2048, min: 1, max: 3 } }),
    row("Peer", "Bun 1", { cpuMicros: { median: 250.4, min: 1, max: 3, timesAtomic: 125.2 } }),
    row("Atomic", "Node 26", { cpuMicros: { median: 10, min: 1, max: 3 } }),
  ];
  const goal = {
    title: "CPU per step",
    subject: { type: "value", caseId: "s/Atomic" },
    metric: "cpuMicros",
    limit: { type: "at-most", value: 5 },
    unit: "µs",
  } as const;
  const goals = [
    { goal, runtime: "Bun 1", value: 2, isReached: true },
    { goal, runtime: "Node 26", value: 10, isReached: false },
  ];
  expect(formatMarkdown({ machine: MACHINE, rows, goals, skipped: [] }, [SCENARIO])).toBe(`### A chain

|  | CPU µs/step, Bun 1 | CPU µs/step, Node 26 | disk KB/run, Bun 1 | disk KB/run, Node 26 |
| --- | ---: | ---: | ---: | ---: |
| Atomic | **2.00** | **10.0** | **2.00** | – |
| Peer | 250 (125×) | – | – | – |

## Goals

| goal | runtime | measured | limit |  |
| --- | --- | ---: | ---: | ---: |
| CPU per step | Bun 1 | 2.00 µs | ≤ 5.00 µs | reached |
| CPU per step | Node 26 | 10.0 µs | ≤ 5.00 µs | **missed** |
`);
});
