import { summarizePullRequest } from "../pull-request/pull-request-nodes.ts";
import { describeLeftOut } from "../review/describe-review.ts";
import type { RalphFinding, RalphState } from "./ralph-state.ts";

/** A text of an agent's cannot look like a line of the summary. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A finding in one line. */
export function nameFinding({ file, line, severity, title }: RalphFinding): string {
  return `${severity}: ${oneLine(title)} (${oneLine(file)}${line === null ? "" : `:${line}`})`;
}

/** How much of a cause an error has, in characters. */
const MAX_CAUSE_LENGTH = 500;

/** The causes of failed tasks that are known, in one line each, by the task's id. */
export function nameCauses(reports: RalphState["debugReports"]): ReadonlyMap<string, string> {
  const named = reports.flatMap(({ id, report }) =>
    report === null ? [] : [[id, oneLine(report.errorSummary).slice(0, MAX_CAUSE_LENGTH)] as const],
  );
  return new Map(named);
}

/** What a run of Ralph came to, for people. Pure. */
export function summarizeRalph(state: Readonly<RalphState>): string {
  const { tasks, work, verifyCommand, verification } = state;
  const doneCount = tasks.filter(({ status }) => status === "passing").length;
  const isVerified = verification !== null && verification.exitCode === 0;
  return [
    `${doneCount} of ${tasks.length} tasks done`,
    ...tasks.map(({ id, name, status }) => {
      const agent = work.find((one) => one.id === id)?.agent ?? "";
      const about = [agent, status === "passing" ? "" : status].filter((text) => text !== "").join(", ");
      return `${status === "passing" ? "✔" : "–"} ${oneLine(id)}: ${oneLine(name)}${about === "" ? "" : ` (${about})`}`;
    }),
    isVerified ? `Verified: \`${verifyCommand}\` succeeded.` : "Nothing was verified.",
    ...summarizeReview(state),
    ...summarizePullRequest(state),
  ].join("\n");
}

function summarizeReview(state: Readonly<RalphState>): readonly string[] {
  const { reviewCount, hasReviewedChanges, findings, leftOut } = state;
  if (reviewCount === 0) return ["Nothing was reviewed."];
  const unread = describeLeftOut(leftOut);
  if (!hasReviewedChanges)
    return unread.length === 0 ? ["Nothing was changed. Nothing was reviewed."] : [...NO_TEXT, ...unread];
  const times = reviewCount === 1 ? "once" : `${reviewCount} times`;
  if (findings.length === 0) return [`Reviewed ${times}: no confirmed finding is left.`, ...unread];
  return [`Reviewed ${times}. Left:`, ...findings.map((finding) => `  ${nameFinding(finding)}`), ...unread];
}

const NO_TEXT = ["Nothing was reviewed: reviewers read none of the files that changed."];
