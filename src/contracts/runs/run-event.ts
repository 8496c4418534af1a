import type { AgentEvent } from "../agents/agent-event.ts";
import type { Usage, UsageByAgent } from "../agents/usage.ts";
import type { HumanRequest } from "./human-request.ts";

/** The status of a run. In every status but `running`, no process executes the run. */
export type RunStatus = "running" | "completed" | "suspended" | "failed" | "cancelled";

/** A failure, as in events and files. */
export interface RunErrorInfo {
  readonly code: string;
  readonly message: string;
  /** The node that failed, when one did. */
  readonly nodeId?: string;
  /** The place in the user's own code that caused it, as `path:line:column`. */
  readonly frame?: string;
  /** The whole stack, truncated to a maximum length. */
  readonly stack?: string;
  /** The limit that the run exceeded, when the code is `RUN_LIMIT`. */
  readonly bound?: "maxSteps" | "timeoutMs" | "maxTokens" | "maxCostUsd";
  /** The permission rule that would have prevented it, such as `shell:git status`. */
  readonly allowedBy?: string;
}

/** What is known about a failure, for the agent or person who fixes it. */
export interface DebugReport {
  readonly errorSummary: string;
  readonly stackTrace: string;
  readonly relevantFiles: readonly string[];
  readonly suggestedFixes: readonly string[];
}

/** The fields of every event. */
interface RunEventBase {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The fields of every event of a node. */
interface NodeEventBase extends RunEventBase {
  readonly nodeId: string;
  /** Identifies this visit of the node within the run, for example `plan` or `implement#3`. */
  readonly taskId: string;
}

/** An event of a run. `graph.stream()` yields it, `--json` prints it as a line. */
export type RunEvent =
  | (RunEventBase & { readonly type: "run-start"; readonly workflow: string; readonly isResume: boolean })
  | (RunEventBase & {
      readonly type: "run-end";
      readonly status: Exclude<RunStatus, "running">;
      readonly usage: Usage;
      /** The parts of the agents in it. Absent when no agent is known. */
      readonly usageByAgent?: UsageByAgent;
      readonly error?: RunErrorInfo;
      /** The result of a completed run. */
      readonly output?: unknown;
    })
  /** The run continues with another version of its graph; everything it did so far fits that version. */
  | (RunEventBase & { readonly type: "graph-changed"; readonly differences: readonly string[] })
  | (NodeEventBase & {
      readonly type: "node-start";
      readonly nodeType: string;
      readonly name: string;
      readonly attempt: number;
      /** A short title of the item, in a branch of a `.map`. */
      readonly item?: string;
      /** How many items that map runs. Absent where the first one that succeeds ends the map. */
      readonly itemCount?: number;
    })
  | (NodeEventBase & {
      readonly type: "node-end";
      readonly durationMs: number;
      readonly usage: Usage;
      /** The parts of the agents in it. Absent when no agent is known. */
      readonly usageByAgent?: UsageByAgent;
      /** The fields that the node changed. Absent when it changed none. */
      readonly update?: Readonly<Record<string, unknown>>;
      /** The state after the node, if the run was asked to report it. */
      readonly state?: Readonly<Record<string, unknown>>;
      /** Somebody skipped the node. */
      readonly isSkipped?: boolean;
      /** The outcome of what the node checked. Absent when it checked nothing. */
      readonly isPassed?: boolean;
      /** The visits that start now, if something decided about them: a condition, a loop, a map, or a `goto`. */
      readonly next?: readonly string[];
    })
  | (NodeEventBase & {
      readonly type: "node-error";
      readonly attempt: number;
      readonly error: RunErrorInfo;
      /** When the node is retried, in milliseconds since 1970. Absent when it is not. */
      readonly retryAt?: number;
    })
  /** The node sleeps; `until` is in milliseconds since 1970. */
  | (NodeEventBase & { readonly type: "node-sleep"; readonly until: number })
  /** The visit's result is no longer needed. Its code is aborted, and may still run for a while. */
  | (NodeEventBase & { readonly type: "node-dropped" })
  /** Something went wrong that does not stop the run. */
  | (RunEventBase & { readonly type: "warning"; readonly message: string })
  | (RunEventBase & { readonly type: "checkpoint"; readonly sequence: number })
  | (NodeEventBase & { readonly type: "request"; readonly request: HumanRequest })
  | (NodeEventBase & { readonly type: "answer"; readonly requestId: string; readonly value: unknown })
  /** An event of an agent's client, unchanged. */
  | (NodeEventBase & {
      readonly type: "agent";
      readonly event: AgentEvent;
      /** The agent that reports its usage, such as `claude`. Absent in other events. */
      readonly agentType?: string;
    })
  /** A node or a sub-agent sends a message to an agent. A long text keeps its start and end. */
  | (NodeEventBase & {
      readonly type: "agent-prompt";
      readonly message: string;
      /** The system prompt of the session, with its first message. Absent when the session has none. */
      readonly systemPrompt?: string;
      /** The vendor's session. */
      readonly sessionId?: string;
      readonly agentType?: string;
    })
  /** An agent's session is open. */
  | (NodeEventBase & {
      readonly type: "agent-session";
      readonly agentType: string;
      readonly sessionId: string;
      readonly isResumed: boolean;
    })
  /** Usage of a node that its agent's own events do not report. */
  | (NodeEventBase & {
      readonly type: "usage";
      readonly usage: Usage;
      /** The agent that it belongs to. Absent when unknown. */
      readonly agentType?: string;
    })
  /** A command starts. No `command-end` follows when it is stopped. */
  | (NodeEventBase & { readonly type: "command-start"; readonly command: string })
  | (NodeEventBase & {
      readonly type: "command-end";
      readonly command: string;
      readonly exitCode: number;
      readonly durationMs: number;
      /** The end of what it printed, standard output first. Absent if that is nothing. */
      readonly output?: string;
    })
  /** How full an agent's context window is, or what the node does about it. */
  | (NodeEventBase & {
      readonly type: "context-window";
      /** The session's name. Absent when it has none. */
      readonly session?: string;
      /** The used part of the window, 0 to 1. Absent when unknown. */
      readonly fraction?: number;
      readonly action: ContextAction | "none";
    })
  /** A node's report about a failure. */
  | (NodeEventBase & { readonly type: "debug-report"; readonly report: DebugReport })
  | (NodeEventBase & { readonly type: "log"; readonly message: string })
  | (NodeEventBase & { readonly type: "tasks"; readonly tasks: readonly TaskProgress[] });

/** What to do with a session whose context window fills up. */
export type ContextAction = "summarize" | "recreate" | "warn";

/** A line of a workflow's task list. */
export interface TaskProgress {
  readonly id: string;
  readonly name: string;
  readonly status: "pending" | "in_progress" | "passing" | "failing" | "skipped";
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The events that a node may emit; the engine adds the run and the time, and the node where the event has one. */
export type NodeEmission = DistributiveOmit<
  Extract<
    RunEvent,
    {
      type:
        | "agent"
        | "agent-prompt"
        | "agent-session"
        | "usage"
        | "command-start"
        | "command-end"
        | "context-window"
        | "debug-report"
        | "log"
        | "tasks"
        | "warning";
    }
  >,
  "runId" | "at" | "nodeId" | "taskId"
>;

/** The usage that an event adds, by an agent or the node itself. The ends of nodes and runs report sums instead. */
export function spentUsage(event: RunEvent | NodeEmission): Usage | undefined {
  if (event.type === "usage") return event.usage;
  return event.type === "agent" && event.event.type === "usage" ? event.event.usage : undefined;
}

/** Whether the visit of a node is over: it is done, was dropped, or failed for good. */
export function endsVisit(event: RunEvent): event is Extract<RunEvent, { readonly taskId: string }> {
  if (event.type === "node-error") return event.retryAt === undefined;
  return event.type === "node-end" || event.type === "node-dropped";
}

/** Whether a visit is in a call of a script, or in a workflow, that another visit makes. By their `taskId`. */
export function isVisitWithin(taskId: string, outer: string): boolean {
  return taskId.startsWith(`${outer}[`) || taskId.startsWith(`${outer}/`);
}
