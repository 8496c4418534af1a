import type { RunErrorInfo } from "../../contracts/index.ts";
import { formatDuration, formatUsage } from "../../view/index.ts";
import type {
  ReportedCommand,
  ReportedPart,
  ReportedSubagent,
  ReportedToolCall,
  ReportedVisit,
} from "../model/run-report-page.ts";
import { timeIn } from "../model/time-in.ts";
import { type Html, html } from "./markup.ts";
import { clockOf, type PageContext } from "./page-context.ts";
import { classOf, commandBadge, statusBadge } from "./status-badge.ts";
import type { KeptPart } from "./text-room.ts";

/** A text longer than this is folded, in characters. */
const FOLDED_LENGTH = 1_200;
/** So much of a folded text is its title, in characters. */
const TITLE_LENGTH = 110;

/** What a visit did, folded if it ended well. */
export function formatVisit(visit: ReportedVisit, context: PageContext): Html {
  const { taskId, nodeId, name, nodeType, status, agents, attempts, usage, error, parts } = visit;
  const { detail, page } = context;
  const shown = parts.slice(0, detail.parts);
  const leftOut = visit.partsLeftOut + parts.length - shown.length;
  const facts = [
    nodeType,
    ...agents,
    attempts > 1 ? `${attempts} attempts` : undefined,
    formatDuration(timeIn(visit)),
    formatUsage(usage),
  ];
  const about = facts.filter((fact) => fact !== undefined && fact !== "").join(" · ");
  const isOpen = status === "failed" && page.status !== "completed";
  const started = visit.startedAt === undefined ? undefined : html` · started ${clockOf(visit.startedAt)}`;
  const ended = visit.endedAt === undefined ? undefined : html` · ended ${clockOf(visit.endedAt)}`;
  const hasFailure = shown.some(({ type }) => type === "failure");
  return html`<details class="visit ${classOf(status)}"${isOpen ? html` open` : undefined}><summary><span class="what"><i class="dot"></i><strong>${name}</strong></span>${statusBadge(status)}<small>${about}</small></summary><div class="body" id="${context.anchorOf(taskId)}"><p class="muted">${taskId === nodeId ? html`Node ${code(nodeId)}` : html`Visit ${code(taskId)} of ${code(nodeId)}`}${started}${ended}</p>${formatAgents(visit)}${error === undefined || hasFailure ? undefined : formatFailure(error, context)}${shown.map((part) => formatPart(part, context))}${leftOut === 0 ? undefined : html`<p class="cut">${leftOut} more entries are left out here.</p>`}${parts.length === 0 && error === undefined ? html`<p class="muted">${describeNothing(visit, context)}</p>` : undefined}</div></details>`;
}

/** What is said of a visit without entries. */
function describeNothing({ status }: ReportedVisit, { page: { forkedFrom } }: PageContext): string {
  if (status !== "inherited" || forkedFrom === undefined) return "Nothing is recorded of it but its result.";
  return `This run did not do it, but inherited its result: the report of the run ${forkedFrom.runId} has what it did.`;
}

function code(text: string): Html {
  return html`<code>${text}</code>`;
}

function formatAgents({ usageByAgent }: ReportedVisit): Html | undefined {
  if (usageByAgent.length < 2) return undefined;
  return html`<p class="muted">${usageByAgent.map(({ agent, usage }) => `${agent}: ${formatUsage(usage)}`).join(" · ")}</p>`;
}

/** A failure, with the place in the user's code. */
export function formatFailure(
  { code: errorCode, message, frame, allowedBy }: RunErrorInfo,
  { room }: PageContext,
): Html {
  const about = [
    errorCode === "" ? undefined : html` ${code(errorCode)}`,
    frame === undefined ? undefined : html` at ${code(frame)}`,
  ];
  const rule =
    allowedBy === undefined
      ? undefined
      : html`<p class="muted">It would have been allowed by ${code(`--allow ${allowedBy}`)}</p>`;
  const text = message === "" ? undefined : html`<pre>${room.text(message, "start")}</pre>`;
  return html`<div class="failure"><b>Failure</b>${about}${text}${rule}</div>`;
}

function formatPart(part: ReportedPart, context: PageContext): Html {
  switch (part.type) {
    case "prompt": {
      const agent = part.agent === undefined ? "" : ` to ${part.agent}`;
      const system =
        part.systemPrompt === undefined
          ? undefined
          : block("System prompt", part.systemPrompt, { context, keep: "start", isFolded: true });
      if (part.message === "") return entry("prompt", part.at, html`<b>Prompt${agent}</b>`);
      return entry(
        "prompt",
        part.at,
        html`${system}${block(`Prompt${agent}`, part.message, { context, keep: "start" })}`,
      );
    }
    case "text":
      return entry("text", part.at, block("Answer", part.text, { context, keep: "start" }));
    case "thinking":
      return entry("thinking", part.at, block("Thinking", part.text, { context, keep: "start", isFolded: true }));
    case "tool":
      return entry("tool", part.at, formatToolCall(part, context));
    case "command":
      return entry("command", part.at, formatCommand(part, context));
    case "subagent":
      return entry("subagent", part.at, formatSubagent(part, context));
    case "denied":
      return entry(
        "denied",
        part.at,
        html`<b>Denied</b> ${part.title}${part.reason === "" ? undefined : html`<br><small>${part.reason}</small>`}`,
      );
    case "question":
      return entry(
        "question",
        part.at,
        part.question === "" ? html`<b>Question</b>` : block("Question", part.question, { context, keep: "start" }),
      );
    case "answer":
      return entry(
        "answer",
        part.at,
        part.answer === ""
          ? html`<b>Answered</b>`
          : block("Answer of a person", part.answer, { context, keep: "start" }),
      );
    case "failure":
      return entry(
        "failed",
        part.at,
        html`<small>Attempt ${part.attempt}</small>${formatFailure(part.error, context)}`,
      );
    case "stopped":
      return entry(
        "stopped",
        part.at,
        html`<small>Attempt ${part.attempt}</small> ${statusBadge("stopped")} <small>after ${formatDuration(part.durationMs)}</small>`,
      );
    case "log":
      return entry("log", part.at, block(undefined, part.message, { context, keep: "start" }));
    case "update":
      return entry("update", part.at, block("State", part.text, { context, keep: "start", isFolded: true }));
  }
}

function entry(type: string, at: number, content: Html): Html {
  return html`<div class="part ${type}">${clockOf(at)}<div>${content}</div></div>`;
}

interface BlockOptions {
  readonly context: PageContext;
  readonly keep: KeptPart;
  /** Folded whatever its length. @default false */
  readonly isFolded?: boolean;
}

/** A text with its title, folded if it is long. */
export function block(
  title: string | undefined,
  text: string,
  { context, keep, isFolded = false }: BlockOptions,
): Html {
  const shown = html`<pre>${context.room.text(text.replace(/\s+$/, ""), keep)}</pre>`;
  const head = title === undefined ? undefined : html`<b>${title}</b>`;
  if (!isFolded && text.length <= FOLDED_LENGTH && text.split("\n").length <= 24) return html`${head}${shown}`;
  const line = text.trim().split("\n", 1)[0] ?? "";
  const start = isFolded ? "" : ` ${line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH)}…` : line}`;
  return html`<details><summary>${head}<span class="muted">${start} (${text.length.toLocaleString("en-US")} characters)</span></summary>${shown}</details>`;
}

function formatToolCall(
  { kind, toolName, about, output, status, durationMs }: ReportedToolCall,
  context: PageContext,
): Html {
  const took = durationMs === undefined ? "" : ` ${formatDuration(durationMs)}`;
  const end = status === "done" ? took : ` ${status}${took}`;
  const isLong = about.length > 300 || about.includes("\n");
  const subject =
    about === "" ? undefined : isLong ? html`<pre>${context.room.text(about, "start")}</pre>` : code(about);
  const head = html`<b>${toolName}</b> <small>${kind === toolName ? "" : kind}</small> ${subject} <small class="${status === "failed" ? "bad" : "took"}">${end}</small>`;
  return output === undefined
    ? head
    : html`<details><summary>${head}</summary><pre>${context.room.text(output, "end")}</pre></details>`;
}

function formatCommand({ command, exitCode, durationMs, output }: ReportedCommand, context: PageContext): Html {
  const shownCommand =
    command === "" ? html`<b>Command</b>` : html`<code>$ ${context.room.text(command, "start")}</code>`;
  const head = html`${shownCommand} ${commandBadge(exitCode)} <small>${formatDuration(durationMs)}</small>`;
  if (output === undefined) return head;
  const isShort = output.length <= FOLDED_LENGTH && output.split("\n").length <= 12;
  const isOpen = exitCode !== 0 && isShort;
  return html`<details${isOpen ? html` open` : undefined}><summary>${head}</summary><pre>${context.room.text(output, "end")}</pre></details>`;
}

function formatSubagent(
  { title, subagentType, task, result, status, durationMs }: ReportedSubagent,
  context: PageContext,
): Html {
  const took = durationMs === undefined ? "" : formatDuration(durationMs);
  const head = html`<b>Sub-agent</b> ${title} <small>${[subagentType, status, took].filter((fact) => fact !== undefined && fact !== "").join(" · ")}</small>`;
  const texts = [
    task === undefined ? undefined : block("Task", task, { context, keep: "start" }),
    result === undefined ? undefined : block("Result", result, { context, keep: "start" }),
  ];
  return texts.every((text) => text === undefined) ? head : html`<details><summary>${head}</summary>${texts}</details>`;
}
