import type { JsonSchema } from "../json/json.ts";
import type { DeniedPermission } from "../permissions/permission.ts";
import type { McpServerStatus } from "../tools/mcp-server.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import type { AgentCapabilities } from "./agent-capabilities.ts";
import type { AgentEvent, AgentEventType } from "./agent-event.ts";
import type { AgentPrompt } from "./agent-prompt.ts";
import type { ReasoningEffort, SessionConfig } from "./session-config.ts";
import type { Usage } from "./usage.ts";

/** The name of an agent as `--agent` takes it: `opencode`, `claude`, `copilot`, `scripted`, or a configured one. */
export type AgentType = string;

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
  /**
   * What happens when the session is still busy with another turn: `throw` a `SessionBusyError`, or `wait` for its end,
   * in the order of the calls.
   * @default "throw"
   */
  readonly whenBusy?: "throw" | "wait";
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
  /** The efforts it can be set to; absent where nobody knows. */
  readonly reasoningEfforts?: readonly ReasoningEffort[];
}

/** A conversation that the vendor keeps. */
export interface SessionInfo {
  /** What `resumeSession` takes. */
  readonly id: string;
  readonly title: string;
  readonly workingDirectory?: string;
  /** Milliseconds since 1970; absent where the vendor does not say. */
  readonly updatedAt?: number;
}

/** What `listSessions` is to list. */
export interface ListSessionsOptions {
  /** Only conversations of this directory. @default the client's own working directory */
  readonly workingDirectory?: string;
}

/**
 * A conversation with an agent. One turn at a time: a second `send` or `stream` while one is under way throws
 * `SessionBusyError`, unless it is told to wait. The settings hold until the session is destroyed; resume it with others
 * to change the model.
 */
export interface Session {
  /** The vendor's own identifier, which `resumeSession` takes. */
  readonly id: string;
  /** Sends a message and waits for the end of the turn. Throws the turn's error; an abort rejects with its reason. */
  send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply>;
  /** Sends a message and yields what happens. Ends after `turn-end`; leaving the loop early aborts the turn. */
  stream(message: AgentPrompt, options?: TurnOptions): AsyncIterable<AgentEvent>;
  /**
   * Hands the agent a message while a turn runs: it is read at the next opportunity and is part of that turn.
   * @throws CapabilityMissingError; NoTurnRunningError when no turn runs
   */
  steer(message: AgentPrompt): Promise<void>;
  /** Stops the running turn, if any; the session stays usable. */
  abort(): Promise<void>;
  /** Compacts the conversation. @throws CapabilityMissingError; SessionBusyError */
  summarize(): Promise<void>;
  /** @throws CapabilityMissingError */
  getContextUsage(): Promise<ContextUsage>;
  /**
   * How much of the context window the system prompt and the tools take, in tokens; 0 before it is known.
   * @throws CapabilityMissingError
   */
  getSystemToolsTokens(): Promise<number>;
  /** The MCP servers of this session, the user's own included. @throws CapabilityMissingError */
  getMcpStatus(): Promise<readonly McpServerStatus[]>;
  /**
   * Frees what the session holds here, and refuses what is sent later with `SessionDestroyedError`. The conversation
   * stays at the vendor and can be resumed.
   */
  destroy(): Promise<void>;
}

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** A vendor's coding agent. */
export interface CodingAgentClient {
  readonly agentType: AgentType;
  readonly capabilities: AgentCapabilities;
  /**
   * Whether all that the agent does by itself happens in a sandbox. Also true of an agent without a process, which does what
   * its script says.
   * @default false
   */
  readonly isSandboxed?: boolean;
  /**
   * Whether `getContextUsage()` answers from what the client has heard already, instead of asking the agent.
   * @default false
   */
  readonly hasFreeContextUsage?: boolean;
  /**
   * Starts whatever the agent needs. Idempotent; called by the other methods when necessary.
   * @throws ClientNotInstalledError, NotSignedInError
   */
  start(): Promise<void>;
  /** Destroys every session and ends every process that `start` made. Idempotent. */
  stop(): Promise<void>;
  createSession(config?: SessionConfig): Promise<Session>;
  /** @throws UnknownSessionError when the vendor no longer has it. */
  resumeSession(sessionId: string, config?: SessionConfig): Promise<Session>;
  /** A copy of a conversation, which then goes its own way. @throws CapabilityMissingError, UnknownSessionError */
  forkSession(sessionId: string, config?: SessionConfig): Promise<Session>;
  /** The conversations the vendor keeps, the latest first. @throws CapabilityMissingError */
  listSessions(options?: ListSessionsOptions): Promise<readonly SessionInfo[]>;
  /** Deletes a conversation at the vendor. @throws CapabilityMissingError, UnknownSessionError */
  deleteSession(sessionId: string): Promise<void>;
  /** Hears events of all sessions of this client. A listener must not throw. */
  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe;
  /**
   * Offers a tool to every session opened afterwards. One that is registered again under its name replaces the earlier
   * one for them.
   * @throws CapabilityMissingError
   */
  registerTool(tool: ToolDefinition): void;
  getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo>;
  /** The models the agent offers to this user. @throws CapabilityMissingError */
  listModels(): Promise<readonly ModelDisplayInfo[]>;
}
