import { addUsage, NO_USAGE, type Usage } from "../../contracts/index.ts";
import { formatDuration } from "../../view/index.ts";
import { renameCalls } from "../model/rename-calls.ts";
import type { ReportedCommand, ReportedStop, ReportedUsage, ReportedVisit } from "../model/run-report-page.ts";
import { formatChanges } from "./changes-section.ts";
import { drawGraph } from "./graph-picture.ts";
import { type Html, html } from "./markup.ts";
import { clockOf, type PageContext, restOf, type Section, timeOf, visitLink } from "./page-context.ts";
import { classOf, commandBadge, statusBadge } from "./status-badge.ts";
import { formatNumber } from "./text-room.ts";
import { formatTimeline } from "./timeline.ts";
import { block, formatFailure, formatVisit } from "./visit-section.ts";

/** The sections of a page, in order; those without content are left out. */
export function formatSections(context: PageContext): readonly Section[] {
  const { page, anchorOf } = context;
  const { graph } = page;
  const sections: readonly (Omit<Section, "content"> & { readonly content: Html | undefined })[] = [
    { id: "result", title: "Result", content: formatEnding(context) },
    { id: "questions", title: "Questions", content: formatQuestions(context) },
    { id: "edits", title: "Edits", content: formatEdits(context) },
    { id: "tasks", title: "Tasks", content: formatTasks(context) },
    { id: "timeline", title: "Timeline", content: page.visits.length === 0 ? undefined : formatTimeline(context) },
    { id: "graph", title: "Graph", content: graph === undefined ? undefined : drawGraph(graph, anchorOf) },
    { id: "commands", title: "Commands", content: formatCommands(context) },
    { id: "steps", title: "Steps", content: formatSteps(context) },
    { id: "changes", title: "Changes", content: formatChanges(context) },
    { id: "usage", title: "Usage", content: formatUsageTable(context) },
    { id: "input", title: "Input", content: formatInput(context) },
    { id: "warnings", title: "Warnings", content: formatWarnings(context) },
  ];
  return sections.flatMap(({ id, title, content }) => (content === undefined ? [] : [{ id, title, content }]));
}

function formatEnding(context: PageContext): Html | undefined {
  const { error, output } = context.page;
  if (error !== undefined) return formatFailure(error, context);
  return output === undefined ? undefined : html`<pre class="output">${context.room.text(output, "start")}</pre>`;
}

function formatInput(context: PageContext): Html | undefined {
  const { inputs } = context.page;
  if (inputs.length === 0) return undefined;
  return html`${inputs.map(({ name, text }) => html`<div class="input">${block(name, text, { context, keep: "start" })}</div>`)}`;
}

function formatQuestions(context: PageContext): Html | undefined {
  const { page, detail, room } = context;
  const { questions } = page;
  if (questions.length === 0) return undefined;
  const items = questions
    .slice(0, detail.rows)
    .map(({ question, options, askedAt, answeredAt, answer, taskId, nodeId }) => {
      const text = question === undefined ? undefined : html`<pre>${room.text(question, "start")}</pre>`;
      const choices = options.length === 0 ? undefined : html`<p class="muted">Choices: ${options.join(", ")}</p>`;
      const waited = answeredAt === undefined ? undefined : formatDuration(answeredAt - askedAt);
      const given = answer === undefined ? undefined : html`<pre>${room.text(answer, "start")}</pre>`;
      const reply =
        answeredAt === undefined
          ? html`<p>${statusBadge("waiting")} for an answer</p>`
          : html`<p><b>Answer</b> <small>${timeOf(answeredAt)}, after ${waited}</small></p>${given}`;
      const where = visitLink(context, taskId ?? nodeId, taskId === undefined ? nodeId : undefined);
      return html`<li><p><b>${where}</b> <small>asked ${timeOf(askedAt)}</small></p>${text}${choices}${reply}</li>`;
    });
  return html`<ul class="cards">${items}</ul>${restOf(questions.length, items.length, "questions")}`;
}

function formatEdits(context: PageContext): Html | undefined {
  const { edits } = context.page;
  if (edits.length === 0) return undefined;
  const items = edits.slice(0, context.detail.rows).map(({ at, fields }) => {
    const values = fields.map(({ name, text }) =>
      text === "" ? html`<p>${name}</p>` : block(name, text, { context, keep: "start" }),
    );
    return html`<li><p><b>The state was edited</b> <small>${timeOf(at)}</small></p>${values}</li>`;
  });
  return html`<ul class="cards">${items}</ul>${restOf(edits.length, items.length, "edits")}`;
}

const TASK_STATUS = {
  pending: "not visited",
  in_progress: "running",
  passing: "completed",
  failing: "failed",
  skipped: "skipped",
} as const;
const TASK_WORDS = {
  pending: "to do",
  in_progress: "in progress",
  passing: "done",
  failing: "failed",
  skipped: "skipped",
} as const;

function formatTasks({ page: { tasks }, detail }: PageContext): Html | undefined {
  if (tasks.length === 0) return undefined;
  const done = tasks.filter(({ status }) => status === "passing").length;
  const rows = tasks.slice(0, detail.rows).map(({ id, name, status }) => {
    return html`<li><span class="badge ${classOf(TASK_STATUS[status])}">${TASK_WORDS[status]}</span> <code>${id}</code> ${name}</li>`;
  });
  return html`<p>${done} of ${tasks.length} done</p><ul class="tasks">${rows}</ul>${restOf(tasks.length, rows.length, "tasks")}`;
}

/** A command with its step. Of one without a record of its start, the text is known only where another attempt ended. */
interface CommandRow extends Pick<ReportedVisit, "taskId" | "name"> {
  readonly part: ReportedCommand | ReportedStop;
  readonly command: string;
}

function commandRows({ page: { visits } }: PageContext): readonly CommandRow[] {
  const { isCall } = renameCalls(visits);
  const rows = visits.flatMap(({ taskId, name, nodeType, parts }) => {
    const commands = parts.filter((part) => part.type === "command");
    const isShell = commands.length > 0 || (nodeType === "tool" && isCall(taskId));
    const isRecorded = commands.some(({ exitCode }) => exitCode === undefined);
    const stops = isShell && !isRecorded ? parts.filter((part) => part.type === "stopped") : [];
    return [...commands, ...stops]
      .toSorted((one, other) => one.at - other.at)
      .map((part) => {
        const known = part.type === "command" ? part : (commands.find(({ at }) => at > part.at) ?? commands.at(-1));
        return { taskId, name, part, command: known?.command ?? "" };
      });
  });
  return rows.toSorted((one, other) => one.part.at - other.part.at);
}

function formatCommands(context: PageContext): Html | undefined {
  const { detail, room } = context;
  const commands = commandRows(context);
  if (commands.length === 0) return undefined;
  const ended = commands.flatMap(({ part }) => (part.type === "command" && part.exitCode !== undefined ? [part] : []));
  const failed = ended.filter(({ exitCode }) => exitCode !== 0).length;
  const stopped = commands.length - ended.length;
  const hasTexts = commands.some(({ command }) => command !== "");
  const rows = commands.slice(0, detail.rows).map(({ taskId, name, part, command }) => {
    const { at, durationMs } = part;
    const result = commandBadge(part.type === "stopped" ? undefined : part.exitCode);
    const text = command === "" ? undefined : html`<code>${room.text(command, "start")}</code>`;
    const cell = hasTexts ? html`<td class="wide">${text}</td>` : undefined;
    return html`<tr><td>${clockOf(at)}</td><td>${result}</td><td class="number">${formatDuration(durationMs)}</td>${cell}<td>${visitLink(context, taskId, name)}</td></tr>`;
  });
  const head = hasTexts ? html`<th>Command</th>` : undefined;
  const counts = `${ended.length - failed} succeeded, ${failed} failed${stopped === 0 ? "" : `, ${stopped} stopped`}`;
  return html`<p class="muted">Commands that the workflow itself ran, with their exit codes: ${counts}. Those of agents are with their steps.</p><div class="scroll" tabindex="0" role="region" aria-label="Commands"><table><thead><tr><th>Time</th><th>Result</th><th class="number">Took</th>${head}<th>Step</th></tr></thead><tbody>${rows}</tbody></table></div>${restOf(commands.length, rows.length, "commands")}`;
}

function formatSteps(context: PageContext): Html | undefined {
  const { visits } = context.page;
  if (visits.length === 0) return undefined;
  const shown = visits.slice(0, context.detail.visits);
  return html`<div class="visits">${shown.map((visit) => formatVisit(visit, context))}</div>${restOf(visits.length, shown.length, "steps")}`;
}

function formatUsageTable({ page }: PageContext): Html | undefined {
  const total = page.usage;
  if (total.inputTokens + total.outputTokens + total.cacheReadTokens + total.cacheWriteTokens === 0) return undefined;
  const { usageByAgent } = page;
  const known = usageByAgent.map(({ usage }) => usage).reduce(addUsage, NO_USAGE);
  const rest = total.inputTokens + total.outputTokens - known.inputTokens - known.outputTokens;
  const rows: readonly ReportedUsage[] = usageByAgent.length === 1 && rest <= 0 ? [] : usageByAgent;
  const name = rows.length === 0 ? (usageByAgent[0]?.agent ?? "Total") : "Total";
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Usage"><table><thead><tr><th>Agent</th><th class="number">Input</th><th class="number">Output</th><th class="number">Cache read</th><th class="number">Cache write</th><th class="number">Cost</th></tr></thead><tbody>${rows.map(({ agent, usage }) => usageRow(agent, usage))}</tbody><tfoot>${usageRow(name, total)}</tfoot></table></div>`;
}

function usageRow(name: string, usage: Usage): Html {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  const counts = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].map(
    (count) => html`<td class="number">${formatNumber(count)}</td>`,
  );
  return html`<tr><th scope="row">${name}</th>${counts}<td class="number">${costUsd === undefined ? "unknown" : `$${costUsd.toFixed(4)}`}</td></tr>`;
}

function formatWarnings({ page: { warnings }, detail, room }: PageContext): Html | undefined {
  if (warnings.length === 0) return undefined;
  const items = warnings
    .slice(0, detail.rows)
    .map(
      ({ at, message }) => html`<li>${clockOf(at)} ${message === "" ? undefined : room.text(message, "start")}</li>`,
    );
  return html`<ul class="plain">${items}</ul>${restOf(warnings.length, items.length, "warnings")}`;
}
