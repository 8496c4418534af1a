import type { StorageFacts } from "./engine.ts";
import type { CaseResult } from "./run-measurement.ts";

/** The middle of several measurements and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** A line of the table. */
export interface SummaryRow {
  readonly scenarioId: string;
  readonly caseId: string;
  readonly label: string;
  readonly runtime: string;
  readonly repetitions: number;
  /** Absent when nothing could be measured; `problem` says why. */
  readonly cpuMicrosPerNode?: Spread;
  readonly wallMicrosPerNode?: Spread;
  /** How many times the CPU time of the hand-written loop with the same durability. */
  readonly timesLoop?: number;
  /** How many times less CPU time than LangGraph.js needs. */
  readonly timesLessThanLangGraph?: number;
  readonly storage?: StorageFacts;
  readonly problem?: string;
}

/** Puts results side by side. Only results of the same scenario on the same runtime are compared. */
export function summarize(results: readonly CaseResult[]): readonly SummaryRow[] {
  return results.map((result) => {
    const { scenarioId, benchCase, runtime, measurements, problem } = result;
    const rivals = results.filter((item) => item.scenarioId === scenarioId && item.runtime === runtime);
    const cpu = cpuOf(result);
    const loop = cpuOf(rivals.find((item) => item.benchCase.engine === "loop" && hasSameDurability(item, result)));
    const langGraph = cpuOf(rivals.find((item) => item.benchCase.engine === "langgraph"));
    const storage = storageOf(result);
    return {
      scenarioId,
      caseId: benchCase.id,
      label: benchCase.label,
      runtime,
      repetitions: measurements.length,
      ...(cpu && { cpuMicrosPerNode: cpu }),
      ...(cpu && { wallMicrosPerNode: spreadOf(measurements.map((item) => item.wallMicrosPerNode)) }),
      ...(cpu && loop && { timesLoop: cpu.median / loop.median }),
      ...(cpu && langGraph && { timesLessThanLangGraph: langGraph.median / cpu.median }),
      ...(storage && { storage }),
      ...(problem !== undefined && { problem }),
    };
  });
}

/** The spread of at least one number. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? Number.NaN;
  const high = sorted[Math.ceil(middle)] ?? Number.NaN;
  return { median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

function cpuOf(result: CaseResult | undefined): Spread | undefined {
  if (result === undefined || result.measurements.length === 0) return undefined;
  return spreadOf(result.measurements.map((item) => item.cpuMicrosPerNode));
}

function storageOf(result: CaseResult): StorageFacts | undefined {
  return result.measurements[0]?.storage;
}

function hasSameDurability(left: CaseResult, right: CaseResult): boolean {
  return storageOf(left)?.synchronous === storageOf(right)?.synchronous;
}
