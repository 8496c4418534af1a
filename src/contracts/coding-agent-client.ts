import type { AgentEvent, AgentEventType } from "./agent-event.ts";
import type { JsonSchema } from "./json.ts";
import type { DeniedPermission, PermissionHandler, PermissionPolicy } from "./permission.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import type { Usage } from "./usage.ts";

/** The name of an agent as `--agent` takes it: `opencode`, `claude`, `copilot`, `scripted`, or a configured one. */
export type AgentType = string;

/** What an agent can do. A capability that is `false` makes the matching call throw `CapabilityMissingError`. */
export interface AgentCapabilities {
  readonly resume: boolean;
  readonly summarize: boolean;
  readonly permissions: boolean;
  /** The vendor itself constrains an answer to a JSON Schema; Atomic validates and asks again where it does not. */
  readonly structuredOutput: boolean;
  readonly thinking: boolean;
  readonly contextUsage: boolean;
}

/** Settings of one session. Whatever is absent is the agent's own default. */
export interface SessionConfig {
  /** The model, in the agent's own spelling. */
  readonly model?: string;
  /** Added to the agent's own system prompt. */
  readonly systemPrompt?: string;
  /** The directory the agent works in. @default the client's own working directory */
  readonly workingDirectory?: string;
  /** A title for the vendor's own list of sessions. */
  readonly title?: string;
  /** Decides about the tool calls the agent wants to make. @default everything is asked for */
  readonly permissions?: PermissionPolicy;
  /** Asks a person where the policy says `ask`. Without it such calls are denied, and listed in the reply. */
  readonly onPermissionAsk?: PermissionHandler;
}

/** Settings of one turn. */
export interface TurnOptions {
  /** Ends the turn early; the session stays usable. */
  readonly signal?: AbortSignal;
  /** The shape the reply must have; the parsed value arrives as `structured`. */
  readonly outputSchema?: JsonSchema;
  /**
   * Abort the turn when no event came for this long, in milliseconds. A permission that waits for a person does not
   * count as silence.
   * @default 300_000
   */
  readonly stallTimeoutMs?: number;
}

/** A finished turn. */
export interface AgentReply {
  readonly type: "text";
  /** The whole text of the answer. */
  readonly content: string;
  readonly usage: Usage;
  /** How many tools ran. */
  readonly toolUses: number;
  readonly deniedPermissions: readonly DeniedPermission[];
  /** The parsed answer, present when the turn had an `outputSchema`. */
  readonly structured?: unknown;
}

/** How full the model's context window is. */
export interface ContextUsage {
  readonly usedTokens: number;
  /** 0 where nobody knows. */
  readonly maxTokens: number;
  /** `usedTokens / maxTokens`, between 0 and 1; 0 where nobody knows `maxTokens`. */
  readonly fraction: number;
}

/** How a model is shown to a person. */
export interface ModelDisplayInfo {
  readonly model: string;
  readonly displayName: string;
  readonly contextWindowTokens?: number;
}

/**
 * A conversation with an agent. One turn at a time: a second `send` or `stream` while one is under way throws
 * `SessionBusyError`.
 */
export interface Session {
  /** The vendor's own identifier, which `resumeSession` takes. */
  readonly id: string;
  /** Sends a message and waits for the end of the turn. Throws the turn's error; an abort rejects with its reason. */
  send(message: string, options?: TurnOptions): Promise<AgentReply>;
  /** Sends a message and yields what happens. Ends after `turn-end`; leaving the loop early aborts the turn. */
  stream(message: string, options?: TurnOptions): AsyncIterable<AgentEvent>;
  /** Stops the running turn, if any; the session stays usable. */
  abort(): Promise<void>;
  /** Compacts the conversation. */
  summarize(): Promise<void>;
  getContextUsage(): Promise<ContextUsage>;
  /** Frees what the session holds here. The conversation stays at the vendor and can be resumed. */
  destroy(): Promise<void>;
}

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** A vendor's coding agent. */
export interface CodingAgentClient {
  readonly agentType: AgentType;
  readonly capabilities: AgentCapabilities;
  /**
   * Starts whatever the agent needs. Idempotent; called by the other methods when necessary.
   * @throws ClientNotInstalledError, NotSignedInError
   */
  start(): Promise<void>;
  /** Ends every session and process that `start` made. Idempotent. */
  stop(): Promise<void>;
  createSession(config?: SessionConfig): Promise<Session>;
  /** @throws UnknownSessionError when the vendor no longer has it. */
  resumeSession(sessionId: string, config?: SessionConfig): Promise<Session>;
  /** Hears events of all sessions of this client. A listener must not throw. */
  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe;
  /** Offers a tool to every session created afterwards. */
  registerTool(tool: ToolDefinition): void;
  getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo>;
}
