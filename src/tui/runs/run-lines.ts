import { NO_USAGE, type TaskProgress, type Usage } from "../../contracts/index.ts";
import { columnsOf, formatCost, formatCount, formatDuration, padColumns, safeLine } from "../../view/index.ts";
import type { RunState, RunTask } from "../host/runs-port.ts";
import type { Glyphs } from "../theme/glyphs.ts";
import { type AgentRow, formatClock } from "./agent-rows.ts";
import type { GraphRow } from "./graph-rows.ts";
import { cutLine, fitLine, type Line, type Span, span, widthOf } from "./line.ts";
import { signOf, stateOfRun, type WorkState } from "./work-state.ts";
import { workedUntil } from "./work-times.ts";

/** How a row is drawn. */
export interface RowStyle {
  readonly columns: number;
  readonly glyphs: Glyphs;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** The row that keys act on. */
  readonly isSelected?: boolean;
  /** Whether it belongs to what is selected in another pane. */
  readonly isLit?: boolean;
}

/** All tokens of a usage. */
export function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return bounded(inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens, MAX_COUNT);
}

/** The largest count of tokens, amount of dollars and duration in milliseconds that are shown: more is nonsense. */
const MAX_COUNT = 1e12;
const MAX_COST_USD = 1e6;
const MAX_DURATION_MS = 10_000 * 3_600_000;

/** A number from a file that anything may have written: zero for what is no number. */
function bounded(value: number, most: number): number {
  return Number.isNaN(value) ? 0 : Math.min(most, Math.max(0, value));
}

/** The cost; empty where the agent reports none. */
function costText({ costUsd }: Usage): string {
  return costUsd === undefined || Number.isNaN(costUsd) ? "" : formatCost(bounded(costUsd, MAX_COST_USD));
}

/** A duration in a column: empty below a second, where it would only flicker. */
function timeText(milliseconds: number): string {
  const shown = bounded(milliseconds, MAX_DURATION_MS);
  return shown < 1_000 ? "" : formatDuration(shown);
}

function pointerOf({ isSelected = false, glyphs }: RowStyle): Span {
  return span(isSelected ? `${glyphs.pointer} ` : "  ", "accent");
}

function nameOf(name: string, state: WorkState, { isSelected = false, isLit = false }: RowStyle): Span {
  const tone = isSelected || isLit ? "accent" : state === "pending" || state === "skipped" ? "muted" : "text";
  return span(name, tone, { isBold: isSelected || isLit });
}

/** A row of the graph as a line. */
export function graphLine(row: GraphRow, style: RowStyle): Line {
  const { glyphs, now, columns } = style;
  const { sign, tone } = signOf(row.state, glyphs);
  const guide = `${glyphs.line} `.repeat(row.depth);
  const fold = row.isFoldable && !row.isOpen ? ` ${glyphs.folded}` : "";
  const time = row.until === undefined ? timeText(workedUntil(row, now)) : `until ${formatClock(row.until)}`;
  const start = [pointerOf(style), span(guide, "muted"), span(`${sign} `, tone)];
  const end = [span(fold, "muted"), span(row.note === "" ? "" : `  ${row.note}`, "muted")];
  // A long name leaves room for what is added to it.
  const room = columns - widthOf(start) - columnsOf(time) - 1;
  const name = cutLine([nameOf(row.name, row.state, style)], Math.max(room - widthOf(end), Math.floor(room / 2)));
  const left = [...start, ...name, ...end];
  return fitLine(left, [span(time, row.state === "running" ? "accent" : "muted")], columns);
}

/** The widths of the columns that the rows of agents share. */
export interface AgentColumns {
  readonly name: number;
  readonly about: number;
}

/** The narrowest pane that shows agents' types and models. */
const MIN_ABOUT_COLUMNS = 50;

/** The widths of names and models over all rows. */
export function agentColumns(rows: readonly AgentRow[], { separator }: Glyphs, columns: number): AgentColumns {
  const live = rows.filter(({ isSubagent }) => !isSubagent);
  const widest = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(0, ...texts.map((text) => columnsOf(text))));
  return {
    name: widest(
      live.map(({ name }) => name),
      Math.max(8, Math.floor(columns * 0.3)),
    ),
    // A narrow pane has no room for it beside what the agent does.
    about:
      columns < MIN_ABOUT_COLUMNS
        ? 0
        : widest(
            live.map((row) => aboutOf(row, separator)),
            Math.floor(columns * 0.28),
          ),
  };
}

function aboutOf({ about }: AgentRow, separator: string): string {
  return about.join(` ${separator} `);
}

/** The lines of an agent: two while it works on something that its name does not say, one otherwise. */
export function agentLines(row: AgentRow, style: RowStyle & { readonly widths: AgentColumns }): readonly Line[] {
  const { glyphs, now, columns, widths } = style;
  const { sign, tone } = signOf(row.state, glyphs);
  if (row.isSubagent) {
    const left = [
      span(`  ${glyphs.line} ${glyphs.lastBranch} `, "muted"),
      span(`${row.name}  `),
      span(row.activity, "muted"),
    ];
    return [fitLine(left, [span(timeText(now - row.startedAt), "muted")], columns)];
  }
  const name = padColumns(safeLine(row.name, widths.name), widths.name);
  const about =
    widths.about === 0 ? "" : padColumns(safeLine(aboutOf(row, glyphs.separator), widths.about), widths.about);
  const isOver = row.endedAt !== undefined;
  const start = [
    pointerOf(style),
    span(`${sign} `, tone),
    nameOf(name, row.state, style),
    span(about === "" ? "" : `  ${about}`, "muted"),
  ];
  const spent = spentSpans(row.usage);
  if (isOver) {
    const time = timeText((row.endedAt ?? now) - row.startedAt);
    return [
      fitLine(
        [...start, span(row.title === "" ? "" : `  ${row.title}`, "muted")],
        [span(time, "muted"), ...spent],
        columns,
      ),
    ];
  }
  const since = row.since === undefined ? "" : timeText(now - row.since);
  const doing = span(`  ${row.activity}`, row.state === "running" ? "text" : tone);
  const first = fitLine([...start, doing], [span(since, "muted")], columns);
  const second = fitLine([span(`  ${glyphs.line}   `, "muted"), span(row.title, "muted")], spent, columns);
  return row.title === "" && spent.length === 0 ? [first] : [first, second];
}

/** Tokens and cost, each in a column of its own. */
function spentSpans(usage: Usage = NO_USAGE): Line {
  const tokens = tokensOf(usage);
  if (tokens === 0) return [];
  const cost = costText(usage);
  return [span(formatCount(tokens).padStart(8), "muted"), ...(cost === "" ? [] : [span(cost.padStart(8), "muted")])];
}

/** What the first line says of a run. */
export interface RunHeader {
  readonly workflow: string;
  readonly id: string;
  readonly prompt: string;
  readonly state: RunState;
  /** Finished parts and all parts: tasks where it has some. */
  readonly progress: { readonly done: number; readonly total: number } | undefined;
  readonly elapsedMs: number;
  readonly usage: Usage;
}

/** The first line of a run: what it is, and how far it is. */
export function headerLine(header: RunHeader, { columns, glyphs }: Pick<RowStyle, "columns" | "glyphs">): Line {
  const { workflow, id, prompt, state, progress, elapsedMs, usage } = header;
  const { sign, tone } = signOf(stateOfRun(state), glyphs);
  const count = progress === undefined ? "" : `${progress.done} of ${progress.total}`;
  const word = state === "running" ? count : [state, count].filter((text) => text !== "").join(", ");
  const tokens = tokensOf(usage);
  const cost = costText(usage);
  const time = timeText(elapsedMs);
  const facts = [
    ...(time === "" ? [] : [time]),
    ...(columns < 60 || tokens === 0 ? [] : [formatCount(tokens)]),
    ...(columns < 60 || cost === "" ? [] : [cost]),
  ];
  const name = columns < 60 ? "" : `  ${id}`;
  const left = [
    span(workflow, "accent", { isBold: true }),
    span(name, "muted"),
    span(prompt === "" ? "" : `  "${prompt}"`),
  ];
  const right = [span(`${sign} ${word}`.trimEnd(), tone), ...facts.map((fact) => span(`  ${fact}`, "muted"))];
  return fitLine(left, right, columns);
}

const TASK_STATES: Readonly<Record<TaskProgress["status"], WorkState>> = {
  pending: "pending",
  in_progress: "running",
  passing: "done",
  failing: "failed",
  skipped: "skipped",
};

/** The tasks of a run in one line: how many are in which state. */
export function tasksLine(tasks: readonly TaskProgress[], { glyphs }: Pick<RowStyle, "glyphs">): Line {
  const states = tasks.map(({ status }) => TASK_STATES[status]);
  const counts = (["done", "running", "failed", "skipped", "pending"] as const).flatMap((state) => {
    const count = states.filter((one) => one === state).length;
    const { sign, tone } = signOf(state, glyphs);
    return count === 0 ? [] : [span(`  ${sign} ${count}`, tone)];
  });
  return [span("Tasks", "muted"), ...counts];
}

/** A task as a line: its state, its name, and what it needs that is not done. */
export function taskLine(task: RunTask, others: readonly RunTask[], style: RowStyle): Line {
  const { sign, tone } = signOf(TASK_STATES[task.status], style.glyphs);
  const statuses = new Map(others.map(({ id, status }) => [id, status]));
  const open = (task.dependsOn ?? []).filter((id) => statuses.get(id) !== "passing");
  const isDone = task.status === "passing" || task.status === "skipped";
  const needs = open.length === 0 || isDone ? "" : `needs ${open.join(", ")}`;
  const name = nameOf(task.name, TASK_STATES[task.status], style);
  const left = [pointerOf(style), span(`${sign} `, tone), span(`${task.id}  `, "muted"), name];
  return fitLine(left, [span(needs, "muted")], style.columns);
}

/** The graph in one line, for a screen that shows another pane. */
export function graphSummary(rows: readonly GraphRow[], style: RowStyle): Line {
  const row =
    rows.findLast(({ state, isOpen }) => state === "running" && !isOpen) ??
    rows.findLast(({ state }) => state !== "pending");
  if (row === undefined) return [span("Graph  ", "muted"), span("nothing has begun", "muted")];
  const { sign, tone } = signOf(row.state, style.glyphs);
  return [
    span("Graph   ", "muted"),
    span(`${sign} `, tone),
    span([row.name, row.note].filter((text) => text !== "").join("  ")),
  ];
}

/** The agents in one line: how many do what. */
export function agentSummary(rows: readonly AgentRow[], { glyphs }: RowStyle): Line {
  const agents = rows.filter(({ isSubagent }) => !isSubagent);
  const counts = (["running", "asks", "waiting", "failed", "done"] as const).flatMap((state) => {
    const count = agents.filter((row) => row.state === state).length;
    const { sign, tone } = signOf(state, glyphs);
    return count === 0 ? [] : [span(`${sign} ${count}  `, tone)];
  });
  return [span("Agents  ", "muted"), ...(counts.length === 0 ? [span("none yet", "muted")] : counts)];
}

/** What the keys do here: as many items as fit, the last one always. */
export function keysLine(items: readonly string[], { columns, glyphs }: Pick<RowStyle, "columns" | "glyphs">): Line {
  const between = ` ${glyphs.separator} `;
  const kept = [...items];
  while (kept.length > 2 && columnsOf(kept.join(between)) > columns) kept.splice(-2, 1);
  return fitLine([span(kept.join(between), "muted")], [], columns);
}
