import { formatMs } from "../errors/format-ms.ts";
import { toOneLine } from "../errors/one-line.ts";
import { levelsOf, type TaskLevel } from "../telemetry/task-path.ts";
import type { PlanReport, PlanStep } from "./plan-report.ts";

/** The longest line, in characters. */
const MAX_LENGTH = 160;

/**
 * A dry run as text for terminals: how it ended, its warnings, then one line per step, indented by its branches and graphs.
 *
 * ```ts
 * console.log(formatPlan(await workflow.plan({ topic: "locks" })));
 * ```
 */
export function formatPlan(report: PlanReport): string {
  const visits = report.steps.filter(({ type }) => type === "node").length;
  const waited = report.waitedMs === 0 ? "" : `, after ${formatMs(report.waitedMs)} of waiting`;
  const lines = [
    `${report.status}: ${visits} ${visits === 1 ? "visit" : "visits"} of nodes${waited}`,
    ...(report.errorInfo === undefined
      ? []
      : [toOneLine(`error ${report.errorInfo.code}: ${report.errorInfo.message}`)]),
    ...report.warnings.map((warning) => toOneLine(`warning: ${warning}`)),
    ...formatSteps(report.steps),
  ];
  return `${lines.map(shorten).join("\n")}\n`;
}

/** One line per step, and one above the first branch of each fork. Maps already have theirs. */
function formatSteps(steps: readonly PlanStep[]): readonly string[] {
  const shown = new Set<string>();
  return steps.flatMap((step) => {
    if (step.type === "fan-out") shown.add(step.path + step.id);
    const levels = levelsOf(step.path);
    const forks = levels.flatMap(({ kind, key, name }, depth) => {
      const visit = key.slice(0, -1);
      if (kind !== "fork" || shown.has(visit) || shown.has(visit.replace(/#\d+$/, ""))) return [];
      shown.add(visit);
      return [indent(levels.slice(0, depth), `${name}: in parallel`)];
    });
    return [...forks, formatStep(step)];
  });
}

function formatStep(step: PlanStep): string {
  return indent(levelsOf(step.path), describeStep(step));
}

function indent(around: readonly TaskLevel[], text: string): string {
  // Lines name the branch, not its fork.
  const levels = around.filter(({ kind }) => kind !== "fork");
  const names = levels.map(({ name }) => `${name} › `).join("");
  return `  ${"  ".repeat(levels.length)}${toOneLine(names + text)}`;
}

function describeStep(step: PlanStep): string {
  const visit = "taskId" in step ? step.taskId.slice(step.path.length) : "";
  switch (step.type) {
    case "node": {
      const { nodeType, attempts, source, outcome, agentType, model } = step;
      const facts = [
        nodeType,
        ...(agentType === undefined ? [] : [`by ${agentType}`]),
        ...(model === undefined ? [] : [`model ${model}`]),
        ...(source === "executed" ? [] : [source === "given" ? "result given" : "not executed"]),
        ...(attempts === 1 ? [] : [`${attempts} attempts`]),
        ...(outcome === "completed" ? [] : [outcome]),
      ];
      return `${visit}: ${facts.join(", ")}`;
    }
    case "decision":
      return `${step.id}? ${step.outcome ? "yes" : "no"}`;
    case "iteration":
      return `${step.id}: ${describeIteration(step)}`;
    case "fan-out":
      return `${step.id}: ${step.count} ${step.count === 1 ? "item" : "items"}`;
    case "route":
      return `${visit} → ${step.targets.join(" and ")}`;
    case "question": {
      const answer = step.answer === undefined ? "no answer" : JSON.stringify(step.answer);
      return `${visit} asks: ${step.question} → ${answer} (${step.source})`;
    }
    case "sleep":
      return `${visit} sleeps for ${formatMs(step.durationMs)}`;
    case "command":
      return `${visit} $ ${step.command} → exit code ${step.exitCode} (not executed)`;
  }
}

function describeIteration({ iteration, outcome, limit }: Extract<PlanStep, { type: "iteration" }>): string {
  if (outcome === "undecided") return `repeats at most ${limit} times; a plan cannot tell how often`;
  if (outcome === "again") return `iteration ${iteration + 1}`;
  return outcome === "done" ? `done after ${iteration}` : `at its limit after ${iteration}`;
}

function shorten(line: string): string {
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
