import {
  type AgentEvent,
  addUsage,
  type HumanRequest,
  NO_USAGE,
  type RunErrorInfo,
  type RunEvent,
  type RunStatus,
  spentUsage,
  type TaskProgress,
  type Usage,
} from "../../contracts/index.ts";
import { addUserMessage, type ChatModel, EMPTY_CHAT, reduceChat } from "../chat/chat-model.ts";
import { endWork, type WorkTimes } from "./work-times.ts";

/** Where a visit of a node stands. `stopped`: its process ended, or its result was no longer needed. */
export type VisitStatus = "running" | "asking" | "sleeping" | "retrying" | "done" | "failed" | "skipped" | "stopped";

/** A visit of a node. */
export interface RunVisit extends WorkTimes {
  readonly taskId: string;
  readonly nodeId: string;
  readonly nodeType: string;
  readonly name: string;
  /** What it is about, in a branch of a map. */
  readonly item?: string;
  /** How many items that map runs. Absent when unknown. */
  readonly itemCount?: number;
  readonly status: VisitStatus;
  /** It was stopped because its result was no longer needed. @default false */
  readonly isDropped?: boolean;
  readonly attempt: number;
  /** When a visit that sleeps or waits for its next attempt continues. */
  readonly until?: number;
  readonly error?: string;
  /** What it logged, and the commands that it runs or ran, with their exit code and the end of their output: the latest lines. */
  readonly log?: readonly string[];
}

/** A session of an agent in a visit. */
export interface RunAgent {
  /** Unique in the run. */
  readonly id: string;
  readonly taskId: string;
  readonly sessionId: string;
  readonly agentType?: string;
  readonly status: "open" | "done" | "failed" | "stopped";
  readonly startedAt: number;
  readonly endedAt?: number;
  /** What it was asked, said and did: the end of it. */
  readonly thread: ChatModel;
}

/** A question of a run to a person, with the visit that asks. */
export interface RunQuestion {
  readonly taskId: string;
  readonly request: HumanRequest;
}

/** What is seen of a run. A new value for each change; what did not change is the same object. */
export interface RunModel {
  readonly workflow: string;
  readonly status: RunStatus;
  /** When a process began to execute it last. Undefined before the first event. */
  readonly startedAt: number | undefined;
  /** Whether a process executes it, as far as the events say. */
  readonly isLive: boolean;
  /** How long earlier processes executed it, in milliseconds. */
  readonly earlierMs: number;
  readonly lastAt: number;
  /** In the order in which they started. */
  readonly visits: ReadonlyMap<string, RunVisit>;
  readonly agents: ReadonlyMap<string, RunAgent>;
  readonly questions: ReadonlyMap<string, RunQuestion>;
  readonly tasks: readonly TaskProgress[];
  readonly usage: Usage;
  /** The latest ones. */
  readonly warnings: readonly string[];
  readonly error: RunErrorInfo | undefined;
  readonly output: unknown;
}

/** Nothing has happened yet. */
export const EMPTY_RUN: RunModel = {
  workflow: "",
  status: "running",
  startedAt: undefined,
  isLive: false,
  earlierMs: 0,
  lastAt: 0,
  visits: new Map(),
  agents: new Map(),
  questions: new Map(),
  tasks: [],
  usage: NO_USAGE,
  warnings: [],
  error: undefined,
  output: undefined,
};

/** So many entries of a thread are kept, and so many when there are more. */
const MAX_ENTRIES = 300;
const KEPT_ENTRIES = 200;
/** The longest output of a tool and the longest prompt that a thread keeps, in characters. */
const MAX_TEXT = 16_000;
const MAX_WARNINGS = 50;
const MAX_LOG_LINES = 100;

/**
 * The run after further events. The maps are copied once for all of them, so a caller that collects the events of some
 * milliseconds pays little for agents that write side by side.
 */
export function reduceRun(model: RunModel, events: readonly RunEvent[]): RunModel {
  if (events.length === 0) return model;
  const draft = new RunDraft(model);
  for (const event of events) draft.add(event);
  return draft.result();
}

/** The run once it is known that its process died, which left no event. */
export function leaveRun(model: RunModel): RunModel {
  if (!model.isLive) return model;
  const draft = new RunDraft(model);
  draft.leave();
  return draft.result();
}

/** How long processes have executed the run until now, in milliseconds. */
export function elapsedMsOf({ startedAt, isLive, earlierMs }: RunModel, now: number): number {
  return earlierMs + (isLive && startedAt !== undefined ? Math.max(0, now - startedAt) : 0);
}

type NodeEvent = Extract<RunEvent, { readonly taskId: string }>;

/** A model that is being changed. Maps are copied before their first change. */
class RunDraft {
  #model: RunModel;
  #visits: Map<string, RunVisit> | undefined;
  #agents: Map<string, RunAgent> | undefined;
  #questions: Map<string, RunQuestion> | undefined;

  constructor(model: RunModel) {
    this.#model = model;
  }

  result(): RunModel {
    return {
      ...this.#model,
      ...(this.#visits === undefined ? {} : { visits: this.#visits }),
      ...(this.#agents === undefined ? {} : { agents: this.#agents }),
      ...(this.#questions === undefined ? {} : { questions: this.#questions }),
    };
  }

  get #visitsNow(): Map<string, RunVisit> {
    this.#visits ??= new Map(this.#model.visits);
    return this.#visits;
  }

  get #agentsNow(): Map<string, RunAgent> {
    this.#agents ??= new Map(this.#model.agents);
    return this.#agents;
  }

  get #questionsNow(): Map<string, RunQuestion> {
    this.#questions ??= new Map(this.#model.questions);
    return this.#questions;
  }

  #set(change: Partial<RunModel>): void {
    this.#model = { ...this.#model, ...change };
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case "run-start":
        this.#startRun(event);
        break;
      case "run-end":
        this.#endRun(event);
        break;
      case "warning":
        this.#set({ warnings: [...this.#model.warnings, event.message].slice(-MAX_WARNINGS) });
        break;
      case "tasks":
        this.#set({ tasks: event.tasks });
        break;
      case "graph-changed":
      case "checkpoint":
        break;
      default:
        this.#addNodeEvent(event);
    }
    const spent = spentUsage(event);
    const usage = spent === undefined ? {} : { usage: addUsage(this.#model.usage, spent) };
    this.#set({ ...usage, lastAt: Math.max(this.#model.lastAt, event.at) });
  }

  #startRun({ workflow, at }: Extract<RunEvent, { type: "run-start" }>): void {
    this.leave();
    this.#set({ workflow, startedAt: at, isLive: true, status: "running", error: undefined, output: undefined });
  }

  /** Ends what a process that died has left in progress. */
  leave(): void {
    const { isLive, startedAt, lastAt, earlierMs } = this.#model;
    if (!isLive) return;
    this.#stopAll(lastAt);
    const ranMs = startedAt === undefined ? 0 : Math.max(0, lastAt - startedAt);
    this.#set({ isLive: false, earlierMs: earlierMs + ranMs });
  }

  #endRun({ status, usage, error, output, at }: Extract<RunEvent, { type: "run-end" }>): void {
    const { startedAt, earlierMs } = this.#model;
    this.#stopAll(at, status === "cancelled");
    const now = startedAt === undefined ? 0 : Math.max(0, at - startedAt);
    this.#set({ status, usage, error, output, isLive: false, earlierMs: earlierMs + now });
    if (error?.nodeId !== undefined) this.#failVisitsOf(error.nodeId, error.message);
  }

  /** Ends what is in progress, because no process executes the run any more. Questions and sleeps stay, unless all is over. */
  #stopAll(at: number, isOver = false): void {
    for (const visit of this.#visitsNow.values()) {
      const { until: _until, ...rest } = visit;
      const waits = ["asking", "sleeping", "retrying"].includes(visit.status);
      if (visit.status !== "running" && !(isOver && waits)) continue;
      this.#visitsNow.set(visit.taskId, endWork({ ...rest, status: "stopped" }, at));
    }
    for (const agent of this.#agentsNow.values()) {
      if (agent.status !== "open") continue;
      // Its answer is kept for the next process.
      const status = hasAnswered(agent) ? "done" : "stopped";
      this.#agentsNow.set(agent.id, { ...agent, status, endedAt: at });
    }
  }

  #failVisitsOf(nodeId: string, error: string): void {
    const visits = [...this.#visitsNow.values()];
    // Of a visit that failed, an event has said so. Others of its node were stopped with it.
    if (visits.some((visit) => isFatal(visit, { nodeId, message: error }))) return;
    const latest = visits.findLast((visit) => visit.nodeId === nodeId);
    if (latest?.status === "stopped") this.#visitsNow.set(latest.taskId, { ...latest, status: "failed", error });
  }

  #addNodeEvent(event: NodeEvent): void {
    const { taskId, at } = event;
    switch (event.type) {
      case "node-start":
        return this.#startVisit(event);
      case "node-end":
        this.#forgetQuestions(taskId);
        this.#endAgents(taskId, event.isSkipped === true ? "stopped" : "done", at);
        return this.#change(event, { status: event.isSkipped === true ? "skipped" : "done" });
      case "node-error":
        this.#forgetQuestions(taskId);
        this.#endAgents(taskId, "failed", at);
        return this.#change(event, {
          ...{ error: event.error.message },
          ...(event.retryAt === undefined ? { status: "failed" } : { status: "retrying", until: event.retryAt }),
        });
      case "node-dropped":
        this.#forgetQuestions(taskId);
        this.#endAgents(taskId, "stopped", at);
        return this.#change(event, { status: "stopped", isDropped: true });
      case "node-sleep":
        return this.#change(event, { status: "sleeping", until: event.until });
      case "request":
        this.#questionsNow.set(event.request.id, { taskId, request: event.request });
        return this.#change(event, { status: "asking" });
      case "answer":
        this.#questionsNow.delete(event.requestId);
        return this.#change(event, { status: "done" });
      case "agent-session":
        return this.#openAgent(event);
      case "agent-prompt":
        return this.#addPrompt(event);
      case "agent":
        return this.#follow(event, event.event);
      case "log":
        return this.#log(event, event.message);
      case "command-start":
        return this.#log(event, `$ ${event.command}`);
      case "command-end":
        return this.#endCommand(event);
      default:
    }
  }

  #startVisit(event: Extract<RunEvent, { type: "node-start" }>): void {
    const { taskId, nodeId, nodeType, name, item, itemCount, attempt, at } = event;
    const known = this.#visitsNow.get(taskId);
    // A process that was stopped may have left its attempt open.
    const worked = known === undefined ? [] : endWork(known, at).worked;
    const visit: RunVisit = {
      ...{ taskId, nodeId, nodeType, name, attempt, status: "running", worked, workingSince: at },
      ...(item === undefined ? {} : { item }),
      ...(itemCount === undefined ? {} : { itemCount }),
      ...(known?.log === undefined ? {} : { log: known.log }),
    };
    this.#visitsNow.set(taskId, visit);
  }

  /** A process that resumes a run continues visits whose start it does not repeat. */
  #change({ taskId, nodeId, at }: NodeEvent, change: Partial<RunVisit>): void {
    const about = { taskId, nodeId, nodeType: "", name: nodeId };
    const begun: RunVisit = { ...about, attempt: 1, status: "running", worked: [], workingSince: at };
    const visit = this.#visitsNow.get(taskId) ?? begun;
    if (change.status === undefined) return void this.#visitsNow.set(taskId, { ...visit, ...change });
    const { until: _until, ...rest } = visit;
    const changed = { ...rest, ...change };
    // A sleep is the work of its step; the wait for an answer or another attempt is not.
    this.#visitsNow.set(taskId, change.status === "sleeping" ? changed : endWork(changed, at));
  }

  #log(event: NodeEvent, text: string): void {
    const before = (this.#visits ?? this.#model.visits).get(event.taskId)?.log ?? [];
    this.#change(event, { log: [...before, ...shorten(text).split("\n")].slice(-MAX_LOG_LINES) });
  }

  /** The exit code comes to the line that the start of the command has left, unless other commands run beside it. */
  #endCommand(event: Extract<RunEvent, { type: "command-end" }>): void {
    const { command, exitCode, output = "" } = event;
    const begun = shorten(`$ ${command}`).split("\n");
    const log = (this.#visits ?? this.#model.visits).get(event.taskId)?.log ?? [];
    const isLast = log.slice(-begun.length).join("\n") === begun.join("\n");
    if (isLast) this.#change(event, { log: log.slice(0, -begun.length) });
    this.#log(event, `$ ${command}  exit code ${exitCode}\n${output.trimEnd()}`.trimEnd());
  }

  #forgetQuestions(taskId: string): void {
    for (const [id, question] of this.#questions ?? this.#model.questions) {
      if (question.taskId === taskId) this.#questionsNow.delete(id);
    }
  }

  #endAgents(taskId: string, status: RunAgent["status"], endedAt: number): void {
    for (const agent of (this.#agents ?? this.#model.agents).values()) {
      if (agent.taskId === taskId && agent.status === "open") {
        this.#agentsNow.set(agent.id, { ...agent, status, endedAt });
      }
    }
  }

  #openAgent({ taskId, sessionId, agentType, at }: Extract<RunEvent, { type: "agent-session" }>): void {
    const { endedAt, ...agent } = this.#agentOf(taskId, sessionId, at);
    // A session that is continued works from now on.
    const startedAt = endedAt === undefined ? agent.startedAt : at;
    this.#agentsNow.set(agent.id, { ...agent, agentType, startedAt, status: "open" });
  }

  #addPrompt({ taskId, sessionId, message, agentType, at }: Extract<RunEvent, { type: "agent-prompt" }>): void {
    const latest = [...this.#agentsNow.values()].findLast((agent) => agent.taskId === taskId)?.sessionId ?? "";
    const agent = this.#agentOf(taskId, sessionId ?? latest, at);
    const thread = addUserMessage(agent.thread, { at, text: shorten(message) });
    const type = agentType ?? agent.agentType;
    this.#agentsNow.set(agent.id, {
      ...agent,
      thread: bound(thread),
      ...(type === undefined ? {} : { agentType: type }),
    });
  }

  #follow({ taskId, agentType }: Extract<RunEvent, { type: "agent" }>, event: AgentEvent): void {
    const agent = this.#agentOf(taskId, event.sessionId, event.at);
    const kept = event.type === "tool-end" ? { ...event, output: shorten(event.output) } : event;
    const thread = bound(reduceChat(agent.thread, kept));
    const isTyped = agentType === undefined || agentType === agent.agentType;
    if (thread === agent.thread && isTyped) return;
    this.#agentsNow.set(agent.id, { ...agent, thread, ...(isTyped ? {} : { agentType }) });
  }

  #agentOf(taskId: string, sessionId: string, at: number): RunAgent {
    const id = `${taskId} ${sessionId}`;
    const known = this.#agentsNow.get(id);
    return known ?? { id, taskId, sessionId, status: "open", startedAt: at, thread: EMPTY_CHAT };
  }
}

/** Whether a run ended with the failure of a visit. */
export function isFatal(visit: RunVisit, error: Pick<RunErrorInfo, "nodeId" | "message"> | undefined): boolean {
  return visit.status === "failed" && visit.nodeId === error?.nodeId && visit.error === error.message;
}

/** Whether the last turn of an agent has ended with an answer, and no prompt came after it. */
function hasAnswered({ thread: { entries } }: RunAgent): boolean {
  const last = entries.at(-1);
  return last?.type === "turn-end" && last.outcome === "completed";
}

function bound(thread: ChatModel): ChatModel {
  return thread.entries.length > MAX_ENTRIES ? { ...thread, entries: thread.entries.slice(-KEPT_ENTRIES) } : thread;
}

/** A long text keeps its start and its end. */
function shorten(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const half = MAX_TEXT / 2;
  return `${text.slice(0, half)}\n… ${text.length - MAX_TEXT} characters …\n${text.slice(-half)}`;
}
