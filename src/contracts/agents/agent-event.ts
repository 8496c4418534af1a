import type { DeniedPermission, PermissionRequest, ToolKind } from "../permissions/permission.ts";
import type { AgentQuestion } from "./agent-question.ts";
import type { Usage } from "./usage.ts";

/** How a turn ended. */
export type TurnOutcome = "completed" | "aborted" | "failed";

/**
 * Everything that happens in an agent's session, in one vocabulary for all vendors. Events of one session arrive in
 * order. A vendor event without a counterpart here becomes `vendor`; a few are dropped or shortened.
 */
export type AgentEvent = AgentEventBody & {
  /** When listeners receive it, in milliseconds since 1970. */
  readonly at: number;
};

/** An event without its time, which the turn adds: translators are pure and have no clock. */
export type AgentEventBody =
  | { readonly type: "turn-start"; readonly sessionId: string }
  | { readonly type: "text-delta"; readonly sessionId: string; readonly text: string }
  /**
   * A model's answer broke off, and starts again: its text so far is void. That is the text since the last `usage`,
   * `tool-start` or `turn-start`.
   */
  | { readonly type: "text-restart"; readonly sessionId: string }
  | { readonly type: "thinking-delta"; readonly sessionId: string; readonly text: string }
  | {
      readonly type: "tool-start";
      readonly sessionId: string;
      readonly toolId: string;
      readonly toolName: string;
      readonly kind: ToolKind;
      /** The arguments as the model wrote them. */
      readonly input: unknown;
    }
  | {
      readonly type: "tool-end";
      readonly sessionId: string;
      readonly toolId: string;
      readonly toolName: string;
      readonly isError: boolean;
      /** What the tool returned, as the model sees it. */
      readonly output: string;
    }
  | { readonly type: "permission-ask"; readonly sessionId: string; readonly request: PermissionRequest }
  | { readonly type: "permission-denied"; readonly sessionId: string; readonly denied: DeniedPermission }
  | { readonly type: "question-ask"; readonly sessionId: string; readonly question: AgentQuestion }
  | {
      readonly type: "subagent-start";
      readonly sessionId: string;
      readonly subagentId: string;
      readonly title: string;
      /** The name of its definition, for example `Explore`. Absent where the vendor does not report it. */
      readonly subagentType?: string;
      /** Its task, as the model wrote it. Absent where the vendor does not report it. */
      readonly task?: string;
    }
  | {
      readonly type: "subagent-end";
      readonly sessionId: string;
      readonly subagentId: string;
      readonly isError: boolean;
      /** Its answer, or why it failed. Absent where the vendor does not report it. */
      readonly result?: string;
    }
  /** Tokens of one model call; a turn's usage is the sum of its `usage` events. */
  | { readonly type: "usage"; readonly sessionId: string; readonly usage: Usage }
  | { readonly type: "compacted"; readonly sessionId: string }
  /** The agent has been silent for this long; the turn is about to be aborted. */
  | { readonly type: "stalled"; readonly sessionId: string; readonly silentMs: number }
  /** The agent, or Atomic, waits before the next attempt; `machine-limit`: before the first, for other agents to finish. */
  | {
      readonly type: "waiting";
      readonly sessionId: string;
      readonly reason: "rate-limit" | "overload" | "network" | "crash" | "stall" | "provider-error" | "machine-limit";
      /** In the words of the provider, if it is the cause. */
      readonly message: string;
      /** When the next attempt starts, in milliseconds since 1970. Absent when unknown. */
      readonly retryAt?: number;
      /** How many attempts have failed so far. Absent when unknown. */
      readonly attempt?: number;
    }
  | { readonly type: "error"; readonly sessionId: string; readonly message: string; readonly code: string }
  | { readonly type: "turn-end"; readonly sessionId: string; readonly outcome: TurnOutcome }
  /** An event that only this vendor has, possibly shortened. */
  | { readonly type: "vendor"; readonly sessionId: string; readonly name: string; readonly data: unknown };

/** The `type` of an {@link AgentEvent}. */
export type AgentEventType = AgentEvent["type"];
