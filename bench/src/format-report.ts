import type { Scenario } from "./scenarios.ts";
import type { Spread, SummaryRow } from "./summary.ts";

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

const HEADINGS = ["", "runtime", "CPU µs per node", "min–max", "wall µs", "× loop", "× less than LangGraph.js"];

/** All that a report shows. */
export interface Report {
  readonly machine: MachineFacts;
  readonly rows: readonly SummaryRow[];
  /** What was left out, and why. */
  readonly skipped: readonly string[];
}

/** The report for people: the table, what it was measured with, and the same in a few words. */
export function formatReport({ machine, rows, skipped }: Report, scenarios: readonly Scenario[]): string {
  const lines = scenarios.flatMap((scenario) => {
    const own = rows.filter((row) => row.scenarioId === scenario.id);
    return own.length === 0 ? [] : [[scenario.title], ...own.map(formatRow)];
  });
  return [
    alignColumns([HEADINGS, ...lines]),
    [...formatNotes(rows), ...skipped].join("\n"),
    formatMachine(machine),
    formatSummary(rows, scenarios),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function formatRow(row: SummaryRow): readonly string[] {
  const { label, runtime, cpuMicrosPerNode: cpu, wallMicrosPerNode: wall, timesLoop, timesLessThanLangGraph } = row;
  const name = `  ${label}`;
  if (cpu === undefined || wall === undefined) return [name, runtime, "not available"];
  return [
    name,
    runtime,
    formatNumber(cpu.median),
    formatRange(cpu),
    formatNumber(wall.median),
    timesLoop === undefined ? "–" : formatNumber(timesLoop),
    timesLessThanLangGraph === undefined ? "–" : formatNumber(timesLessThanLangGraph),
  ];
}

/** Which database settings the cases ran with, and why a case is missing. */
function formatNotes(rows: readonly SummaryRow[]): readonly string[] {
  const runtimesOf = new Map<string, string[]>();
  for (const { label, runtime, storage, problem } of rows) {
    const notes = [
      ...(storage === undefined
        ? []
        : [`${storage.driver}, journal_mode=${storage.journalMode}, synchronous=${storage.synchronous}`]),
      ...(problem === undefined ? [] : [`failed: ${problem}`]),
    ];
    for (const note of notes) {
      const text = `${label}: ${note}`;
      runtimesOf.set(text, [...(runtimesOf.get(text) ?? []), runtime]);
    }
  }
  return [...runtimesOf].map(([text, runtimes]) => `${text} (${runtimes.join(", ")})`);
}

/** One line for each thing that Atomic was measured at. */
function formatSummary(rows: readonly SummaryRow[], scenarios: readonly Scenario[]): string {
  const lines = scenarios.flatMap(({ cases, title }) =>
    cases
      .filter(({ engine }) => engine === "atomic")
      .map(({ id, label }) => {
        const parts = rows
          .filter((row) => row.caseId === id)
          .flatMap(({ runtime, cpuMicrosPerNode, timesLessThanLangGraph }) =>
            cpuMicrosPerNode === undefined || timesLessThanLangGraph === undefined
              ? []
              : [
                  `${formatNumber(cpuMicrosPerNode.median)} µs on ${runtime} (LangGraph.js ${formatNumber(timesLessThanLangGraph)}×)`,
                ],
          );
        return parts.length === 0 ? "" : `  ${title}, ${label}: ${parts.join("; ")}`;
      })
      .filter((line) => line !== ""),
  );
  return lines.length === 0 ? "" : ["CPU time per node, median:", ...lines].join("\n");
}

function formatMachine(machine: MachineFacts): string {
  const { processor, cores, memoryGiB, system, runtimes, packages } = machine;
  return [
    `Machine:  ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}`,
    `Runtimes: ${runtimes.join(", ")}`,
    `Engines:  ${packages.join(", ")}`,
  ].join("\n");
}

function formatRange({ min, max }: Spread): string {
  return `${formatNumber(min)}–${formatNumber(max)}`;
}

/** Three digits that count, and no more. */
function formatNumber(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** The first two columns start at the left, numbers end at the right. A line of one cell is a heading. */
function alignColumns(lines: readonly (readonly string[])[]): string {
  const full = lines.filter((line) => line.length > 1);
  const widths = HEADINGS.map((_, column) => Math.max(...full.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) => {
      if (line.length === 1) return `\n${line[0]}`;
      const cells = line.map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      );
      return cells.join("  ").trimEnd();
    })
    .join("\n");
}
