import { z } from "zod";

/** How bad a finding is, the worst first. */
export const SEVERITIES = ["critical", "high", "medium", "low"] as const;

/** One of {@link SEVERITIES}. */
export type Severity = (typeof SEVERITIES)[number];

/** The mildest finding that fails a review; with `none`, no finding does. */
export type SeverityThreshold = Severity | "none";

export const THRESHOLDS: readonly SeverityThreshold[] = [...SEVERITIES, "none"];

/** Whether a finding fails a review. */
export function reachesThreshold(severity: Severity, threshold: SeverityThreshold): boolean {
  return threshold !== "none" && SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(threshold);
}

/** A finding as a reviewer reports it. */
export interface RawFinding {
  readonly file: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly severity: Severity;
  readonly category: string;
  readonly title: string;
  readonly description: string;
  readonly suggestion: string;
}

/** The lines of a finding in the new version of its file, from 1, both inclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** What one reviewer says about a finding. */
export interface FindingReport {
  /** What the reviewer looks for: `bugs`. */
  readonly focus: string;
  /** The vendor's agent: `claude`. */
  readonly agent: string;
  readonly title: string;
  readonly description: string;
}

/** How a finding was checked. */
export type Verification =
  | { readonly status: "confirmed" | "refuted"; readonly agent: string; readonly reason: string }
  /** No agent could check it; `reason` says why. */
  | { readonly status: "unverified"; readonly reason: string };

/** A finding about the change, merged from all reports of it. */
export interface ReviewFinding {
  /** Identifies it within the review: `f1`. */
  readonly id: string;
  readonly file: string;
  /** Absent where the reported lines are not in the diff, and for a deleted file. */
  readonly lines?: LineRange;
  /** What is wrong with the reported place. */
  readonly note?: string;
  readonly severity: Severity;
  readonly category: string;
  readonly title: string;
  readonly description: string;
  /** How to correct it; empty where no reviewer says so. */
  readonly suggestion: string;
  /** The same for the same problem in a later review, also where its lines have moved. */
  readonly fingerprint: string;
  readonly reports: readonly FindingReport[];
}

/** A finding after it was checked. */
export interface CheckedFinding extends ReviewFinding {
  readonly verification: Verification;
}

/** A finding that is about no file of the change. */
export interface DroppedFinding extends FindingReport {
  readonly file: string;
  readonly reason: string;
}

/** The longest texts of a finding that are kept, in characters. */
const MAX_TITLE_LENGTH = 200;
const MAX_TEXT_LENGTH = 4_000;

const line = z.int().min(0).describe("A line number in the new version of the file, as in the diff");

/** The shape of a reviewer's answer. @param categories what its findings may be about */
export function findingsSchema(categories: readonly [string, ...string[]]) {
  return z.object({
    findings: z
      .array(
        z.object({
          file: z.string().min(1).describe("The path of the file, as in the diff"),
          startLine: line,
          endLine: line.describe("The last line of the problem; the same as startLine for one line"),
          severity: z.enum(SEVERITIES),
          category: z.enum(categories),
          title: z.string().min(1).describe("The problem in one short sentence"),
          description: z.string().describe("What goes wrong, when, and why"),
          suggestion: z.string().default("").describe("How to correct it; empty if unknown"),
        }),
      )
      .describe("The problems; an empty list if there are none"),
  });
}

/** The shape of a verifier's answer. */
export const verdictSchema = z.object({
  verdict: z.enum(["confirmed", "refuted"]),
  reason: z.string().min(1).describe("What in the code decides it, in one or two sentences"),
});

/** A finding with texts of bounded length, in one line each. */
export function tidyFinding(finding: RawFinding): RawFinding {
  return {
    ...finding,
    title: shorten(finding.title, MAX_TITLE_LENGTH),
    description: shorten(finding.description, MAX_TEXT_LENGTH),
    suggestion: shorten(finding.suggestion, MAX_TEXT_LENGTH),
  };
}

/** A text in one line of at most so many characters. */
export function shorten(text: string, maxLength = MAX_TEXT_LENGTH): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
