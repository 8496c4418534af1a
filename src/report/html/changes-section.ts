import type { ReportedFile } from "../model/run-report-page.ts";
import { type Html, html } from "./markup.ts";
import { type PageContext, restOf } from "./page-context.ts";

/** The longest line of a diff, in characters. */
const MAX_LINE_LENGTH = 1_000;

/** What differs between the commit that the run started from and the working tree when the report was created. */
export function formatChanges(context: PageContext): Html | undefined {
  const { page, detail, room } = context;
  const { changes, base } = page;
  if (changes === undefined) return undefined;
  const { files, leftOut, commits } = changes;
  const branch = base?.branch === undefined ? undefined : html` (${base.branch})`;
  const start = base === undefined ? undefined : html` <code>${base.commit.slice(0, 12)}</code>${branch}`;
  const intro = html`<p class="muted">The difference between the commit that the run started from${start} and the working tree when this report was created. Later changes by others are in it too.</p>`;
  if (files.length === 0 && leftOut.length === 0) return html`${intro}<p>No file differs.</p>`;
  const shown = files.slice(0, detail.rows);
  const commitList =
    commits.length === 0
      ? undefined
      : html`<details><summary><b>${commits.length === 1 ? "1 commit" : `${commits.length} commits`}</b> since then</summary><ul class="plain">${commits.slice(0, detail.rows).map(({ id, subject }) => html`<li><code>${id.slice(0, 10)}</code> ${subject}</li>`)}</ul></details>`;
  const others =
    leftOut.length === 0
      ? undefined
      : html`<details><summary><b>${leftOut.length}</b> without their content</summary><ul class="plain">${leftOut.slice(0, detail.rows).map(({ path, reason }) => html`<li><code>${path}</code> <small>${reason}</small></li>`)}</ul>${restOf(leftOut.length, detail.rows, "files")}</details>`;
  return html`${intro}${commitList}${shown.map((file) => formatFile(file, room))}${restOf(files.length, shown.length, "changed files")}${others}`;
}

function formatFile({ path, oldPath, status, hunks }: ReportedFile, room: PageContext["room"]): Html {
  const lines = hunks.flatMap(({ lines: each }) => each);
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  const name =
    oldPath === undefined ? html`<code>${path}</code>` : html`<code>${oldPath}</code> → <code>${path}</code>`;
  const head = html`${name} <small>${status}</small> <small class="good">+${added}</small> <small class="bad">−${removed}</small>`;
  if (lines.length === 0) return html`<p class="file">${head}</p>`;
  return html`<details class="file"><summary>${head}</summary><div class="scroll" tabindex="0" role="region" aria-label="Changes of ${path}"><div class="diff">${room.lines(hunks.flatMap(formatHunk))}</div></div></details>`;
}

/** The numbers are those of the new version; a removed line has none. */
function formatHunk({ start, lines }: ReportedFile["hunks"][number]): readonly Html[] {
  let number = start;
  const head = html`<span class="hunk">line ${start}</span>`;
  return [
    head,
    ...lines.map((line) => {
      const type = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
      const shown = line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
      return html`<span${type === "" ? undefined : html` class="${type}"`}><i>${type === "removed" ? "" : number++}</i>${shown}</span>`;
    }),
  ];
}
