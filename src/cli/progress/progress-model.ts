import { addUsage, NO_USAGE, type RunEvent, type TaskProgress, type Usage } from "../../contracts/index.ts";
import { callOf, reduceTranscript, type Transcript } from "./transcript.ts";

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
  /** Of a node that sleeps: which one, and when it wakes up. */
  readonly sleep?: { readonly nodeId: string; readonly until: number };
  /** The end of what its agent said and did. */
  readonly transcript: Transcript;
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
      const begun = { taskId, name, nodeType, attempt, startedAt: at };
      const node: ActiveNode = { ...begun, usage: NO_USAGE, activity: "", transcript: [] };
      return { ...model, active: new Map(model.active).set(taskId, node) };
    }
    case "node-sleep": {
      const { taskId, nodeId, at, until } = event;
      // A process that resumes the run finds the node asleep.
      const begun = {
        taskId,
        name: nodeId,
        nodeType: "sleep",
        attempt: 1,
        startedAt: at,
        usage: NO_USAGE,
        transcript: [],
      };
      const node: ActiveNode = { ...(model.active.get(taskId) ?? begun), activity: "asleep", sleep: { nodeId, until } };
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
    case "tool-start":
      return act(model, event, callOf(event));
    case "tool-end":
      return act(model, event, "");
    case "agent-text":
      return act(model, event, "writing");
    case "agent-thinking":
      return model.active.get(event.taskId)?.activity === "thinking" ? model : act(model, event, "thinking");
    case "tasks":
      return { ...model, tasks: event.tasks };
    default:
      return model;
  }
}

function act(model: ProgressModel, event: RunEvent & { readonly taskId: string }, activity: string): ProgressModel {
  const active = change(model.active, event.taskId, (node) => ({
    ...node,
    activity,
    transcript: reduceTranscript(node.transcript, event),
  }));
  return { ...model, active };
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
