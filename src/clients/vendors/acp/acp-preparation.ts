import type { JsonObject, SessionConfig, ToolVerdict } from "../../../contracts/index.ts";
import type { ClaudeGuard } from "../claude-settings/claude-guard.ts";
import type { OpenCodeCall } from "../opencode-settings/opencode-call.ts";

/** What a preset makes of a client's options. */
export interface AcpPresetSettings {
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Added to the arguments. */
  readonly args: readonly string[];
  /** Folders that must exist before the agent is started. */
  readonly folders?: readonly string[];
  /** What an agent that is Claude Code, and asks a guard about each tool call, takes `~` for. */
  readonly guardHome?: string;
  /** What the agent is told of a session's folder in addition to its system prompt; empty when that is nothing. @default nothing */
  readonly loadInstructions?: (workingDirectory: string, config: SessionConfig) => Promise<string>;
  /** The method that the agent is told to authenticate with. An option of the client's of this name goes first. */
  readonly authMethod?: string;
  /** Names in the environment that hold keys: the commands that Atomic runs for the agent do not get them. */
  readonly secretNames: readonly string[];
  /** What the MCP servers that the agent starts for a session find in their environment in the place of its own. @default nothing */
  readonly mcpServerEnv?: Readonly<Record<string, string>>;
  /** Makes ready what each process of the agent has for itself. @default nothing */
  readonly prepare?: (decide: AcpCallDecider) => Promise<AcpPreparedProcess>;
}

/** Decides about a tool call of a session before it happens. */
export type AcpCallDecider = (call: OpenCodeCall) => Promise<ToolVerdict>;

/** What was made ready for one process. */
export interface AcpPreparedProcess {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it is started. */
  readonly workingDirectory: string;
  /**
   * Rejects unless the process has Atomic decide about each tool call in a folder that was opened. Absent for an agent that
   * does not say this before a turn.
   */
  readonly requireGate?: (directory: string) => Promise<void>;
  /** Makes ready what a session has for itself each time that the process opens it. @default nothing */
  readonly openSession?: (session: AcpSessionPlan) => Promise<AcpPreparedSession>;
  /** What the process reads, and what it may change, in a sandbox. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** The ports of this machine that it calls. */
  readonly ports: readonly number[];
  /** Takes everything away again, when the process has ended. Idempotent. */
  release(): Promise<void>;
}

/** A session that is about to be opened. */
export interface AcpSessionPlan {
  readonly config: SessionConfig;
  /** Decides about the session's tool calls, once it is opened. */
  readonly guard: () => ClaudeGuard | undefined;
}

/** What a process made ready for one session. */
export interface AcpPreparedSession {
  /** What is sent as `_meta` with the request that opens it. */
  readonly meta: JsonObject;
  /** Takes everything away again. Idempotent. */
  close(): Promise<void>;
}
