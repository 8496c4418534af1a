import {
  describeCheck,
  describeConclusion,
  describeLimits,
  describePlace,
  describeReporters,
} from "./describe-review.ts";
import { type CheckedFinding, shorten } from "./finding.ts";
import type { ReviewReport } from "./review-report.ts";

/** A report for a pull request or a page. Text of agents cannot become a link, an image, HTML or a mention. */
export function formatMarkdown(report: ReviewReport): string {
  const { findings, refuted, dropped } = report;
  const limits = describeLimits(report);
  return [
    "## Review",
    "",
    ...describeConclusion(report).flatMap((line) => [escapeText(line), ""]),
    ...findings.flatMap(formatFinding),
    ...section("Refuted", [
      ...refuted.map(
        (finding) => `- ${code(describePlace(finding))} ${escapeText(`${finding.title} (${describeCheck(finding)})`)}`,
      ),
      ...dropped.map(
        ({ file, title, reason }) => `- ${code(shorten(file))} ${escapeText(`${title} (dropped: ${reason})`)}`,
      ),
    ]),
    ...section(
      "Not covered",
      limits.map((line) => `- ${escapeText(line)}`),
    ),
  ]
    .join("\n")
    .trimEnd();
}

function formatFinding(finding: CheckedFinding): readonly string[] {
  const { severity, category, title, description, suggestion, note = "" } = finding;
  return [
    `### ${severity}: ${escapeText(title)}`,
    "",
    `${code(describePlace(finding))} · ${category}`,
    "",
    ...[description, suggestion === "" ? "" : `Suggestion: ${suggestion}`, note]
      .filter((text) => text !== "")
      .flatMap((text) => [escapeText(text), ""]),
    escapeText(`Found by ${describeReporters(finding)}; ${describeCheck(finding)}`),
    "",
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`### ${title}`, "", ...lines, ""];
}

/** A code span, whatever the text contains. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

/** One paragraph of text; only code between single backticks keeps its meaning. */
function escapeText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .split(/(?<!`)(`[^`]+`)(?!`)/)
    .map((part, index) => (index % 2 === 1 ? part : escapePlain(part)))
    .join("");
}

function escapePlain(text: string): string {
  return text
    .replace(/[\\`*_[\]|~]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/@/g, "&#64;")
    .replace(/#(?!\d+;)/g, "&#35;")
    .replace(/:\/\//g, "&#58;//")
    .replace(/www\./gi, "www&#46;")
    .replace(/^([-+=])/, "\\$1")
    .replace(/^(\d+)([.)])/, "$1\\$2");
}
