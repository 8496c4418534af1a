import { alignColumns } from "../align-columns.ts";
import { formatTable } from "../format-markdown.ts";
import type { MachineFacts } from "../format-report.ts";
import { formatNumber } from "../metrics.ts";
import type { AgentComparison } from "./compare-variants.ts";

/** The report for people: the table, what it was measured with, and what is missing. */
export function formatAgentReport(report: {
  readonly machine: MachineFacts;
  readonly comparisons: readonly AgentComparison[];
  readonly problems: readonly string[];
}): string {
  const { machine, comparisons, problems } = report;
  const { processor, cores, memoryGiB, system, runtimes, packages } = machine;
  const facts = [
    `Machine:  ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, ${runtimes.join(", ")}`,
    `Packages: ${packages.join(", ")}`,
  ];
  const parts = [alignColumns(linesOf(comparisons), 1), facts.join("\n"), problems.join("\n")];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The table of docs/performance.md. */
export function formatAgentMarkdown(comparisons: readonly AgentComparison[]): string {
  return `${formatTable(linesOf(comparisons), 1)}\n`;
}

const HEADINGS = [
  "",
  "first token ms, direct",
  "Atomic",
  "added",
  "µs/delta, direct",
  "Atomic",
  "CPU ms/1,000 deltas, direct",
  "Atomic",
  "added",
  "agent's own CPU",
  "added, of the turn's CPU",
  "of its time",
  "ms/tool call, direct",
  "Atomic",
  "added",
  "peak RSS MB, direct",
  "Atomic",
];

function linesOf(comparisons: readonly AgentComparison[]): readonly (readonly string[])[] {
  return [HEADINGS, ...comparisons.map(lineOf)];
}

function lineOf(comparison: AgentComparison): readonly string[] {
  const {
    agent,
    firstDeltaMillis,
    perDeltaMicros,
    cpuMillisPer1000,
    agentCpuMillisPer1000,
    toolCallMillis,
    peakRssMib,
  } = comparison;
  return [
    agent,
    formatNumber(firstDeltaMillis.direct),
    formatNumber(firstDeltaMillis.atomic),
    formatNumber(firstDeltaMillis.atomic - firstDeltaMillis.direct),
    formatNumber(perDeltaMicros.direct),
    formatNumber(perDeltaMicros.atomic),
    formatNumber(cpuMillisPer1000.direct),
    formatNumber(cpuMillisPer1000.atomic),
    formatNumber(cpuMillisPer1000.atomic - cpuMillisPer1000.direct),
    formatNumber(agentCpuMillisPer1000.direct),
    formatShare(comparison.addedShareOfTurnCpu),
    formatShare(comparison.addedShareOfWall),
    formatNumber(toolCallMillis.direct),
    formatNumber(toolCallMillis.atomic),
    formatNumber(toolCallMillis.atomic - toolCallMillis.direct),
    formatNumber(peakRssMib.direct),
    formatNumber(peakRssMib.atomic),
  ];
}

function formatShare(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
