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

/** What becomes of an intercepted call. */
export type ToolVerdict =
  /** It goes on to the permission policy, with another input if one is given. */
  | { readonly type: "continue"; readonly input?: unknown }
  /** It does not happen; the agent is told why. */
  | { readonly type: "block"; readonly reason: string };

/** Looks at every tool call before it happens, before the permission policy does. A rejection blocks the call. */
export type ToolInterceptor = (
  call: InterceptedToolCall,
  options: { readonly signal: AbortSignal },
) => Promise<ToolVerdict>;
