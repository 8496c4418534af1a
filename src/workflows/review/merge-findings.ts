import { createHash } from "node:crypto";
import { posix } from "node:path";
import {
  type DroppedFinding,
  type FindingReport,
  type LineRange,
  type RawFinding,
  type ReviewFinding,
  SEVERITIES,
  tidyFinding,
} from "./finding.ts";
import type { FileChange } from "./parse-diff.ts";

/** The findings of one reviewer. */
interface ReviewerFindings {
  readonly focus: string;
  readonly agent: string;
  readonly findings: readonly RawFinding[];
}

type Draft = Omit<ReviewFinding, "id">;

/**
 * Merges the findings of all reviewers. Two are the same problem if different reviewers report the same category in
 * overlapping lines of one file, or if their titles are equal, too. A finding about a file that did not change is dropped;
 * lines that are not in the diff are removed from theirs. The worst come first. Pure.
 */
export function mergeFindings(
  reviews: readonly ReviewerFindings[],
  files: readonly FileChange[],
): { readonly findings: readonly ReviewFinding[]; readonly dropped: readonly DroppedFinding[] } {
  const drafts: Draft[] = [];
  const dropped: DroppedFinding[] = [];
  for (const { focus, agent, findings } of reviews) {
    for (const raw of findings) {
      const finding = tidyFinding(raw);
      const { title, description } = finding;
      const report = { focus, agent, title, description };
      const change = findChange(finding, files);
      if (change === undefined) {
        dropped.push({ ...report, file: finding.file, reason: "the change does not contain this file" });
        continue;
      }
      const draft = place(finding, change, report);
      const same = drafts.findIndex((candidate) => isSame(candidate, draft));
      const known = drafts[same];
      if (known === undefined) drafts.push(draft);
      else drafts[same] = join(known, draft);
    }
  }
  const sorted = drafts.toSorted(compare);
  return { findings: sorted.map((draft, index) => ({ id: `f${index + 1}`, ...draft })), dropped };
}

/**
 * Agents write `./a.ts`, `b/a.ts`, or the name before a rename. Of several changes of one file, it is the one with the reported
 * lines, or else one that leaves a file.
 */
function findChange(finding: RawFinding, files: readonly FileChange[]): FileChange | undefined {
  const path = posix.normalize(finding.file.replaceAll("\\", "/"));
  const names = [finding.file, path, path.replace(/^[ab]\//, "")];
  const name = names.find((candidate) => files.some((change) => change.path === candidate));
  const changes = files.filter((change) =>
    name === undefined ? change.oldPath !== undefined && names.includes(change.oldPath) : change.path === name,
  );
  return (
    changes.find((change) => findLines(finding, change) !== undefined) ??
    changes.find(({ status }) => status !== "deleted") ??
    changes[0]
  );
}

function place(finding: RawFinding, change: FileChange, report: FindingReport): Draft {
  const { severity, category, title, description, suggestion } = finding;
  const lines = findLines(finding, change);
  const texts = { severity, category, title, description, suggestion };
  const code = lines === undefined ? undefined : lineAt(change, lines.start)?.trim();
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([change.path, category, code ?? title.toLowerCase()]))
    .digest("hex")
    .slice(0, 32);
  const draft = { file: change.path, ...texts, fingerprint, reports: [report] };
  if (lines !== undefined) return { ...draft, lines };
  if (change.status === "deleted") return { ...draft, note: "The file was deleted." };
  const { startLine, endLine } = finding;
  const named = endLine > startLine ? `lines ${startLine} to ${endLine}, which are` : `line ${startLine}, which is`;
  return { ...draft, note: `Reported for ${named} not in the diff.` };
}

/** The part of the reported lines that the diff shows. */
function findLines({ startLine, endLine }: RawFinding, { status, hunks }: FileChange): LineRange | undefined {
  if (status === "deleted") return undefined;
  const last = Math.max(startLine, endLine);
  for (const { start, lines } of hunks) {
    const end = start + lines.filter((line) => !line.startsWith("-")).length - 1;
    if (startLine <= end && last >= start && end >= start) {
      return { start: Math.max(startLine, start), end: Math.min(last, end) };
    }
  }
  return undefined;
}

function lineAt({ hunks }: FileChange, number: number): string | undefined {
  for (const { start, lines } of hunks) {
    const kept = lines.filter((line) => !line.startsWith("-"));
    if (number >= start && number < start + kept.length) return kept[number - start]?.slice(1);
  }
  return undefined;
}

function isSame(known: Draft, draft: Draft): boolean {
  if (known.file !== draft.file || known.category !== draft.category) return false;
  const hasSameTitle = known.reports.some(({ title }) => title.toLowerCase() === draft.title.toLowerCase());
  if (known.lines === undefined || draft.lines === undefined) return known.lines === draft.lines && hasSameTitle;
  if (known.lines.start > draft.lines.end || draft.lines.start > known.lines.end) return false;
  // One reviewer that reports two problems of one line means two.
  const isOther = draft.reports.every(
    (report) => !known.reports.some(({ focus, agent }) => focus === report.focus && agent === report.agent),
  );
  return isOther || hasSameTitle;
}

function join(known: Draft, draft: Draft): Draft {
  // The texts of the worse one; of equal ones, the first.
  const [first, second] = rank(draft) < rank(known) ? [draft, known] : [known, draft];
  const lines =
    known.lines === undefined || draft.lines === undefined
      ? {}
      : {
          lines: {
            start: Math.min(known.lines.start, draft.lines.start),
            end: Math.max(known.lines.end, draft.lines.end),
          },
        };
  return {
    ...first,
    ...lines,
    suggestion: first.suggestion === "" ? second.suggestion : first.suggestion,
    reports: [...known.reports, ...draft.reports],
  };
}

function rank({ severity }: Draft): number {
  return SEVERITIES.indexOf(severity);
}

function compare(left: Draft, right: Draft): number {
  return (
    rank(left) - rank(right) ||
    (left.file < right.file ? -1 : left.file > right.file ? 1 : 0) ||
    (left.lines?.start ?? 0) - (right.lines?.start ?? 0)
  );
}
