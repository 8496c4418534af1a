import { formatTime } from "../../view/index.ts";
import type { RunReportPage } from "../model/run-report-page.ts";
import { type Html, html } from "./markup.ts";
import type { TextRoom } from "./text-room.ts";

/** How much of a page is shown. */
export interface PageDetail {
  /** Visits with a section of their own. */
  readonly visits: number;
  /** Parts of a visit. */
  readonly parts: number;
  /** Rows of each other list. */
  readonly rows: number;
}

/** What the sections of a page share. */
export interface PageContext {
  readonly page: RunReportPage;
  readonly detail: PageDetail;
  readonly room: TextRoom;
  /** The id of the element about a visit; `undefined` when it has none. */
  anchorOf(taskId: string): string | undefined;
}

/** A section with its heading, which the navigation links to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
}

/** The name of a visit, as a link to its section if it has one. */
export function visitLink({ page, anchorOf }: PageContext, taskId: string, name?: string): Html {
  const shown = name ?? page.visits.find((visit) => visit.taskId === taskId)?.name ?? taskId;
  const anchor = anchorOf(taskId);
  return anchor === undefined ? html`${shown}` : html`<a href="#${anchor}">${shown}</a>`;
}

/** A moment, to the second, in universal time. */
export function timeOf(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${formatTime(iso)}</time>`;
}

/** The time of day of a moment. */
export function clockOf(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}" title="${formatTime(iso)} UTC">${iso.slice(11, 19)}</time>`;
}

/** Says how many of a list are not shown. */
export function restOf(total: number, shown: number, what: string): Html | undefined {
  return total <= shown ? undefined : html`<p class="muted">${total - shown} more ${what} are left out here.</p>`;
}
