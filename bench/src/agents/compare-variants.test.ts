import { expect, test } from "bun:test";
import type { AgentMeasurement, TurnMeasurement } from "./agent-measurement.ts";
import { compareVariants, type VariantResult } from "./compare-variants.ts";
import { formatAgentMarkdown } from "./format-agents.ts";

function turn(changes: Partial<TurnMeasurement>): TurnMeasurement {
  const zero = { firstDeltaMillis: 0, perDeltaMicros: 0, wallMillis: 0, cpuMillis: 0, agentCpuMillis: 0 };
  return { ...zero, deltaCount: 2_000, ...changes };
}

function measurement(firstDeltaMillis: number, cpuMillis: number, peakRssMib: number): AgentMeasurement {
  const long = { perDeltaMicros: 100, wallMillis: 200, agentCpuMillis: 160, cpuMillis };
  return {
    shortTurns: [turn({ firstDeltaMillis, deltaCount: 1 })],
    longTurns: [turn(long)],
    toolCallMillis: [cpuMillis / 10],
    peakRssMib,
  };
}

const DIRECT: VariantResult = {
  agent: "claude",
  variant: "direct",
  measurements: [measurement(40, 40, 90), measurement(42, 30, 95), measurement(90, 50, 91)],
  problem: undefined,
};
const ATOMIC: VariantResult = {
  agent: "claude",
  variant: "atomic",
  measurements: [measurement(43, 48, 100)],
  problem: undefined,
};

test("the medians of all turns stand side by side; what Atomic adds is a share of the whole turn", () => {
  expect(compareVariants([DIRECT, ATOMIC])).toEqual([
    {
      agent: "claude",
      firstDeltaMillis: { direct: 42, atomic: 43 },
      perDeltaMicros: { direct: 100, atomic: 100 },
      cpuMillisPer1000: { direct: 20, atomic: 24 },
      agentCpuMillisPer1000: { direct: 80, atomic: 80 },
      addedShareOfTurnCpu: 0.04,
      addedShareOfWall: 0.04,
      toolCallMillis: { direct: 4, atomic: 4.8 },
      peakRssMib: { direct: 95, atomic: 100 },
    },
  ]);
});

test("an agent of which one variant was not measured has no line", () => {
  expect(compareVariants([DIRECT, { ...ATOMIC, measurements: [], problem: "Error: it broke" }])).toEqual([]);
});

test("the table has a line for each agent", () => {
  const spread = { median: 2, min: 1, max: 3 };
  const commands = [
    { agent: "claude", opponent: "own command", opponentMillis: spread, atomicMillis: spread, ratio: spread },
  ] as const;
  const lines = formatAgentMarkdown({ comparisons: compareVariants([DIRECT, ATOMIC]), commands }).split("\n");
  expect(lines[6]).toBe("| claude, own command | 2.00 | 1.00 | 2.00 | 1.00 | 2.00 | 1.00 | 3.00 |");
  expect(lines[2]).toBe(
    "| claude | 42.0 | 43.0 | 1.00 | 100 | 100 | 20.0 | 24.0 | 4.00 | 80.0 | 4.0 % | 4.0 % | 4.00 | 4.80 | 0.80 | 95.0 | 100 |",
  );
});
