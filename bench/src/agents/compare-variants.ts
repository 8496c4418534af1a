import { spreadOf } from "../spread.ts";
import type { AgentName, Variant } from "./agent-driver.ts";
import type { AgentMeasurement, TurnMeasurement } from "./agent-measurement.ts";

/** All measurements of one variant of an agent, and what went wrong the last time that it did. */
export interface VariantResult {
  readonly agent: AgentName;
  readonly variant: Variant;
  readonly measurements: AgentMeasurement[];
  problem: string | undefined;
}

/** A value with and without Atomic. */
export interface Pair {
  readonly direct: number;
  readonly atomic: number;
}

/** What Atomic adds to an agent's SDK: medians over all turns. */
export interface AgentComparison {
  readonly agent: AgentName;
  /** The median of the short turns, in milliseconds. */
  readonly firstDeltaMillis: Pair;
  /** The mean distance between two pieces of a long turn, in microseconds. */
  readonly perDeltaMicros: Pair;
  /** Processor time of the process that holds the SDK, in milliseconds for 1,000 pieces of a long turn. */
  readonly cpuMillisPer1000: Pair;
  /** Processor time of the agent itself, the same way. */
  readonly agentCpuMillisPer1000: Pair;
  /** The processor time that Atomic adds, over that of the whole turn without Atomic, the agent's included. */
  readonly addedShareOfTurnCpu: number;
  /** The same, over the time that the turn lasts without Atomic. */
  readonly addedShareOfWall: number;
  /** The median of a tool's call, the agent's request to the model included, in milliseconds. */
  readonly toolCallMillis: Pair;
  /** The most memory that a process had, in MiB. */
  readonly peakRssMib: Pair;
}

/** Puts the variants of each agent side by side; an agent of which one was not measured has no line. Pure. */
export function compareVariants(results: readonly VariantResult[]): readonly AgentComparison[] {
  const agents = [...new Set(results.map(({ agent }) => agent))];
  return agents.flatMap((agent) => {
    const [direct = [], atomic = []] = (["direct", "atomic"] as const).map((variant) =>
      results.filter((item) => item.agent === agent && item.variant === variant).flatMap((item) => item.measurements),
    );
    return direct.length === 0 || atomic.length === 0 ? [] : [compare(agent, direct, atomic)];
  });
}

function compare(
  agent: AgentName,
  direct: readonly AgentMeasurement[],
  atomic: readonly AgentMeasurement[],
): AgentComparison {
  const pairOf = (read: (measurements: readonly AgentMeasurement[]) => number): Pair => ({
    direct: read(direct),
    atomic: read(atomic),
  });
  const longTurnsOf = (read: (turn: TurnMeasurement) => number): Pair =>
    pairOf((items) => medianOf(items.flatMap(({ longTurns }) => longTurns.map(read))));
  const cpuMillisPer1000 = longTurnsOf((turn) => per1000(turn, turn.cpuMillis));
  const agentCpuMillisPer1000 = longTurnsOf((turn) => per1000(turn, turn.agentCpuMillis));
  const wallMillisPer1000 = longTurnsOf((turn) => per1000(turn, turn.wallMillis));
  const added = cpuMillisPer1000.atomic - cpuMillisPer1000.direct;
  return {
    agent,
    firstDeltaMillis: pairOf((items) =>
      medianOf(items.flatMap(({ shortTurns }) => shortTurns.map(({ firstDeltaMillis }) => firstDeltaMillis))),
    ),
    perDeltaMicros: longTurnsOf(({ perDeltaMicros }) => perDeltaMicros),
    cpuMillisPer1000,
    agentCpuMillisPer1000,
    addedShareOfTurnCpu: added / (cpuMillisPer1000.direct + agentCpuMillisPer1000.direct),
    addedShareOfWall: added / wallMillisPer1000.direct,
    toolCallMillis: pairOf((items) => medianOf(items.flatMap(({ toolCallMillis }) => toolCallMillis))),
    peakRssMib: pairOf((items) => Math.max(...items.map(({ peakRssMib }) => peakRssMib))),
  };
}

function per1000({ deltaCount }: TurnMeasurement, value: number): number {
  return (1000 * value) / Math.max(1, deltaCount);
}

function medianOf(values: readonly number[]): number {
  return spreadOf(values)?.median ?? Number.NaN;
}
