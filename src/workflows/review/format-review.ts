import {
  describeCheck,
  describeConclusion,
  describeLimits,
  describePlace,
  describeReporters,
} from "./describe-review.ts";
import { type CheckedFinding, shorten } from "./finding.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { toSarif } from "./format-sarif.ts";
import type { ReviewReport } from "./review-report.ts";

/** The forms of a report. */
export const REVIEW_FORMATS = ["text", "markdown", "json", "sarif"] as const;

/** One of {@link REVIEW_FORMATS}. */
export type ReviewFormat = (typeof REVIEW_FORMATS)[number];

/**
 * A report as text, Markdown, JSON or SARIF 2.1.0. It quotes agents: make it safe for a terminal before you print it.
 */
export function formatReview(report: ReviewReport, format: ReviewFormat): string {
  switch (format) {
    case "text":
      return formatText(report);
    case "markdown":
      return formatMarkdown(report);
    case "json":
      return JSON.stringify(report, undefined, 2);
    case "sarif":
      return JSON.stringify(toSarif(report), undefined, 2);
  }
}

function formatText(report: ReviewReport): string {
  const { findings, refuted, dropped } = report;
  return [
    ...findings.flatMap((finding) => [...formatFinding(finding), ""]),
    ...(refuted.length === 0 ? [] : ["Refuted:"]),
    ...refuted.map((finding) => `  ${describePlace(finding)}  ${finding.title} (${describeCheck(finding)})`),
    ...(refuted.length === 0 ? [] : [""]),
    ...dropped.map(
      ({ file, title, focus, agent, reason }) => `Dropped: ${shorten(file)}  ${title} (${focus}, ${agent}: ${reason})`,
    ),
    ...describeLimits(report),
    ...describeConclusion(report),
  ].join("\n");
}

function formatFinding(finding: CheckedFinding): readonly string[] {
  const { severity, category, title, description, suggestion, note } = finding;
  return [
    `${severity}  ${describePlace(finding)}  ${category}: ${title}`,
    ...[description, suggestion === "" ? "" : `Suggestion: ${suggestion}`, note ?? ""]
      .filter((text) => text !== "")
      .map((text) => `  ${text}`),
    `  Found by ${describeReporters(finding)}. ${capitalise(describeCheck(finding))}`,
  ];
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
