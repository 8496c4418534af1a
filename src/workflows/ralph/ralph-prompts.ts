import type { CommandResult, Task } from "../../graph/index.ts";

/** How much of a failed command's output a worker is shown, in characters. */
const MAX_OUTPUT_LENGTH = 8_000;

/** Asks for the list of tasks. */
export function planPrompt(goal: string): string {
  return [
    "Break the following work down into tasks for a coding agent. Look at the repository first, but change nothing.",
    "Each task must be small enough for one session, leave the repository in a working state, and say what to do and",
    "how to tell that it is done. Name the tasks that must come before it in `dependencies`. Do not plan tasks that",
    "are already done, and none for planning or summarising. One task is enough for small work.",
    "",
    "<work>",
    goal,
    "</work>",
  ].join("\n");
}

/** Hands one task to a worker. */
export function taskPrompt(goal: string, tasks: readonly Task[], task: Task): string {
  const others = tasks.map(({ id, name, status }) => `- [${status === "passing" ? "x" : " "}] ${id}: ${name}`);
  return [
    `Implement exactly one task in this repository: ${task.name} (task ${task.id}).`,
    ...(task.description === undefined ? [] : ["", task.description]),
    "",
    "It is part of this work:",
    "<work>",
    goal,
    "</work>",
    "",
    "All tasks:",
    ...others,
    "",
    "Do this task and no other. Run the tests that concern it. When it is done, commit your changes with git if this is",
    "a git repository, with a message that says what changed and why, and end with a short summary.",
  ].join("\n");
}

/** Describes the task that repairs what the verify command found. */
export function fixDescription(result: CommandResult): string {
  const output = `${result.stdout}\n${result.stderr}`.trim().slice(-MAX_OUTPUT_LENGTH);
  return [
    `The command \`${result.command}\` must succeed, but it ended with exit code ${result.exitCode}. Find the cause in`,
    "the code and repair it; do not weaken the command or its tests. The end of its output:",
    "",
    "```",
    output,
    "```",
  ].join("\n");
}
