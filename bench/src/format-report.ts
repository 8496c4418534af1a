import { alignColumns } from "./align-columns.ts";
import type { GoalOutcome } from "./check-goals.ts";
import { formatNumber, METRICS, type MetricName } from "./metrics.ts";
import type { Scenario } from "./scenarios.ts";
import type { SummaryRow } from "./summary.ts";

/** What the numbers were measured on. */
export interface MachineFacts {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly runtimes: readonly string[];
  /** Name and version of each measured engine that is a package. */
  readonly packages: readonly string[];
}

/** All that a report shows. */
export interface Report {
  readonly machine: MachineFacts;
  readonly rows: readonly SummaryRow[];
  readonly goals: readonly GoalOutcome[];
  /** What was left out, and why. */
  readonly skipped: readonly string[];
}

/** The report for people: a table for each scenario, what it was measured with, and the goals. */
export function formatReport({ machine, rows, goals, skipped }: Report, scenarios: readonly Scenario[]): string {
  const tables = scenarios.flatMap((scenario) => {
    const own = rows.filter((row) => row.scenarioId === scenario.id);
    return own.length === 0 ? [] : [formatScenario(scenario, own)];
  });
  const notes = [...formatNotes(rows), ...skipped].join("\n");
  return [...tables, notes, formatMachine(machine), formatGoals(goals)].filter((part) => part !== "").join("\n\n");
}

function formatScenario({ id, title, metrics }: Scenario, rows: readonly SummaryRow[]): string {
  const headings = metrics.flatMap((name, index) => [
    METRICS[name].heading,
    ...(index === 0 ? ["min–max"] : []),
    "× Atomic",
  ]);
  const lines = rows.map((row) => [
    row.label,
    row.runtime,
    ...metrics.flatMap((name, index) => formatCells(row, name, index === 0)),
  ]);
  return `${title} (${id})\n${alignColumns([["", "", ...headings], ...lines], 2)}`;
}

function formatCells({ metrics, problem }: SummaryRow, name: MetricName, hasRange: boolean): readonly string[] {
  const metric = metrics[name];
  if (metric === undefined) return [problem === undefined ? "–" : "failed", ...(hasRange ? ["–"] : []), "–"];
  const { divisor } = METRICS[name];
  const { median, min, max, timesAtomic } = metric;
  return [
    formatNumber(median / divisor),
    ...(hasRange ? [`${formatNumber(min / divisor)}–${formatNumber(max / divisor)}`] : []),
    timesAtomic === undefined ? "–" : formatNumber(timesAtomic),
  ];
}

/** Which database settings the cases ran with, and why a case is missing. */
function formatNotes(rows: readonly SummaryRow[]): readonly string[] {
  const runtimesOf = new Map<string, Set<string>>();
  const note = (text: string, runtime: string): void => {
    runtimesOf.set(text, (runtimesOf.get(text) ?? new Set()).add(runtime));
  };
  for (const { caseId, label, runtime, storage, problem } of rows) {
    if (storage !== undefined) {
      const { driver, journalMode, synchronous } = storage;
      note(`${label}: ${driver}, journal_mode=${journalMode}, synchronous=${synchronous}`, runtime);
    }
    if (problem !== undefined) note(`${caseId} failed: ${problem}`, runtime);
  }
  return [...runtimesOf].map(([text, runtimes]) => `${text} (${[...runtimes].join(", ")})`);
}

function formatMachine(machine: MachineFacts): string {
  const { processor, cores, memoryGiB, system, runtimes, packages } = machine;
  return [
    `Machine:  ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}`,
    `Runtimes: ${runtimes.join(", ")}`,
    `Engines:  ${packages.join(", ")}`,
  ].join("\n");
}

function formatGoals(goals: readonly GoalOutcome[]): string {
  if (goals.length === 0) return "";
  const lines = goals.map(({ goal, runtime, value, isReached }) => {
    const { limit, unit, title } = goal;
    const sign = limit.type === "at-most" ? "≤" : "≥";
    const state = isReached ? "reached" : "MISSED";
    return [title, runtime, state, `${formatNumber(value)} ${unit}`, `${sign} ${formatNumber(limit.value)} ${unit}`];
  });
  const missedCount = goals.filter(({ isReached }) => !isReached).length;
  const sum = `${goals.length - missedCount} goals reached, ${missedCount} missed`;
  return `Goals\n${alignColumns([["", "", "", "measured", "goal"], ...lines], 3)}\n${sum}`;
}
