import type { Report } from "./format-report.ts";
import { formatNumber, METRICS, type MetricName } from "./metrics.ts";
import type { Scenario } from "./scenarios.ts";
import type { SummaryRow } from "./summary.ts";

/** The report as the tables of docs/performance.md: a line for each engine, a column for each value on each runtime. */
export function formatMarkdown({ rows, goals }: Report, scenarios: readonly Scenario[]): string {
  const tables = scenarios.flatMap((scenario) => {
    const own = rows.filter((row) => row.scenarioId === scenario.id);
    return own.length === 0 ? [] : [`### ${scenario.title}\n\n${formatScenario(scenario, own)}`];
  });
  const lines = goals.map(({ goal, runtime, value, isReached }) => {
    const { title, limit, unit } = goal;
    const sign = limit.type === "at-most" ? "≤" : "≥";
    const outcome = isReached ? "reached" : "**missed**";
    return [title, runtime, `${formatNumber(value)} ${unit}`, `${sign} ${formatNumber(limit.value)} ${unit}`, outcome];
  });
  const table = formatTable([["goal", "runtime", "measured", "limit", ""], ...lines], 2);
  return `${[...tables, ...(goals.length === 0 ? [] : [`## Goals\n\n${table}`])].join("\n\n")}\n`;
}

function formatScenario({ metrics }: Scenario, rows: readonly SummaryRow[]): string {
  const runtimes = [...new Set(rows.map(({ runtime }) => runtime))];
  const shown = metrics.filter((name) => rows.some((row) => row.metrics[name] !== undefined));
  const columns = shown.flatMap((name) => runtimes.map((runtime) => ({ name, runtime })));
  const headings = columns.map(({ name, runtime }) => `${METRICS[name].heading}, ${runtime}`);
  const labels = [...new Set(rows.map(({ label }) => label))];
  const lines = labels.map((label) => [
    label,
    ...columns.map(({ name, runtime }) =>
      formatCell(
        rows.find((row) => row.label === label && row.runtime === runtime),
        name,
      ),
    ),
  ]);
  return formatTable([["", ...headings], ...lines], 1);
}

/** The median, and how many times Atomic's it is. */
function formatCell(row: SummaryRow | undefined, name: MetricName): string {
  const metric = row?.metrics[name];
  if (metric === undefined) return "–";
  const value = formatNumber(metric.median / METRICS[name].divisor);
  return metric.timesAtomic === undefined ? `**${value}**` : `${value} (${formatNumber(metric.timesAtomic)}×)`;
}

/** Lines of cells, the headings first, as a table of Markdown: the first columns are texts, the others numbers. */
export function formatTable(lines: readonly (readonly string[])[], textColumnCount: number): string {
  const [headings = [], ...rest] = lines.map((cells) => `| ${cells.join(" | ")} |`);
  const rule = (lines[0] ?? []).map((_, column) => (column < textColumnCount ? "---" : "---:"));
  return [headings, `| ${rule.join(" | ")} |`, ...rest].join("\n");
}
