import { type CheckedFinding, shorten } from "./finding.ts";
import { placeOf } from "./review-prompts.ts";
import type { ReviewReport } from "./review-report.ts";

/** How many files that were left out for the same reason are named. */
const MAX_NAMED = 20;

/** Where a finding is, in one line: names of files may contain line breaks. */
export function describePlace({ file, lines }: CheckedFinding): string {
  return placeOf(shorten(file), lines);
}

/** `bugs (claude), security (opencode)` */
export function describeReporters({ reports }: CheckedFinding): string {
  return [...new Set(reports.map(({ focus, agent }) => `${focus} (${agent})`))].join(", ");
}

/** How a finding was checked, by whom, and why. */
export function describeCheck({ verification }: CheckedFinding): string {
  if (verification.status === "unverified") return `not verified: ${verification.reason}`;
  return `${verification.status} by ${verification.agent}: ${verification.reason}`;
}

/** What the review does not cover, a line each. */
export function describeLimits({ reviewers, leftOut, folder }: ReviewReport): readonly string[] {
  return [
    ...(folder === ""
      ? []
      : [`Only changes in ${folder} were reviewed. Run the review in the root of the repository for all.`]),
    ...reviewers
      .filter(({ status }) => status !== "done")
      .map(({ focus, agent, status, error }) => {
        const what = status === "failed" ? "failed" : "failed on a part of the diff";
        return `The reviewer ${focus} (${agent}) ${what}: ${error}`;
      }),
    ...describeLeftOut(leftOut),
  ];
}

/** Names some files of each reason, and counts the others. */
export function describeLeftOut(leftOut: ReviewReport["leftOut"]): readonly string[] {
  const shown = new Map<string, number>();
  const lines = leftOut.flatMap(({ path, reason }) => {
    const count = (shown.get(reason) ?? 0) + 1;
    shown.set(reason, count);
    return count > MAX_NAMED ? [] : [`Not reviewed: ${shorten(path)} (${reason})`];
  });
  const others = [...shown].filter(([, count]) => count > MAX_NAMED);
  return [...lines, ...others.map(([reason, count]) => `Not reviewed: ${count - MAX_NAMED} more (${reason})`)];
}

/** What the review came to, a line each. */
export function describeConclusion(report: ReviewReport): readonly string[] {
  const { status, findings, refuted, files, fix } = report;
  const subject = describeSubject(report);
  if (status === "nothing-to-review") return [`Nothing to review: ${subject}.`];
  const counts = [
    countOf(findings, "confirmed"),
    countOf(findings, "unverified"),
    refuted.length === 0 ? "" : `${refuted.length} refuted`,
  ].filter((text) => text !== "");
  const result = counts.length === 0 ? "no findings" : counts.join(", ");
  const count = files === 1 ? "1 file" : `${files} files`;
  return [
    `${count} reviewed (${subject}): ${result}.${describeVerdict(report)}`,
    ...(fix === undefined ? [] : [describeFix(fix)]),
  ];
}

function describeVerdict({ findings, failOn, isPassed }: ReviewReport): string {
  if (findings.length === 0 || failOn === "none") return "";
  const bad = failOn === "critical" ? "critical" : `${failOn} or worse`;
  return isPassed ? ` Passed: no finding is ${bad}.` : ` Failed: a finding is ${bad}.`;
}

function describeSubject({ base, commit, status }: ReviewReport): string {
  if (base !== "") return `changes since ${base}, commit ${commit.slice(0, 12)}`;
  const isEmpty = status === "nothing-to-review";
  if (commit === "") return isEmpty ? "the diff contains no text that can be reviewed" : "the diff of the caller";
  return isEmpty ? "no uncommitted changes that can be reviewed" : "uncommitted changes";
}

function countOf(findings: readonly CheckedFinding[], status: "confirmed" | "unverified"): string {
  const count = findings.filter(({ verification }) => verification.status === status).length;
  return count === 0 ? "" : `${count} ${status}`;
}

function describeFix({ agent, findings, summary, deniedCalls, error }: NonNullable<ReviewReport["fix"]>): string {
  if (error !== undefined) return `${agent} could not correct the findings: ${error}`;
  const denied = deniedCalls === 0 ? "" : ` ${deniedCalls} of its calls were denied: allow them with --allow.`;
  const count = findings === 1 ? "1 finding" : `${findings} findings`;
  return `${agent} was given ${count} to correct.${denied} Review again to check the result. It says: ${summary}`;
}
