import { alignColumns } from "../align-columns.ts";
import { formatTable } from "../format-markdown.ts";
import type { MachineFacts } from "../format-report.ts";
import { formatNumber } from "../metrics.ts";
import type { AgentComparison } from "./compare-variants.ts";
import type { CommandComparison } from "./measure-commands.ts";

/** The report for people: the table, what it was measured with, and what is missing. */
export function formatAgentReport(report: {
  readonly machine: MachineFacts;
  readonly comparisons: readonly AgentComparison[];
  readonly commands: readonly CommandComparison[];
  readonly problems: readonly string[];
}): string {
  const { machine, comparisons, commands, problems } = report;
  const { processor, cores, memoryGiB, system, runtimes, packages } = machine;
  const facts = [
    `Machine:  ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, ${runtimes.join(", ")}`,
    `Packages: ${packages.join(", ")}`,
  ];
  const tables = tablesOf({ comparisons, commands }).map((lines) => alignColumns(lines, 1));
  const parts = [...tables, facts.join("\n"), problems.join("\n")];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The tables of docs/performance.md. */
export function formatAgentMarkdown(measured: AgentTables): string {
  return `${tablesOf(measured)
    .map((lines) => formatTable(lines, 1))
    .join("\n\n")}\n`;
}

interface AgentTables {
  readonly comparisons: readonly AgentComparison[];
  readonly commands: readonly CommandComparison[];
}

/** The tables of what was measured: turns, and whole commands. */
function tablesOf({ comparisons, commands }: AgentTables): readonly (readonly (readonly string[])[])[] {
  return [
    ...(comparisons.length === 0 ? [] : [linesOf(comparisons)]),
    ...(commands.length === 0 ? [] : [[COMMAND_HEADINGS, ...commands.map(commandLineOf)]]),
  ];
}

const COMMAND_HEADINGS = [
  "whole command, compared with",
  "its ms",
  "min",
  "Atomic's",
  "min",
  "times as long",
  "min",
  "max",
];

function commandLineOf({ agent, opponent, opponentMillis, atomicMillis, ratio }: CommandComparison): readonly string[] {
  const { median, min, max } = ratio;
  const numbers = [opponentMillis.median, opponentMillis.min, atomicMillis.median, atomicMillis.min, median, min, max];
  return [`${agent}, ${opponent}`, ...numbers.map(formatNumber)];
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
