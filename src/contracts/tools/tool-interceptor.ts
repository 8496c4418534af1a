import type { ToolKind } from "../permissions/permission.ts";

/** A tool call that is about to happen. */
export interface InterceptedToolCall {
  readonly sessionId: string;
  readonly toolId: string;
  /** The vendor's own name of the tool. */
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: unknown;
}

/** What happens to an intercepted call. */
export type ToolVerdict =
  /** The call continues to the permission policy, with a new input if there is one. */
  | { readonly type: "continue"; readonly input?: unknown }
  /** The call is blocked; the agent receives the reason. */
  | { readonly type: "block"; readonly reason: string };

/** Intercepts every tool call before the permission policy sees it. A rejected promise blocks the call. */
export type ToolInterceptor = (
  call: InterceptedToolCall,
  options: { readonly signal: AbortSignal },
) => Promise<ToolVerdict>;
