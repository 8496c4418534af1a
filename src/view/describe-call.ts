import { describeToolInput } from "../contracts/index.ts";
import { askedQuestionsOf } from "./asked-questions.ts";
import { changedTaskOf, taskItemsOf } from "./task-items.ts";

/**
 * What a tool call is about: the task in progress of a list, the task that it changes, an agent's question, or else its command, file or similar.
 * The text is the agent's: of any length, with line breaks, and not safe for a terminal.
 */
export function describeCall(toolName: string, input: unknown): string {
  const tasks = taskItemsOf(toolName, input);
  if (tasks !== undefined) {
    const current =
      tasks.find(({ state }) => state === "in progress") ?? tasks.find(({ state }) => state === "pending");
    return current?.text ?? (tasks.length === 0 ? "no tasks" : "all done");
  }
  const changed = changedTaskOf(toolName, input);
  if (changed !== undefined) return `${changed.text} (${changed.state})`;
  const [question, ...others] = askedQuestionsOf(toolName, input) ?? [];
  if (question === undefined) return describeToolInput(input);
  return question.question + (others.length === 0 ? "" : ` and ${others.length} more`);
}
