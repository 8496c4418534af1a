import type { CommandResult, Task, TaskFailure } from "../../graph/index.ts";
import { quoteUntrusted } from "../review/quote-untrusted.ts";
import { failureOf, type RalphFinding, type RalphState } from "./ralph-state.ts";

/** How much of a failed command's output a worker is shown, in characters. */
const MAX_OUTPUT_LENGTH = 8_000;

/** Asks for the list of tasks. */
export function planPrompt({ goal, verifyCommand, workerCount }: RalphState): string {
  return [
    "Break the following work down into tasks for a coding agent. Look at the repository first, but change nothing.",
    "Each task must be small enough for one session, leave the repository in a working state, and say what to do and",
    "how to tell that it is done. Name the tasks that must come before it in `dependencies`. Do not plan tasks that",
    "are already done, and none for planning or summarising. One task is enough for small work. If all is done already, plan",
    "one task that makes sure of it.",
    ...(verifyCommand === ""
      ? []
      : [
          `After each task the command \`${verifyCommand}\` must succeed, or the task is not done. So no task may leave that to`,
          "a later one; if the command fails now, the first task makes it succeed.",
        ]),
    ...(workerCount === 1
      ? []
      : [
          `${workerCount} agents work at the same time, each on a task of its own. Prefer tasks that do not depend on each other and`,
          "change different files; name a dependency where one task needs what another one makes.",
        ]),
    "",
    "<work>",
    goal,
    "</work>",
  ].join("\n");
}

/** Asks for the cause of a task's failure. */
export function debugPrompt({ goal, tasks, failedWork, verifyCommand }: Readonly<RalphState>, taskId: string): string {
  const task = tasks.find(({ id }) => id === taskId) ?? NO_TASK;
  const { message = "", diff = "" } = failedWork.find(({ id }) => id === taskId) ?? {};
  return [
    `A coding agent could not do the task ${taskId}${task.name === "" ? "" : `, ${nameOf(task)}`}. Find out why. This time you only read: change nothing, and`,
    "run nothing. Where a cause cannot be proved by reading, say how to prove it. Answer with the report alone.",
    ...(task.description === undefined ? [] : ["", "<task>", task.description, "</task>"]),
    ...(verifyCommand === "" ? [] : ["", `The task is done when \`${verifyCommand}\` succeeds.`]),
    "",
    "How the last attempt ended:",
    ...quoteUntrusted("failure", message),
    ...(diff === ""
      ? []
      : [
          "",
          "The attempt's changes are on a branch of their own, and not in the files that you see:",
          ...quoteUntrusted("changes", diff),
        ]),
    "",
    "The task is part of this work:",
    "<work>",
    goal,
    "</work>",
  ].join("\n");
}

/** Hands one task to a worker. */
export function taskPrompt(state: RalphState): string {
  const { goal, tasks, currentTask, isIsolated, verifyCommand } = state;
  const task = currentTask ?? NO_TASK;
  const failure = failureOf(state, task.id);
  return [
    `Implement exactly one task in this repository: ${nameOf(task)} (task ${task.id}).`,
    ...(task.description === undefined ? [] : ["", task.description]),
    ...describeFailure(failure),
    ...describeCause(state, task.id),
    "",
    "It is part of this work:",
    "<work>",
    goal,
    "</work>",
    "",
    "All tasks:",
    ...tasks.map((other) => `- ${other.id}: ${nameOf(other)}`),
    "",
    "Do this task and no other. Run the tests that concern it.",
    ...(verifyCommand === "" ? [] : [`The task is done when \`${verifyCommand}\` succeeds.`]),
    ...(isIsolated
      ? ["End with a short summary."]
      : [
          "When it is done, commit your changes with git if this is a git repository, to the branch that is checked out and with a",
          "message that says what changed and why, and end with a short summary.",
        ]),
  ].join("\n");
}

/** Outside of a task, where no prompt is needed. */
const NO_TASK: Task = { id: "", name: "", status: "pending" };

function describeFailure(failure: TaskFailure | undefined): readonly string[] {
  if (failure === undefined) return [];
  return [
    "",
    `Attempt ${failure.attempts} was not accepted. What it left is still there: find the cause, and correct it.`,
    ...quoteUntrusted("failure", failure.message),
  ];
}

/** What the debugger found, for the first attempt after a failure for good. */
function describeCause(state: RalphState, taskId: string): readonly string[] {
  const report = state.debugReports.find(({ id }) => id === taskId)?.report ?? null;
  if (report === null || failureOf(state, taskId) !== undefined) return [];
  return [
    "",
    "All attempts before failed. Another agent looked for the cause; make sure of it before you rely on it:",
    ...quoteUntrusted("report", JSON.stringify(report, undefined, 2)),
  ];
}

/** Describes the task that repairs what the verify command found. */
export function fixDescription({
  command,
  exitCode,
  output,
}: Pick<CommandResult, "command" | "exitCode"> & { readonly output: string }): string {
  return [
    `The command \`${command}\` must succeed, but it ended with exit code ${exitCode}. Find the cause in`,
    "the code and repair it; do not weaken the command or its tests. The end of its output:",
    "",
    ...quoteUntrusted("output", output.trim().slice(-MAX_OUTPUT_LENGTH)),
  ].join("\n");
}

/**
 * The name of a task in prompts. That of a correction is the title of a finding: an agent has written it, and the task's own
 * description quotes it.
 */
function nameOf({ id, name, description }: Task): string {
  return /^review-\d/.test(id) && description !== undefined ? "Correct a finding of the review" : name;
}

/** Describes the task that corrects a finding of the review. */
export function findingDescription({ file, line, severity, title, description }: RalphFinding): string {
  const place = `${file}${line === null ? "" : `, line ${line}`}`;
  return [
    `A review found a problem, and another agent confirmed it (${severity}). It is real, so correct it.`,
    "",
    ...quoteUntrusted("finding", [`Place: ${place}`, `Title: ${title}`, "", description].join("\n")),
    "",
    "Add a test that fails without the correction where that is possible. Change nothing else.",
  ].join("\n");
}
