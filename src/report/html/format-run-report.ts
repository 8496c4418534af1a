import { formatDuration, formatTime, formatUsage, safeLine } from "../../view/index.ts";
import type { ReportedPeriod, RunReportPage } from "../model/run-report-page.ts";
import { type Html, html, trusted } from "./markup.ts";
import { type PageContext, type PageDetail, type Section, timeOf } from "./page-context.ts";
import { formatSections } from "./page-sections.ts";
import { classOf, statusBadge } from "./status-badge.ts";
import { STYLES } from "./styles.ts";
import { shareOf, TextCutter, TextMeter, type TextRoom } from "./text-room.ts";

/** How every report begins: by this, Atomic recognizes a file that it may replace. */
export const REPORT_START = "<!doctype html>\n<!-- Report of a run of Atomic -->\n";

/** The longest page, in bytes: below a megabyte, with some reserve. */
const MAX_BYTES = 960_000;

/** The first of these whose page has room for texts, too, is used. */
const DETAILS: readonly PageDetail[] = [
  { visits: 1_000, parts: 500, rows: 1_000 },
  { visits: 500, parts: 150, rows: 400 },
  { visits: 300, parts: 50, rows: 200 },
  { visits: 150, parts: 20, rows: 100 },
  { visits: 60, parts: 8, rows: 50 },
  { visits: 20, parts: 4, rows: 20 },
];

/** Settings of {@link formatRunReport}. */
export interface FormatRunReportOptions {
  /** The version of Atomic, for the last line. */
  readonly version: string;
  /** The longest page, in bytes. @default 960_000 */
  readonly maxBytes?: number;
}

/**
 * A run's report as one file of HTML that needs nothing else: no script, no font, no picture, no network. A page that would
 * be too long has its longest texts shortened, and says where.
 *
 * @example
 * const page = await createRunReport({ report, events, moments, log, createdAt: Date.now() });
 * await writeFile("report.html", formatRunReport(page, { version: "1.0.0" }));
 */
export function formatRunReport(
  page: RunReportPage,
  { version, maxBytes = MAX_BYTES }: FormatRunReportOptions,
): string {
  for (const [index, detail] of DETAILS.entries()) {
    const meter = new TextMeter();
    const frame = Buffer.byteLength(formatPage(page, { detail, room: meter, version }));
    const isLast = index === DETAILS.length - 1;
    // At least a third is for texts.
    if (!isLast && frame > (maxBytes * 2) / 3) continue;
    let share = shareOf(meter.sizes, maxBytes - frame);
    for (;;) {
      const text = formatPage(page, { detail, room: new TextCutter(share), version });
      if (share === 0 || Buffer.byteLength(text) <= maxBytes) return text;
      share = Number.isFinite(share) ? Math.floor(share * 0.9) : Math.floor(maxBytes / 2);
    }
  }
  throw new Error("unreachable: the last detail is always used");
}

interface PageOptions {
  readonly detail: PageDetail;
  readonly room: TextRoom;
  readonly version: string;
}

function formatPage(page: RunReportPage, { detail, room, version }: PageOptions): string {
  const anchors = new Map(
    page.visits.slice(0, detail.visits).map(({ taskId }, index) => [taskId, `step-${index + 1}`]),
  );
  const context: PageContext = { page, detail, room, anchorOf: (taskId) => anchors.get(taskId) };
  const sections = formatSections(context);
  const title = `${page.workflow} · run ${page.runId} · ${page.status}`;
  const document = html`<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,"><title>${safeLine(title, 120)}</title><style>${trusted(STYLES)}</style></head><body><a class="skip" href="#main">Skip to the content</a>${formatHeader(page)}${formatNavigation(sections)}<main id="main">${formatNotes(page)}${sections.map(formatSection)}</main>${formatFooter(page, version)}</body></html>`;
  return `${REPORT_START}${document.markup}\n`;
}

function formatHeader(page: RunReportPage): Html {
  const { runId, workflow, workflowVersion, status, startedAt, lastAt, visits, usage, agent, model, project, base } =
    page;
  const failed = visits.filter((visit) => visit.status === "failed").length;
  const inherited = visits.filter((visit) => visit.status === "inherited").length;
  const steps = `${visits.length}${inherited > 0 ? `, ${inherited} inherited` : ""}${failed > 0 ? `, ${failed} failed` : ""}`;
  const { forkedFrom: origin, inheritedUsage } = page;
  const earlier = inheritedUsage === undefined ? "" : formatUsage(inheritedUsage);
  const used = `${formatUsage(usage)}${earlier === "" ? "" : `, of which inherited: ${earlier}`}`;
  const facts: readonly (readonly [string, Html | string | undefined])[] = [
    ["Forked from", origin === undefined ? undefined : html`run <code>${origin.runId}</code> at ${origin.at}`],
    ["Started", html`${timeOf(startedAt)} UTC`],
    ["Time", `${formatDuration(lastAt - startedAt)}${describeBusy(page)}`],
    ["Steps", visits.length === 0 ? undefined : steps],
    ["Usage", used || undefined],
    ["Agent", agent === undefined ? undefined : `${agent}${model === undefined ? "" : `, ${model}`}`],
    ["Project", project === undefined ? undefined : html`<code>${project}</code>`],
    [
      "Started from",
      base === undefined
        ? undefined
        : html`<code>${base.commit.slice(0, 12)}</code>${base.branch === undefined ? "" : ` on ${base.branch}`}`,
    ],
  ];
  const shown = facts.map(([name, fact]) =>
    fact === undefined ? undefined : html`<div><dt>${name}</dt><dd>${fact}</dd></div>`,
  );
  const version = workflowVersion === undefined ? undefined : html` <small>${workflowVersion}</small>`;
  return html`<header class="${classOf(status)}"><div><p class="over">Run <code>${runId}</code></p><h1>${workflow}${version} ${statusBadge(status)}</h1><dl>${shown}</dl></div></header>`;
}

/** The time in which something worked, if the run has waited for a good part of its time. */
function describeBusy({ visits, startedAt, lastAt }: RunReportPage): string {
  const busy = unionOf(
    visits.flatMap(({ periods }) => periods.filter(({ type }) => type !== "wait" && type !== "sleep")),
  );
  return busy < (lastAt - startedAt) * 0.8 ? `, at work ${formatDuration(busy)}` : "";
}

/** How long at least one of some periods lasted. */
function unionOf(periods: readonly ReportedPeriod[]): number {
  let total = 0;
  let end = 0;
  for (const { from, to } of periods.toSorted((left, right) => left.from - right.from)) {
    total += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return total;
}

function formatNavigation(sections: readonly Section[]): Html {
  return html`<nav aria-label="Sections"><div>${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</div></nav>`;
}

function formatNotes({ notes, isWithoutTexts }: RunReportPage): Html | undefined {
  const shared = isWithoutTexts
    ? ["Prompts, answers, outputs, commands, names of tasks, paths and diffs were left out of this report."]
    : [];
  const all = [...shared, ...notes];
  return all.length === 0
    ? undefined
    : html`<aside aria-label="Notes">${all.map((note) => html`<p>${note}</p>`)}</aside>`;
}

function formatSection({ id, title, content }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${content}</section>`;
}

function formatFooter({ createdAt, isWithoutTexts }: RunReportPage, version: string): Html {
  const moment = formatTime(new Date(createdAt).toISOString());
  const secrets = isWithoutTexts ? "" : " Known secrets are replaced by [redacted]; read it before you share it.";
  return html`<footer><p>Created by Atomic ${version} on ${moment} UTC. All times are UTC.${secrets}</p></footer>`;
}
