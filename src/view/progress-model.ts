import {
  type AgentEvent,
  addUsage,
  endsWait,
  NO_USAGE,
  type RunEvent,
  spentUsage,
  type TaskProgress,
  type Usage,
  type Waiting,
} from "../contracts/index.ts";
import { callOf, reduceTranscript, type Transcript } from "./transcript.ts";

/** A node in progress. */
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
  /** What its agent waits for. */
  readonly waiting?: Waiting | undefined;
  /** The end of what its agent said and did. */
  readonly transcript: Transcript;
}

/** What a person sees of a run. */
export interface ProgressModel {
  readonly workflow: string;
  /** Absent until the run begins. */
  readonly startedAt?: number;
  readonly active: ReadonlyMap<string, ActiveNode>;
  readonly usage: Usage;
  readonly tasks: readonly TaskProgress[];
}

/** Nothing has happened yet. */
export const EMPTY_PROGRESS: ProgressModel = {
  workflow: "",
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
      return spend(model, event);
    case "agent":
      return followAgent(spend(model, event), event);
    case "tasks":
      return { ...model, tasks: event.tasks };
    default:
      return model;
  }
}

function spend(model: ProgressModel, event: Extract<RunEvent, { type: "usage" | "agent" }>): ProgressModel {
  const spent = spentUsage(event);
  if (spent === undefined) return model;
  const active = change(model.active, event.taskId, (node) => ({ ...node, usage: addUsage(node.usage, spent) }));
  return { ...model, usage: addUsage(model.usage, spent), active };
}

function followAgent(model: ProgressModel, { taskId, event }: Extract<RunEvent, { type: "agent" }>): ProgressModel {
  const before = model.active.get(taskId);
  const activity = before === undefined ? undefined : activityOf(event, before);
  // Thousands of these come in a row.
  if (before === undefined || activity === undefined || (activity === "thinking" && before.activity === activity))
    return model;
  const waiting = event.type === "waiting" ? event : endsWait(event) ? undefined : before.waiting;
  const node = { ...before, activity, waiting, transcript: reduceTranscript(before.transcript, event) };
  return { ...model, active: new Map(model.active).set(taskId, node) };
}

/** What an agent does from this event on; `undefined` where the event changes nothing in that. */
function activityOf(event: AgentEvent, { activity, transcript }: ActiveNode): string | undefined {
  switch (event.type) {
    case "turn-start":
    case "tool-end":
      return "";
    case "tool-start":
      return callOf(event);
    case "text-delta":
      return "writing";
    case "thinking-delta":
      return "thinking";
    case "waiting":
      return "waiting";
    case "permission-ask":
    case "question-ask":
      // The call in question is more informative; no event reports the answer.
      return transcript.some((entry) => entry.type === "tool" && entry.status === "running") ? activity : "asking";
    default:
      return undefined;
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
