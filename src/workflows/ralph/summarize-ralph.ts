import type { RalphState } from "./ralph-state.ts";

/** A task's text cannot look like a line of the summary. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What a run of Ralph came to, for people. Pure. */
export function summarizeRalph(state: Readonly<RalphState>): string {
  const { tasks, work, verifyCommand, verification, reviewCount, findings, hasReviewedChanges } = state;
  const lines = tasks.map(({ id, name, status }) => {
    const done = work.find((one) => one.id === id);
    const about = [done?.agent, status === "passing" ? undefined : status].filter(
      (text) => text !== undefined && text !== "",
    );
    return `${status === "passing" ? "✔" : "–"} ${oneLine(id)}: ${oneLine(name)}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
  });
  const doneCount = tasks.filter(({ status }) => status === "passing").length;
  const verified =
    verification === null || verification.exitCode !== 0
      ? "Nothing was verified."
      : `Verified: \`${verifyCommand}\` succeeded.`;
  const left = findings.map(
    ({ severity, title, file, line }) => `  ${severity}: ${title} (${file}${line === null ? "" : `:${line}`})`,
  );
  const reviewed =
    reviewCount === 0 || !hasReviewedChanges
      ? `${reviewCount === 0 ? "" : "Nothing was changed. "}Nothing was reviewed.`
      : left.length === 0
        ? `Reviewed ${reviewCount === 1 ? "once" : `${reviewCount} times`}: no confirmed finding is left.`
        : [`Reviewed ${reviewCount === 1 ? "once" : `${reviewCount} times`}. Left:`, ...left].join("\n");
  return [`${doneCount} of ${tasks.length} tasks done`, ...lines, verified, reviewed].join("\n");
}
