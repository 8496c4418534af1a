import { describeCheck, describeLimits, describeReporters } from "./describe-review.ts";
import { type CheckedFinding, SEVERITIES, type Severity } from "./finding.ts";
import type { ReviewReport } from "./review-report.ts";
import { REVIEW_FOCUSES } from "./reviewers.ts";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
};

/** GitHub shows these numbers as critical, high, medium and low. */
const SECURITY_SEVERITIES: Readonly<Record<Severity, string>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.5",
  low: "2.0",
};

/** The root of the reviewed folder, as a name that readers of SARIF resolve. */
const ROOT = "%SRCROOT%";

/** A report as a log of SARIF 2.1.0, with one result for each finding that was not refuted. */
export function toSarif(report: ReviewReport): Readonly<Record<string, unknown>> {
  const { findings } = report;
  // A category and a severity are a rule: GitHub shows the severity of the rule.
  const kinds = [...new Map(findings.map((finding) => [ruleIdOf(finding), finding])).values()].toSorted(
    (left, right) =>
      left.category.localeCompare(right.category) ||
      SEVERITIES.indexOf(left.severity) - SEVERITIES.indexOf(right.severity),
  );
  const ruleIds = kinds.map(ruleIdOf);
  const prints = numberFingerprints(findings);
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "Atomic",
            rules: kinds.map(toRule),
          },
        },
        automationDetails: { id: "atomic-review/" },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { [ROOT]: { description: { text: "The folder that was reviewed" } } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: describeLimits(report).map((text) => ({ level: "warning", message: { text } })),
          },
        ],
        results: findings.map((finding, index) => ({
          ...toResult(finding),
          ruleIndex: ruleIds.indexOf(ruleIdOf(finding)),
          partialFingerprints: { "atomicReview/v1": prints[index] },
        })),
      },
    ],
  };
}

function ruleIdOf({ category, severity }: CheckedFinding): string {
  return `atomic/${category}/${severity}`;
}

function toRule(finding: CheckedFinding): Readonly<Record<string, unknown>> {
  const { category, severity } = finding;
  const about = Object.hasOwn(REVIEW_FOCUSES, category) ? REVIEW_FOCUSES[category] : undefined;
  return {
    id: ruleIdOf(finding),
    name: `${category}-${severity}`,
    shortDescription: { text: `${category}, ${severity}` },
    ...(about === undefined ? {} : { fullDescription: { text: about } }),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: {
      tags: [category],
      ...(category === "security" ? { "security-severity": SECURITY_SEVERITIES[severity] } : {}),
    },
  };
}

function toResult(finding: CheckedFinding): Readonly<Record<string, unknown>> {
  const { file, lines, severity, title, description, suggestion, note = "", reports, verification } = finding;
  const texts = [
    title,
    description,
    suggestion === "" ? "" : `Suggestion: ${suggestion}`,
    note,
    `Found by ${describeReporters(finding)}; ${describeCheck(finding)}`,
  ];
  return {
    ruleId: ruleIdOf(finding),
    level: LEVELS[severity],
    // Viewers take [this](address) for a link.
    message: {
      text: texts
        .filter((text) => text !== "")
        .join("\n")
        .replaceAll("](", "] ("),
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: toUri(file), uriBaseId: ROOT },
          // GitHub requires a line. The note in the message says that it is not the place.
          region: lines === undefined ? { startLine: 1 } : { startLine: lines.start, endLine: lines.end },
        },
      },
    ],
    properties: {
      severity,
      verification,
      reviewers: [...new Set(reports.map(({ focus, agent }) => `${focus}@${agent}`))],
    },
  };
}

/** A relative reference: a colon in its first segment would be a scheme. */
function toUri(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Equal code in several places of a file has numbered fingerprints, so that none hides another. */
function numberFingerprints(findings: readonly CheckedFinding[]): readonly string[] {
  const counts = new Map<string, number>();
  return findings.map(({ fingerprint }) => {
    const count = (counts.get(fingerprint) ?? 0) + 1;
    counts.set(fingerprint, count);
    return `${fingerprint}:${count}`;
  });
}
