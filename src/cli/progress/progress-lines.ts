import type { createColors } from "picocolors";
import {
  type AgentEvent,
  describeAgentEvent,
  isSameWait,
  isVisitWithin,
  type RunEvent,
} from "../../contracts/index.ts";
import {
  type ActiveNode,
  formatDuration,
  formatTime,
  formatUsage,
  type ProgressModel,
  questionText,
  safeLine,
  safeText,
} from "../../view/index.ts";
import { formatDenied } from "../output/format-denied.ts";
import { formatFrame, listCauses } from "../output/format-failure.ts";
import { answerPlaceholder, requestOption } from "../prompts/parse-answer.ts";
import { formatTranscript } from "./format-transcript.ts";

/** The widest name of a node before a line of its agent, in columns. */
export const LABEL_COLUMNS = 32;

/** How text is coloured, or not. */
export type Colors = ReturnType<typeof createColors>;

/** The frames of a spinner. */
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;

/** How lines are laid out. */
export interface LineStyle {
  readonly colors: Colors;
  readonly columns: number;
  /** Rows of the terminal. @default enough for all nodes, without their transcripts */
  readonly rows?: number;
}

/** The fraction of the screen that is redrawn, and the most rows of one agent. */
const MOVING_PART = 0.6;
const MAX_TRANSCRIPT_ROWS = 8;

/** The permanent lines of an event; most have none. `before` is the progress before the event. */
export function formatEventLines(
  event: RunEvent,
  before: ProgressModel,
  { colors, columns }: LineStyle,
): readonly string[] {
  const shorten = (text: string): string => safeLine(text, Math.max(20, columns - 4));
  const titleOf = ({ taskId }: { taskId: string }): string => titleAmong(before, taskId);
  switch (event.type) {
    case "run-end":
      return event.status === "cancelled" ? formatCancelledNodes(before, { colors, columns }) : [];
    case "run-start":
      // The answer to a question in this terminal resumed a run that was announced before.
      if (event.isResume && before.workflow !== "") return [];
      return [`${colors.cyan("▶")} ${shorten(event.workflow)}  ${colors.dim(`run ${event.runId}`)}`];
    case "node-end": {
      const title = titleOf(event);
      if (event.isSkipped) return [`${colors.dim("⊘")} ${shorten(`${title}: skipped`)}`];
      const facts = [formatDuration(event.durationMs), formatUsage(event.usage)].filter((fact) => fact !== "");
      const [mark, text] =
        event.isPassed === false ? [colors.red("✖"), `${title}: not passed`] : [colors.green("✔"), title];
      return [`${mark} ${shorten(text)}  ${colors.dim(facts.join("  "))}`];
    }
    case "node-error": {
      const title = titleOf(event);
      if (event.error.code === "NODE_RESTARTED") return [`${colors.yellow("↻")} ${shorten(`${title}: restarted`)}`];
      const mark = event.retryAt === undefined ? colors.red("✖") : colors.yellow("↻");
      const next =
        event.retryAt === undefined ? "" : colors.dim(`  again in ${formatDuration(event.retryAt - event.at)}`);
      return [
        `${mark} ${shorten(`${title}: ${firstLine(event.error.message)}`)}${next}`,
        ...listCauses(event.error).map((line) => colors.dim(`  ${shorten(line)}`)),
        ...formatFrame(event.error).map(colors.dim),
      ];
    }
    case "node-sleep":
      return isSleepShown(event, before)
        ? []
        : [`${colors.dim("…")} ${shorten(`${titleOf(event)}: ${describeSleep(event)}`)}`];
    case "node-dropped":
      return [`${colors.dim("⊘")} ${shorten(`${titleOf(event)}: no longer needed`)}`];
    case "warning":
      return [`${colors.yellow("!")} ${shorten(event.message)}`];
    case "request":
      return formatQuestion(event, before, { colors, columns });
    case "answer":
      return [`${colors.green("✔")} ${shorten(`${event.requestId}: ${formatAnswer(event.value)}`)}`];
    case "agent":
      return formatAgentEvent(event, before, colors);
    case "command-end":
      return [formatCommand(event, shorten, colors)];
    case "context-window": {
      const { action } = event;
      return action === "none" ? [] : [`${colors.yellow("!")} ${shorten(formatContextWindow(event, action))}`];
    }
    case "debug-report":
      return [`${colors.yellow("!")} ${shorten(`debug report: ${firstLine(event.report.errorSummary)}`)}`];
    case "graph-changed":
      return [`${colors.yellow("!")} ${shorten(`the workflow has changed since: ${event.differences.join("; ")}`)}`];
    case "log":
      return formatLog(event.message, colors);
    default:
      return [];
  }
}

/** The transcript and the questions show what an agent says, does and asks. */
function formatAgentEvent(
  { taskId, event, at }: Extract<RunEvent, { type: "agent" }>,
  { active }: ProgressModel,
  colors: Colors,
): readonly string[] {
  // Which agent it is, where several work.
  const title = safeLine(nodeTitle(active.get(taskId), taskId), LABEL_COLUMNS);
  const label = active.size > 1 ? `${title}: ` : "";
  switch (event.type) {
    case "permission-denied":
      return formatDenied(event.denied, label).map((line) => colors.yellow(line));
    case "waiting": {
      const last = active.get(taskId)?.waiting;
      return last !== undefined && isSameWait(last, event, at) ? [] : formatNews(event, at, { label, colors });
    }
    case "stalled":
    case "compacted":
    case "text-restart":
    case "error":
      return formatNews(event, at, { label, colors });
    default:
      return [];
  }
}

function formatNews(
  event: AgentEvent,
  now: number,
  { label, colors }: { readonly label: string; readonly colors: Colors },
): readonly string[] {
  const news = describeAgentEvent(event, now);
  return news === undefined ? [] : formatLog(`${label}${news}`, colors);
}

function formatCommand(
  { command, exitCode, durationMs }: Extract<RunEvent, { type: "command-end" }>,
  shorten: (text: string) => string,
  colors: Colors,
): string {
  const mark = exitCode === 0 ? colors.green("$") : colors.yellow("$");
  return `${mark} ${shorten(command)}  ${colors.dim(`exit code ${exitCode}, ${formatDuration(durationMs)}`)}`;
}

/** What was in progress when the run was cancelled. */
function formatCancelledNodes({ active }: ProgressModel, { colors, columns }: LineStyle): readonly string[] {
  return [...active.values()].map((node) => {
    const title = safeLine(`${nodeTitle(node, node.taskId)}: cancelled`, Math.max(20, columns - 4));
    return `${colors.yellow("⊘")} ${title}`;
  });
}

/**
 * A question that other nodes do not wait for, or that answers itself, and how to answer it from another terminal. Any other
 * question suspends the run: the prompt or the result shows it whole.
 */
function formatQuestion(
  { runId, taskId, request }: Extract<RunEvent, { type: "request" }>,
  { active }: ProgressModel,
  { colors, columns }: LineStyle,
): readonly string[] {
  const isAlone = [...active.keys()].every((other) => other === taskId || isVisitWithin(taskId, other));
  if (isAlone && request.autoApproveAt === undefined) return [];
  const answer = request.options === undefined ? answerPlaceholder(request) : "ANSWER";
  return [
    `${colors.yellow("?")} ${safeLine(questionText(request), Math.max(20, columns - 4))}`,
    // Never cut: people copy it.
    `  ${colors.dim(`From another terminal: atomic runs answer ${runId} ${answer} ${requestOption(request)}`)}`,
  ];
}

/** What code wrote, whole. */
export function formatLog(message: string, colors: Colors): readonly string[] {
  return safeText(message)
    .split("\n")
    .map((line) => `${colors.dim("·")} ${line}`);
}

/**
 * The lines that are redrawn: each active node with the end of its agent's transcript, and the progress of the run. They
 * never fill the screen. The progress has no line before the run begins.
 */
export function formatActiveLines(model: ProgressModel, now: number, style: LineStyle): readonly string[] {
  const nodes = [...model.active.values()];
  const { shown, transcriptRows } = divideRows(nodes.length, style.rows);
  const lines = nodes.slice(0, shown).flatMap((node) => formatActiveNode(node, { now, style, transcriptRows }));
  const more = nodes.length > shown ? [style.colors.dim(`  … and ${nodes.length - shown} more`)] : [];
  const { startedAt } = model;
  const footer = startedAt === undefined ? [] : [style.colors.dim(formatFooter(model, now - startedAt, style.columns))];
  return [...lines, ...more, ...footer];
}

/** How many nodes are shown, and the rows of each agent's transcript. */
function divideRows(
  nodes: number,
  rows: number | undefined,
): { readonly shown: number; readonly transcriptRows: number } {
  if (rows === undefined) return { shown: nodes, transcriptRows: 0 };
  // One row for the footer and, if there are too many nodes, one for the count of the others.
  const room = Math.max(1, Math.floor(rows * MOVING_PART) - 1);
  if (nodes > room) return { shown: Math.max(1, room - 1), transcriptRows: 0 };
  const each = nodes === 0 ? 0 : Math.floor((room - nodes) / nodes);
  return { shown: nodes, transcriptRows: Math.min(MAX_TRANSCRIPT_ROWS, each) };
}

interface ActiveNodeStyle {
  readonly now: number;
  readonly style: LineStyle;
  readonly transcriptRows: number;
}

function formatActiveNode(node: ActiveNode, { now, style, transcriptRows }: ActiveNodeStyle): readonly string[] {
  const { colors, columns } = style;
  const frame = spinnerAt(now);
  const facts = [formatDuration(now - node.startedAt), formatUsage(node.usage)]
    .filter((fact) => fact !== "")
    .join("  ");
  const title = safeLine(nodeTitle(node, node.taskId), Math.max(1, columns - facts.length - 6));
  const head = `${title}  ${facts}`;
  const room = columns - Bun.stringWidth(head) - 6;
  // With room below, the transcript shows calls and text.
  const isBelow = transcriptRows > 0 && node.activity !== "thinking" && node.sleep === undefined;
  const what = node.sleep === undefined ? node.activity : `asleep, ${formatDuration(node.sleep.until - now)} left`;
  const activity = what === "" || isBelow || room < 10 ? "" : colors.dim(`  ${safeLine(what, room)}`);
  // The last column stays empty: terminals differ in how they wrap a full line.
  const width = Math.max(10, columns - 5);
  const below = formatTranscript(node.transcript, { rows: transcriptRows, columns: width, colors });
  return [`${colors.cyan(frame)} ${head}${activity}`, ...below.map((line) => `  ${colors.dim("│")} ${line}`)];
}

/** The spinner's frame at a time, in milliseconds. */
export function spinnerAt(now: number): string {
  return SPINNER[Math.floor(now / 80) % SPINNER.length] ?? "";
}

function formatFooter(model: ProgressModel, elapsedMs: number, columns: number): string {
  const done = model.tasks.filter(({ status }) => status === "passing").length;
  const facts = [
    model.workflow,
    formatDuration(elapsedMs),
    formatUsage(model.usage),
    model.tasks.length === 0 ? "" : `tasks ${done}/${model.tasks.length}`,
  ];
  return `  ${safeLine(facts.filter((fact) => fact !== "").join(" · "), Math.max(1, columns - 3))}`;
}

/** The title of a visit. One in a visit of the same name, such as a script that a script runs, has its workflow's name as well. */
function titleAmong({ active }: ProgressModel, taskId: string): string {
  const node = active.get(taskId);
  const title = nodeTitle(node, taskId);
  const isAmbiguous = [...active.values()].some(
    ({ name, taskId: outer }) => name === node?.name && isVisitWithin(taskId, outer),
  );
  return isAmbiguous ? `${taskId.split("/").at(-2)}/${title}` : title;
}

/** A node's name with its visit and attempt. */
export function nodeTitle(node: ActiveNode | undefined, taskId: string): string {
  if (node === undefined) return taskId;
  const visit = /#\d+$/.exec(taskId)?.[0] ?? "";
  const attempt = node.attempt > 1 ? ` (attempt ${node.attempt})` : "";
  return `${node.name}${visit === "" ? "" : ` ${visit}`}${attempt}`;
}

/** What the node did about a full context window. */
const CONTEXT_ACTIONS = { warn: "left as it is", summarize: "summarized", recreate: "new session" } as const;

function formatContextWindow(
  { session, fraction }: Extract<RunEvent, { type: "context-window" }>,
  action: keyof typeof CONTEXT_ACTIONS,
): string {
  const what = session === undefined ? "context" : `context of ${session}`;
  const fill = fraction === undefined ? "" : `, ${Math.round(fraction * 100)} % full`;
  return `${what}${fill}: ${CONTEXT_ACTIONS[action]}`;
}

function describeSleep({ until }: Extract<RunEvent, { type: "node-sleep" }>): string {
  return `sleeps until ${formatTime(new Date(until).toISOString())} UTC`;
}

/** Whether another item of the same node already sleeps until the same second. Many sleeping items need one line. */
function isSleepShown(
  { nodeId, until }: Extract<RunEvent, { type: "node-sleep" }>,
  { active }: ProgressModel,
): boolean {
  return [...active.values()].some(({ sleep }) => sleep?.nodeId === nodeId && Math.abs(sleep.until - until) < 1_000);
}

function formatAnswer(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
