import { type StructuredPatchHunk, structuredPatch } from "diff";
import type { Usage } from "../../contracts/index.ts";
import { formatDuration, formatTable, formatUsage, safeLine, type TableStyle } from "../../view/index.ts";
import type { NodeComparison, Pair, PromptDifference, RunComparison } from "./compare-runs.ts";
import type { ComparedNode, ComparedRun } from "./compared-run.ts";

/** How many differing prompts are shown, and how many lines of each. */
const MAX_PROMPTS = 10;
const MAX_LINES = 12;
const MAX_COLUMNS = 160;

/** A comparison for a terminal. */
export function formatComparison({ runs, nodes }: RunComparison, style: TableStyle): string {
  const rows = [
    row("run", runs, ({ runId }) => runId),
    row("workflow", runs, ({ workflow }) => workflow),
    row("outcome", runs, ({ status }) => status),
    row("error", runs, ({ error = "" }) => safeLine(error, 60)),
    row("checks", runs, formatChecks),
    row("agents", runs, ({ agents }) => agents.join(", ")),
    row("models", runs, ({ models }) => models.join(", ")),
    row("time", runs, ({ durationMs }) => formatDuration(durationMs)),
    row("cost", runs, ({ usage }) => formatCost(usage)),
    row("tokens", runs, ({ usage }) => String(tokensOf(usage))),
    row("attempts", runs, (run) => String(run.nodes.reduce((sum, { attempts }) => sum + attempts, 0))),
  ].filter(([, first, second]) => first !== "" || second !== "");
  const [first, second] = runs;
  const header = ["", safeLine(first.name, 40), safeLine(second.name, 40)];
  const table = nodes.map(({ nodeId, nodes: pair }) => [safeLine(nodeId, 40), ...pair.map(formatNode)]);
  return [
    formatTable(header, rows, style),
    "",
    formatTable(["NODE", "FIRST", "SECOND"], table, style),
    ...formatPrompts(runs, nodes),
  ].join("\n");
}

function row(title: string, runs: Pair<ComparedRun>, cell: (run: ComparedRun) => string): readonly string[] {
  return [title, ...runs.map((run) => safeLine(cell(run), 60))];
}

function formatChecks({ checks: { passed, total } }: ComparedRun): string {
  return total === 0 ? "" : `${passed} of ${total} passed`;
}

function formatCost({ costUsd }: Usage): string {
  return costUsd === undefined ? "" : `$${costUsd.toFixed(4)}`;
}

/** All kinds of tokens together. */
export function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

function formatNode(node: ComparedNode | undefined): string {
  if (node === undefined) return "–";
  const { status, visits, attempts, durationMs, usage } = node;
  const times = visits === 1 ? "" : `${visits} visits`;
  const tries = attempts === visits ? "" : `${attempts} attempts`;
  return [status, times, tries, formatDuration(durationMs), formatUsage(usage)]
    .filter((part) => part !== "")
    .join(", ");
}

function formatPrompts(runs: Pair<ComparedRun>, nodes: readonly NodeComparison[]): readonly string[] {
  const unknown = runs.filter(({ hasPrompts }) => !hasPrompts).map(({ name }) => safeLine(name, 40));
  if (unknown.length > 0) return ["", `The prompts of ${unknown.join(" and ")} are not known.`];
  const differences = nodes.flatMap(({ nodeId, prompts }) => prompts.map((prompt) => ({ nodeId, prompt })));
  if (differences.length === 0) return ["", "The prompts are the same."];
  const shown = differences.slice(0, MAX_PROMPTS).flatMap(({ nodeId, prompt }) => formatPrompt(nodeId, prompt));
  const left = differences.length - MAX_PROMPTS;
  return [...shown, ...(left > 0 ? ["", `… and ${left} more prompts that differ. See all of them: --json`] : [])];
}

function formatPrompt(nodeId: string, { number, prompts: [first, second] }: PromptDifference): readonly string[] {
  const title = `prompt ${number} of ${safeLine(nodeId, 40)}`;
  if (first === undefined || second === undefined) {
    return ["", `Only the ${first === undefined ? "second" : "first"} run has ${title}.`];
  }
  const { hunks } = structuredPatch("", "", `${first}\n`, `${second}\n`, "", "", { context: 0 });
  const lines = hunks.flatMap(({ lines: hunk }: StructuredPatchHunk) => hunk);
  const rest = lines.length > MAX_LINES ? [`  … ${lines.length - MAX_LINES} more lines`] : [];
  return [
    "",
    `${title[0]?.toUpperCase()}${title.slice(1)} differs:`,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${safeLine(line, MAX_COLUMNS)}`),
    ...rest,
  ];
}
