import { isRecord } from "../contracts/index.ts";

/** A task of an agent's own list. Its text is the agent's: of any length, not safe for a terminal. */
export interface TaskItem {
  readonly text: string;
  readonly state: "pending" | "in progress" | "done" | "cancelled";
}

/** The vendors' tools that replace the whole list: Claude Code's, OpenCode's and Copilot's, and the plan of agents over ACP. */
const TOOLS = /^(?:todo_?write|update_todo|plan)$/i;

/** Longer lists are no lists for people. */
const MAX_TASKS = 500;

const STATES: ReadonlyMap<unknown, TaskItem["state"]> = new Map([
  ["pending", "pending"],
  ["in_progress", "in progress"],
  ["completed", "done"],
  ["cancelled", "cancelled"],
]);

/** The list of tasks that a tool call writes. Undefined when it writes none, or in a form that is not known. */
export function taskItemsOf(toolName: string, input: unknown): readonly TaskItem[] | undefined {
  if (!TOOLS.test(toolName) || !isRecord(input)) return undefined;
  const { todos } = input;
  const items = typeof todos === "string" ? fromMarkdown(todos) : Array.isArray(todos) ? fromList(todos) : undefined;
  return items === undefined || items.length > MAX_TASKS ? undefined : items;
}

function fromList(list: readonly unknown[]): readonly TaskItem[] | undefined {
  const items = list.flatMap((item): readonly TaskItem[] => {
    if (!isRecord(item)) return [];
    const state = STATES.get(item.status);
    const { content, activeForm } = item;
    if (state === undefined || typeof content !== "string") return [];
    const isActive = state === "in progress" && typeof activeForm === "string" && activeForm.trim() !== "";
    return [{ text: isActive ? activeForm : content, state }];
  });
  return items.length === list.length ? items : undefined;
}

const BOX = /^\s*(?:[-*]|\d+\.) \[(.)\] (.*)$/;

/** Copilot's form: `- [x] done`. */
function fromMarkdown(text: string): readonly TaskItem[] | undefined {
  const items = text.split("\n").flatMap((line): readonly TaskItem[] => {
    const [, box, task] = BOX.exec(line) ?? [];
    if (task === undefined) return [];
    return [{ text: task, state: box === " " ? "pending" : box?.toLowerCase() === "x" ? "done" : "in progress" }];
  });
  return items.length === 0 ? undefined : items;
}

/**
 * The only task that a call adds or changes, as Claude Code's `TaskCreate` and `TaskUpdate` do. A change names its task by its
 * number. Undefined for other calls, and for an input in a form that is not known.
 */
export function changedTaskOf(toolName: string, input: unknown): TaskItem | undefined {
  if (!isRecord(input)) return undefined;
  const { subject, taskId, status } = input;
  const name = typeof subject === "string" && subject.trim() !== "" ? subject : undefined;
  if (toolName === "TaskCreate") return name === undefined ? undefined : { text: name, state: "pending" };
  if (toolName !== "TaskUpdate" || typeof taskId !== "string") return undefined;
  const state = status === "deleted" ? "cancelled" : STATES.get(status);
  return state === undefined ? undefined : { text: name ?? `#${taskId}`, state };
}

/** How many tasks are done, of those that were not cancelled: `2 of 5 done`. */
export function countDone(items: readonly TaskItem[]): string {
  const count = items.filter(({ state }) => state === "done").length;
  return `${count} of ${items.filter(({ state }) => state !== "cancelled").length} done`;
}
