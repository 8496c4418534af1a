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
  /** The schema of the reply; the parsed value is in `structured`. */
  readonly outputSchema?: JsonSchema;
  /**
   * Abort the turn after this many milliseconds without an event. Waiting for a person's permission does not count as
   * silence.
   * @default 300_000
   */
  readonly stallTimeoutMs?: number;
  /**
   * Called when the turn may have to wait until fewer other agents are at work, so that a time limit of the caller does not
   * count that. Returns a function that is called when the wait ends.
   */
  readonly stopTimeout?: () => () => void;
  /**
   * What to do when another turn is in progress: `throw` a `SessionBusyError`, or `wait` for it to end. Waiting calls run
   * in order.
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
  /** Tool calls that started (`tool-start` events), including failed calls and those denied after `tool-start`. */
  readonly toolUses: number;
  readonly deniedPermissions: readonly DeniedPermission[];
  /** The parsed answer, present when the turn had an `outputSchema`. */
  readonly structured?: unknown;
}

/** How full the model's context window is. */
export interface ContextUsage {
  readonly usedTokens: number;
  /** 0 when unknown. */
  readonly maxTokens: number;
  /** `usedTokens / maxTokens`, between 0 and 1; 0 when `maxTokens` is unknown. */
  readonly fraction: number;
}

/** How a model is shown to a person. */
export interface ModelDisplayInfo {
  readonly model: string;
  readonly displayName: string;
  readonly contextWindowTokens?: number;
  /** The efforts it supports. Absent when unknown. */
  readonly reasoningEfforts?: readonly ReasoningEffort[];
}

/** A conversation that the vendor stores. */
export interface SessionInfo {
  /** What `resumeSession` takes. */
  readonly id: string;
  readonly title: string;
  readonly workingDirectory?: string;
  /** Milliseconds since 1970. Absent where the vendor does not report it. */
  readonly updatedAt?: number;
}

/** Options of `listSessions`. */
export interface ListSessionsOptions {
  /** Only conversations of this directory. @default the client's own working directory */
  readonly workingDirectory?: string;
}

/**
 * A conversation with an agent, one turn at a time: `send` and `stream` throw `SessionBusyError` while a turn is in
 * progress, unless `whenBusy` is `wait`. The settings apply until the session is destroyed; to change the model, resume
 * it with other settings.
 */
export interface Session {
  /** The vendor's own identifier, which `resumeSession` takes. */
  readonly id: string;
  /** Sends a message and waits for the turn to end. Rejects with the turn's error, or with the reason of an abort. */
  send(message: AgentPrompt, options?: TurnOptions): Promise<AgentReply>;
  /** Sends a message and yields the turn's events up to `turn-end`. Leaving the loop early aborts the turn. */
  stream(message: AgentPrompt, options?: TurnOptions): AsyncIterable<AgentEvent>;
  /**
   * Adds a message to the turn in progress. The agent reads it at the next opportunity.
   * @throws CapabilityMissingError; NoTurnRunningError when no turn is in progress
   */
  steer(message: AgentPrompt): Promise<void>;
  /** Aborts the turn in progress, if any; the session stays usable. */
  abort(): Promise<void>;
  /** Compacts the conversation. @throws CapabilityMissingError; SessionBusyError */
  summarize(): Promise<void>;
  /** @throws CapabilityMissingError */
  getContextUsage(): Promise<ContextUsage>;
  /**
   * How much of the context window the system prompt and the tools take, in tokens; 0 while unknown.
   * @throws CapabilityMissingError
   */
  getSystemToolsTokens(): Promise<number>;
  /** The MCP servers of this session, the user's own included. @throws CapabilityMissingError */
  getMcpStatus(): Promise<readonly McpServerStatus[]>;
  /**
   * Releases the session's resources; later calls throw `SessionDestroyedError`. The vendor keeps the conversation, which
   * can be resumed.
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
   * Whether everything the agent does on its own happens in a sandbox. Also true of an agent without a process, which only
   * follows its script.
   * @default false
   */
  readonly isSandboxed?: boolean;
  /**
   * Whether `getContextUsage()` answers from events already received, without asking the agent.
   * @default false
   */
  readonly hasFreeContextUsage?: boolean;
  /**
   * Starts the agent's processes and connections. Idempotent; the other methods call it when necessary.
   * @throws ClientNotInstalledError, NotSignedInError
   */
  start(): Promise<void>;
  /** Destroys every session and ends every process that `start` created. Idempotent. */
  stop(): Promise<void>;
  createSession(config?: SessionConfig): Promise<Session>;
  /** @throws UnknownSessionError when the vendor no longer has it. */
  resumeSession(sessionId: string, config?: SessionConfig): Promise<Session>;
  /** Opens a copy of a conversation, independent of the original. @throws CapabilityMissingError, UnknownSessionError */
  forkSession(sessionId: string, config?: SessionConfig): Promise<Session>;
  /** The conversations that the vendor stores, newest first. @throws CapabilityMissingError */
  listSessions(options?: ListSessionsOptions): Promise<readonly SessionInfo[]>;
  /** Deletes a conversation at the vendor. @throws CapabilityMissingError, UnknownSessionError */
  deleteSession(sessionId: string): Promise<void>;
  /** Subscribes to events of all sessions of this client. A listener must not throw. */
  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe;
  /**
   * Offers a tool to every session opened afterwards. Registering the same name again replaces the tool for later
   * sessions.
   * @throws CapabilityMissingError
   */
  registerTool(tool: ToolDefinition): void;
  getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo>;
  /** The models the agent offers to this user. @throws CapabilityMissingError */
  listModels(): Promise<readonly ModelDisplayInfo[]>;
}
