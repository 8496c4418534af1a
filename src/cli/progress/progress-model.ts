import { addUsage, NO_USAGE, type RunEvent, type TaskProgress, type Usage } from "../../contracts/index.ts";

/** A node that is under way. */
export interface ActiveNode {
  readonly taskId: string;
  readonly name: string;
  readonly nodeType: string;
  readonly startedAt: number;
  readonly attempt: number;
  readonly usage: Usage;
  /** What it does at this moment, for example a tool's call. */
  readonly activity: string;
}

/** What a person sees of a run. */
export interface ProgressModel {
  readonly workflow: string;
  readonly startedAt: number;
  readonly active: ReadonlyMap<string, ActiveNode>;
  readonly usage: Usage;
  readonly tasks: readonly TaskProgress[];
}

/** Nothing has happened yet. */
export const EMPTY_PROGRESS: ProgressModel = {
  workflow: "",
  startedAt: 0,
  active: new Map(),
  usage: NO_USAGE,
  tasks: [],
};

/** What a node is called, with what it is about where the same node works on many things. */
export function nameOf({ name, item }: Extract<RunEvent, { type: "node-start" }>): string {
  return item === undefined ? name : `${name} (${item})`;
}

/** What is seen after an event. */
export function reduceProgress(model: ProgressModel, event: RunEvent): ProgressModel {
  switch (event.type) {
    case "run-start":
      return { ...EMPTY_PROGRESS, workflow: event.workflow, startedAt: event.at };
    case "node-start": {
      const { taskId, nodeType, attempt, at } = event;
      const name = nameOf(event);
      const node: ActiveNode = { taskId, name, nodeType, attempt, startedAt: at, usage: NO_USAGE, activity: "" };
      return { ...model, active: new Map(model.active).set(taskId, node) };
    }
    case "node-sleep": {
      const { taskId, nodeId, at } = event;
      // A process that resumes the run finds the node asleep.
      const begun = { taskId, name: nodeId, nodeType: "sleep", attempt: 1, startedAt: at, usage: NO_USAGE };
      const node = { ...(model.active.get(taskId) ?? begun), activity: "asleep" };
      return { ...model, active: new Map(model.active).set(taskId, node) };
    }
    case "node-end":
    case "node-error":
    case "node-dropped":
    case "request":
      return { ...model, active: without(model.active, event.taskId) };
    case "usage":
      return {
        ...model,
        usage: addUsage(model.usage, event.usage),
        active: change(model.active, event.taskId, (node) => ({ ...node, usage: addUsage(node.usage, event.usage) })),
      };
    case "tool-start": {
      const activity = event.title === "" ? event.toolName : `${event.toolName}: ${event.title}`;
      return { ...model, active: change(model.active, event.taskId, (node) => ({ ...node, activity })) };
    }
    case "tool-end":
      return { ...model, active: change(model.active, event.taskId, (node) => ({ ...node, activity: "" })) };
    case "agent-text":
    case "agent-thinking": {
      const activity = event.type === "agent-text" ? "writing" : "thinking";
      if (model.active.get(event.taskId)?.activity === activity) return model;
      return { ...model, active: change(model.active, event.taskId, (node) => ({ ...node, activity })) };
    }
    case "tasks":
      return { ...model, tasks: event.tasks };
    default:
      return model;
  }
}

function without(active: ProgressModel["active"], taskId: string): ProgressModel["active"] {
  const next = new Map(active);
  next.delete(taskId);
  return next;
}

function change(
  active: ProgressModel["active"],
  taskId: string,
  update: (node: ActiveNode) => ActiveNode,
): ProgressModel["active"] {
  const node = active.get(taskId);
  return node === undefined ? active : new Map(active).set(taskId, update(node));
}
