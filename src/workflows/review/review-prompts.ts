import type { CheckedFinding, ReviewFinding } from "./finding.ts";
import type { FileChange } from "./parse-diff.ts";
import { quoteUntrusted } from "./quote-untrusted.ts";
import type { Reviewer } from "./reviewers.ts";
import { type DiffPart, renderChange, renderPieces } from "./split-changes.ts";

/** How many lines of a file's change a verifier is shown, before and after the finding. */
const SHOWN_LINES = 120;

const SEVERITY_GUIDE = [
  "- critical: data loss, a security hole that anyone can use, or a program that cannot start",
  "- high: wrong results or a failure in ordinary use",
  "- medium: wrong in rare cases, or a real burden for maintainers",
  "- low: a small improvement",
];

/** Asks a reviewer for what is wrong with one part of a change. */
export function reviewPrompt(
  { focus, instructions }: Reviewer,
  { number, pieces }: DiffPart,
  { files, partCount }: { readonly files: readonly FileChange[]; readonly partCount: number },
): string {
  const part = partCount === 1 ? [] : [`The change is long: this is part ${number} of ${partCount}.`];
  return [
    `You review a change of the software project in your working directory. Your subject is "${focus}". ${instructions}`,
    "",
    "Report only problems that this change introduces or exposes, of which you are sure after reading the code around it.",
    "Read the files you need; their working copies contain the change. You cannot change files or run commands. Every",
    "finding names a file of the change and line numbers of its new version, which the diff shows in front of each line.",
    "Another agent will try to refute each finding, so say what exactly goes wrong and when. Report each problem once. An",
    "empty list is a good answer to a good change.",
    "",
    "Severities:",
    ...SEVERITY_GUIDE,
    "",
    ...part,
    ...quoteUntrusted("diff", renderPieces(files, pieces)),
  ].join("\n");
}

/** Asks an agent to refute or confirm a finding. */
export function verifyPrompt(finding: ReviewFinding, files: readonly FileChange[]): string {
  const { file, lines, severity, category, title, description } = finding;
  const changes = files.filter(({ path }) => path === file);
  const shown = linesAround(changes.flatMap(renderChange), lines?.start);
  return [
    "Another reviewer reports the problem below about a change of the software project in your working directory. Find out",
    "whether it is real: try to refute it. Read the code that it is about, its callers and its tests. You cannot change",
    "files or run commands.",
    "",
    'Answer "confirmed" only if you have seen in the code that the problem exists and that this change introduces or',
    'exposes it. Answer "refuted" if the code does not do what the report says, if something else prevents the problem, or',
    "if it is a matter of taste. State the decisive reason.",
    "",
    ...quoteUntrusted(
      "finding",
      [
        `Place: ${placeOf(file, lines)}`,
        `Category: ${category}, severity: ${severity}`,
        `Title: ${title}`,
        `Description: ${description}`,
      ].join("\n"),
    ),
    "",
    ...quoteUntrusted("diff", shown.join("\n")),
  ].join("\n");
}

/** The part of a rendered change around a line of the new version; its start without one. */
function linesAround(rendered: readonly string[], line: number | undefined): readonly string[] {
  const found = line === undefined ? -1 : rendered.findIndex((text) => text.startsWith(`${line}`.padStart(6)));
  const from = Math.max(0, found - SHOWN_LINES);
  const shown = rendered.slice(from, Math.max(0, found) + SHOWN_LINES);
  const isWhole = shown.length === rendered.length;
  return isWhole ? shown : [...(from === 0 ? [] : rendered.slice(0, 1)), ...shown, "… (read the file for the rest)"];
}

/** Hands the confirmed findings to a worker. */
export function fixPrompt(findings: readonly CheckedFinding[]): string {
  const list = findings.map(({ file, lines, severity, category, title, description, suggestion }, index) =>
    [
      `${index + 1}. ${placeOf(file, lines)} (${severity}, ${category}): ${title}`,
      `   ${description}`,
      ...(suggestion === "" ? [] : [`   Suggestion: ${suggestion}`]),
    ].join("\n"),
  );
  return [
    "A review of the changes in your working directory found the problems below, and a second agent confirmed each of them.",
    "Correct them in the code. Change nothing else, do not weaken tests, and do not commit. Run the tests that concern your",
    "changes if you can. A suggestion is only a hint. End with one line for each problem: corrected, or why not.",
    "",
    ...quoteUntrusted("findings", list.join("\n")),
  ].join("\n");
}

/** `src/a.ts:3-5` */
export function placeOf(file: string, lines: { readonly start: number; readonly end: number } | undefined): string {
  if (lines === undefined) return file;
  return lines.start === lines.end ? `${file}:${lines.start}` : `${file}:${lines.start}-${lines.end}`;
}
