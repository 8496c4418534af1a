import { expect, test } from "bun:test";
import type { CaseResult } from "./run-measurement.ts";
import type { EngineName } from "./scenarios.ts";
import { summarize } from "./summary.ts";
import { counterSteps } from "./workload.ts";

function result(engine: EngineName, synchronous: string, cpuMicros: readonly number[]): CaseResult {
  const storage = { driver: "sqlite", journalMode: "wal", synchronous };
  return {
    scenarioId: "s",
    benchCase: {
      id: `s/${engine}-${synchronous}`,
      engine,
      label: engine,
      method: "repeat",
      work: counterSteps("chain", 1),
      keeping: { type: "sqlite" },
    },
    runtime: "Bun 1",
    measurements: cpuMicros.map((value) => ({ values: { cpuMicros: value }, storage })),
    problem: undefined,
  };
}

test("an engine is compared with the Atomic that keeps its steps as safely", () => {
  const rows = summarize([
    result("atomic", "NORMAL", [10, 30, 20]),
    result("atomic", "FULL", [100]),
    result("langgraph", "NORMAL", [400]),
    result("loop", "FULL", [50]),
  ]);
  expect(rows.map(({ caseId, metrics }) => [caseId, metrics])).toEqual([
    ["s/atomic-NORMAL", { cpuMicros: { median: 20, min: 10, max: 30 } }],
    ["s/atomic-FULL", { cpuMicros: { median: 100, min: 100, max: 100 } }],
    ["s/langgraph-NORMAL", { cpuMicros: { median: 400, min: 400, max: 400, timesAtomic: 20 } }],
    ["s/loop-FULL", { cpuMicros: { median: 50, min: 50, max: 50, timesAtomic: 0.5 } }],
  ]);
});

test("what could not be measured has a line that says why", () => {
  const failed = { ...result("mastra", "NORMAL", []), problem: "Error: no such module" };
  expect(summarize([failed])).toEqual([
    {
      scenarioId: "s",
      caseId: "s/mastra-NORMAL",
      label: "mastra",
      runtime: "Bun 1",
      repetitions: 0,
      metrics: {},
      problem: "Error: no such module",
    },
  ]);
});
