import { formatDuration, questionText } from "../../view/index.ts";
import { formatClock } from "./agent-rows.ts";
import type { RunModel, RunVisit } from "./run-model.ts";
import { latestWork } from "./work-times.ts";

/** What is known of a step without an agent, as text: its question, its commands and what it logged, why it failed, or where it stands. */
export function stepDetail(
  visit: RunVisit | undefined,
  questions: RunModel["questions"],
  { isFolded = false }: { readonly isFolded?: boolean } = {},
): string {
  const asked = [...questions.values()].find(({ taskId }) => taskId === visit?.taskId);
  if (asked !== undefined)
    return `${questionText(asked.request)}\n${isFolded ? "i shows" : "Enter opens"} the question.`;
  return stepLog(visit) ?? describeVisit(visit);
}

/** What a step logged, and why it failed. Undefined for one that has done neither. */
export function stepLog({ log = [], error }: Pick<RunVisit, "log" | "error"> = {}): string | undefined {
  const lines = [...log, ...(error === undefined ? [] : [error])];
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** Where a step stands, in a sentence. */
export function describeVisit(visit: RunVisit | undefined): string {
  if (visit === undefined) return "This step has not started.";
  const { status, workingSince, until, attempt } = visit;
  const time = until === undefined ? "" : ` until ${formatClock(until)}`;
  switch (status) {
    case "running":
      return workingSince === undefined ? "In progress." : `In progress since ${formatClock(workingSince)}.`;
    case "asking":
      return "Waits for an answer.";
    case "sleeping":
      return `Sleeps${time}.`;
    case "retrying":
      return `Attempt ${attempt} failed. Waits${time} for the next one.`;
    case "done":
      return `Done in ${formatDuration(latestWork(visit).workedMs)}.`;
    case "failed":
      return "Failed.";
    case "skipped":
      return "Skipped.";
    case "stopped":
      return "Stopped before its end.";
  }
}
