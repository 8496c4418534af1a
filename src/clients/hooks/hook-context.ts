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

/** What an agent's event of a type says. */
type Told<Type extends AgentEvent["type"]> = Omit<Extract<AgentEvent, { type: Type }>, "type" | "sessionId" | "at">;

/** What each hook is told, by the name of its event. {@link HookManager} says when which of them is told. */
export interface HookData {
  /** A conversation was opened. */
  readonly "session.start": {
    readonly origin: "create" | "resume" | "fork";
    /** The conversation that was copied; present when the origin is `fork`. */
    readonly forkedFrom?: string;
  };
  /** `idle`: a turn is over. `destroy`: what the session held here was freed. `delete`: the vendor has forgotten it. */
  readonly "session.end": { readonly reason: "idle" | "destroy" | "delete" };
  readonly "session.error": { readonly message: string; readonly code: string };
  readonly "tool.before": HookToolCall;
  readonly "tool.after": HookToolCall & { readonly output: string };
  readonly "tool.error": HookToolCall & { readonly output: string };
  readonly "message.before": { readonly prompt: AgentPrompt };
  readonly "message.after": {
    readonly outcome: TurnOutcome;
    /** The text of the answer, as far as it came. */
    readonly content: string;
    readonly usage: Usage;
    readonly toolUses: number;
  };
  readonly "permission.request": { readonly request: PermissionRequest };
  readonly notification: AgentNotification;
  readonly "subagent.start": Told<"subagent-start">;
  readonly "subagent.end": Told<"subagent-end">;
}

/** The events that hooks hear, whatever the vendor. */
export type UnifiedHookEvent = keyof HookData;

/** A call of a hook for one of these events; of several, `event` tells what `data` is. */
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

/** Hears of an event. What it throws, or rejects with, is reported and changes nothing. */
export type HookHandler<E extends UnifiedHookEvent = UnifiedHookEvent> = (
  context: HookContextOf<E>,
) => void | Promise<void>;

/** Decides about a tool call before it happens; nothing means that it goes on. What it throws blocks the call. */
export type HookInterceptor = (
  context: HookContextOf<"tool.before">,
  options: { readonly signal: AbortSignal },
) => ToolVerdict | undefined | Promise<ToolVerdict | undefined>;

/** A hook's event and its data, before it is known who asks. */
export type HookFact = {
  readonly [E in UnifiedHookEvent]: { readonly event: E; readonly data: HookData[E] };
}[UnifiedHookEvent];
