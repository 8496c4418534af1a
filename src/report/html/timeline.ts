import { formatDuration } from "../../view/index.ts";
import type { ReportedPeriod, ReportedVisit } from "../model/run-report-page.ts";
import { createTimeAxis, type TimeAxis } from "../model/time-axis.ts";
import { timeIn } from "../model/time-in.ts";
import { type Html, html } from "./markup.ts";
import { type PageContext, restOf, visitLink } from "./page-context.ts";
import { classOf } from "./status-badge.ts";

/** The marks of the axis, as fractions of it. */
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** What a period is called. */
const PERIODS = {
  work: "worked",
  failed: "failed",
  cancelled: "stopped after",
  wait: "waited for an answer",
  sleep: "slept",
} as const;

/** A bar for each visit: when it worked, failed, waited and slept. On phones each bar is below its name. */
export function formatTimeline(context: PageContext): Html {
  const { page, detail } = context;
  const timed = page.visits.filter(({ periods }) => periods.length > 0);
  const shown = timed.slice(0, detail.rows);
  const axis = createTimeAxis(
    timed.flatMap(({ periods }) => periods),
    page.startedAt,
    page.lastAt,
  );
  const ticks = TICKS.map((position) => {
    const elapsed = axis.momentAt(position) - page.startedAt;
    return html`<span style="left:${percent(position)}">${formatDuration(elapsed)}</span>`;
  });
  const gaps = axis.gaps.map(
    ({ start, end, durationMs }) =>
      html`<i class="gap" style="left:${percent(start)};width:${percent(end - start)}" title="Nothing ran for ${formatDuration(durationMs)}"></i>`,
  );
  const longest = Math.max(0, ...axis.gaps.map(({ durationMs }) => durationMs));
  const note =
    axis.gaps.length === 0
      ? undefined
      : html`<p class="muted">Times in which nothing ran are drawn shorter, hatched; the longest took ${formatDuration(longest)}.</p>`;
  return html`<div class="timeline"><div class="axis" aria-hidden="true"><div class="track">${ticks}</div></div><ol>${shown.map((visit) => formatRow(visit, { context, axis, gaps }))}</ol></div>${note}${restOf(timed.length, shown.length, "steps")}`;
}

function formatRow(
  visit: ReportedVisit,
  { context, axis, gaps }: { readonly context: PageContext; readonly axis: TimeAxis; readonly gaps: readonly Html[] },
): Html {
  const { taskId, name, status, agents, attempts, periods } = visit;
  const bars = periods.map((period) => formatBar(period, axis));
  const facts = [...agents, ...(attempts > 1 ? [`${attempts} attempts`] : [])].join(", ");
  return html`<li class="${classOf(status)}"><span class="what"><i class="dot"></i>${visitLink(context, taskId, name)} <small>${facts}</small></span><span class="track">${gaps}${bars}</span><span class="took">${formatDuration(timeIn(visit))}</span></li>`;
}

function formatBar({ type, from, to }: ReportedPeriod, axis: TimeAxis): Html {
  const left = axis.positionOf(from);
  const width = axis.positionOf(to) - left;
  return html`<i class="bar ${type}" style="left:${percent(left)};width:${percent(width)}" title="${PERIODS[type]} ${formatDuration(to - from)}"></i>`;
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 10_000) / 100}%`;
}
