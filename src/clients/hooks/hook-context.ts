import type {
  AgentEvent,
  AgentPrompt,
  AgentType,
  InterceptedToolCall,
  PermissionRequest,
  ToolVerdict,
  TurnOutcome,
  Usage,
} from "../../contracts/index.ts";
import type { AgentNotification } from "./read-notification.ts";

/** A tool call as hooks see it. */
export type HookToolCall = Omit<InterceptedToolCall, "sessionId">;

/** The data of an agent's event of a type. */
type Told<Type extends AgentEvent["type"]> = Omit<Extract<AgentEvent, { type: Type }>, "type" | "sessionId" | "at">;

/** The data that each hook receives, by the name of its event. {@link HookManager} defines when a hook is called. */
export interface HookData {
  /** A conversation was opened. */
  readonly "session.start": {
    readonly origin: "create" | "resume" | "fork";
    /** The conversation that was copied; present when the origin is `fork`. */
    readonly forkedFrom?: string;
  };
  /**
   * `idle`: a turn ended. `destroy`: what the session held here was freed. `delete`: the vendor deleted the conversation.
   */
  readonly "session.end": { readonly reason: "idle" | "destroy" | "delete" };
  readonly "session.error": { readonly message: string; readonly code: string };
  readonly "tool.before": HookToolCall;
  readonly "tool.after": HookToolCall & { readonly output: string };
  readonly "tool.error": HookToolCall & { readonly output: string };
  readonly "message.before": { readonly prompt: AgentPrompt };
  readonly "message.after": {
    readonly outcome: TurnOutcome;
    /** The text of the answer, as far as it arrived. */
    readonly content: string;
    readonly usage: Usage;
    readonly toolUses: number;
  };
  readonly "permission.request": { readonly request: PermissionRequest };
  readonly notification: AgentNotification;
  readonly "subagent.start": Told<"subagent-start">;
  readonly "subagent.end": Told<"subagent-end">;
  /** The conversation is about to be compacted, because the program requests it. */
  readonly "compact.before": { readonly trigger: "manual" };
  /** `manual`: the program requested it. `auto`: the agent did it by itself. */
  readonly "compact.after": { readonly trigger: "manual" | "auto" };
}

/** The events that hooks receive, whatever the vendor. */
export type UnifiedHookEvent = keyof HookData;

/** A call of a hook for one of these events. With several events, `event` determines the type of `data`. */
export type HookContextOf<Event extends UnifiedHookEvent> = {
  readonly [E in Event]: {
    readonly event: E;
    readonly sessionId: string;
    readonly agentType: AgentType;
    readonly timestamp: Date;
    readonly data: HookData[E];
  };
}[Event];

/** Any call of a hook. */
export type HookContext = HookContextOf<UnifiedHookEvent>;

/** Receives an event. What it throws, or rejects with, is reported and changes nothing. */
export type HookHandler<E extends UnifiedHookEvent = UnifiedHookEvent> = (
  context: HookContextOf<E>,
) => void | Promise<void>;

/** Decides about a tool call before it runs; without a decision the call continues. What it throws blocks the call. */
export type HookInterceptor = (
  context: HookContextOf<"tool.before">,
  options: { readonly signal: AbortSignal },
) => ToolVerdict | undefined | Promise<ToolVerdict | undefined>;

/** A hook's event and its data, before the session is known. */
export type HookFact = {
  readonly [E in UnifiedHookEvent]: { readonly event: E; readonly data: HookData[E] };
}[UnifiedHookEvent];
