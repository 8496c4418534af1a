import type { AgentEvent } from "./agent-event.ts";
import type { DebugReport } from "./debug-report.ts";
import type { HumanRequest } from "./human-request.ts";
import type { Usage } from "./usage.ts";

/** Where a run stands. `running` is the only state that is not an end of a process's part in it. */
export type RunStatus = "running" | "completed" | "suspended" | "failed" | "cancelled";

/** A failure as events and files carry it. */
export interface RunErrorInfo {
  readonly code: string;
  readonly message: string;
  /** The node that failed, when one did. */
  readonly nodeId?: string;
  /** Where in the user's own code it came from, as `path:line:column`. */
  readonly frame?: string;
  /** The whole stack, of bounded length. */
  readonly stack?: string;
  /** The limit that the run exceeded, when the code is `RUN_LIMIT`. */
  readonly bound?: "maxSteps" | "timeoutMs" | "maxTokens" | "maxCostUsd";
}

/** What every event of a run says. */
interface RunEventBase {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What every event about a node says. */
interface NodeEventBase extends RunEventBase {
  readonly nodeId: string;
  /** Identifies this visit of the node within the run, for example `plan` or `implement#3`. */
  readonly taskId: string;
}

/** One thing that happened in a run: what `graph.stream()` yields and `--json` prints, a line each. */
export type RunEvent =
  | (RunEventBase & { readonly type: "run-start"; readonly workflow: string; readonly isResume: boolean })
  | (RunEventBase & {
      readonly type: "run-end";
      readonly status: Exclude<RunStatus, "running">;
      readonly usage: Usage;
      readonly error?: RunErrorInfo;
      /** What a completed run has come to. */
      readonly output?: unknown;
    })
  /** The run goes on with another version of its graph; everything it did so far fits that version. */
  | (RunEventBase & { readonly type: "graph-changed"; readonly differences: readonly string[] })
  | (NodeEventBase & {
      readonly type: "node-start";
      readonly nodeType: string;
      readonly name: string;
      readonly attempt: number;
      /** What the branch of a `.map` is about, in a few words. */
      readonly item?: string;
    })
  | (NodeEventBase & {
      readonly type: "node-end";
      readonly durationMs: number;
      readonly usage: Usage;
      /** The fields that the node changed; absent when it changed none. */
      readonly update?: Readonly<Record<string, unknown>>;
      /** The state as the node left it, where the run was asked to tell it. */
      readonly state?: Readonly<Record<string, unknown>>;
      /** Somebody had the run go on without the node. */
      readonly isSkipped?: boolean;
    })
  | (NodeEventBase & {
      readonly type: "node-error";
      readonly attempt: number;
      readonly error: RunErrorInfo;
      /** When the node runs again, in milliseconds since 1970; absent when it does not. */
      readonly retryAt?: number;
    })
  /** The node is done at a moment to come, in milliseconds since 1970. */
  | (NodeEventBase & { readonly type: "node-sleep"; readonly until: number })
  /** The visit's result is no longer needed; its code, which may still run for a while, is told to stop. */
  | (NodeEventBase & { readonly type: "node-dropped" })
  /** Something beside the run went wrong; the run goes on. */
  | (RunEventBase & { readonly type: "warning"; readonly message: string })
  | (RunEventBase & { readonly type: "checkpoint"; readonly sequence: number })
  | (NodeEventBase & { readonly type: "request"; readonly request: HumanRequest })
  | (NodeEventBase & { readonly type: "answer"; readonly requestId: string; readonly value: unknown })
  /** What an agent does or says, in the client's own words and unchanged. */
  | (NodeEventBase & { readonly type: "agent"; readonly event: AgentEvent })
  /** An agent's session is open. */
  | (NodeEventBase & {
      readonly type: "agent-session";
      readonly agentType: string;
      readonly sessionId: string;
      readonly isResumed: boolean;
    })
  /** What a node used up beside what its agent's own events tell. */
  | (NodeEventBase & { readonly type: "usage"; readonly usage: Usage })
  | (NodeEventBase & {
      readonly type: "command-end";
      readonly command: string;
      readonly exitCode: number;
      readonly durationMs: number;
    })
  /** How full an agent's context window is, or what is done about it. */
  | (NodeEventBase & {
      readonly type: "context-window";
      /** The name of the session, where it has one. */
      readonly session?: string;
      /** The part of the window that is used, 0 to 1; absent where nobody looked. */
      readonly fraction?: number;
      readonly action: ContextAction | "none";
    })
  /** What a node found out about a failure. */
  | (NodeEventBase & { readonly type: "debug-report"; readonly report: DebugReport })
  | (NodeEventBase & { readonly type: "log"; readonly message: string })
  | (NodeEventBase & { readonly type: "tasks"; readonly tasks: readonly TaskProgress[] });

/** What is done about a session whose context window fills up. */
export type ContextAction = "summarize" | "recreate" | "warn";

/** A line of a workflow's task list. */
export interface TaskProgress {
  readonly id: string;
  readonly name: string;
  readonly status: "pending" | "in_progress" | "passing" | "failing" | "skipped";
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The events a node itself may emit; the engine adds the run, the node and the time. */
export type NodeEmission = DistributiveOmit<
  Extract<
    RunEvent,
    {
      type: "agent" | "agent-session" | "usage" | "command-end" | "context-window" | "debug-report" | "log" | "tasks";
    }
  >,
  "runId" | "at" | "nodeId" | "taskId"
>;

/** What an event tells was used up just now, by an agent or by the node itself; the ends of nodes and runs tell sums. */
export function spentUsage(event: RunEvent | NodeEmission): Usage | undefined {
  if (event.type === "usage") return event.usage;
  return event.type === "agent" && event.event.type === "usage" ? event.event.usage : undefined;
}
