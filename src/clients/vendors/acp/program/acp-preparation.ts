import type { JsonObject, SessionConfig, ToolVerdict } from "../../../../contracts/index.ts";
import type { ClaudeGuard } from "../../claude-settings/claude-guard.ts";
import type { OpenCodeCall } from "../../opencode-settings/opencode-call.ts";

/** The agent's settings that a preset derives from a client's options. */
export interface AcpPresetSettings {
  /** Added to the agent's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Added to the agent's arguments. */
  readonly args: readonly string[];
  /** Folders that must exist before the agent starts. */
  readonly folders?: readonly string[];
  /** The home folder (`~`) of Claude Code. Present where it calls back to a guard before each tool call. */
  readonly guardHome?: string;
  /** Reads the instructions in a session's folder for the system prompt; "" when there are none. @default none */
  readonly loadInstructions?: (workingDirectory: string, config: SessionConfig) => Promise<string>;
  /** The method for `authenticate`. The client's option of the same name takes precedence. */
  readonly authMethod?: string;
  /** Environment variables with keys. Commands that Atomic runs for the agent do not get them. */
  readonly secretNames: readonly string[];
  /** Overrides the agent's environment for the MCP servers that it starts for a session. @default none */
  readonly mcpServerEnv?: Readonly<Record<string, string>>;
  /** Prepares one process of the agent. @default nothing */
  readonly prepare?: (decide: AcpCallDecider) => Promise<AcpPreparedProcess>;
}

/** Decides about a tool call of a session before it happens. */
export type AcpCallDecider = (call: OpenCodeCall) => Promise<ToolVerdict>;

/** What was prepared for one process. */
export interface AcpPreparedProcess {
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder in which it is started. */
  readonly workingDirectory: string;
  /**
   * Rejects unless the process calls back before each tool call in this opened folder. Absent for agents that cannot
   * report this before a turn.
   */
  readonly requireGate?: (directory: string) => Promise<void>;
  /** Prepares a session every time the process opens it. @default nothing */
  readonly openSession?: (session: AcpSessionPlan) => Promise<AcpPreparedSession>;
  /** What the process may read and write in a sandbox. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** The ports of this machine that it calls. */
  readonly ports: readonly number[];
  /** Removes everything after the process has ended. Idempotent. */
  release(): Promise<void>;
}

/** A session that is about to be opened. */
export interface AcpSessionPlan {
  readonly config: SessionConfig;
  /** Decides about the session's tool calls, once it is opened. */
  readonly guard: () => ClaudeGuard | undefined;
}

/** What was prepared for one session. */
export interface AcpPreparedSession {
  /** The `_meta` of the request that opens it. */
  readonly meta: JsonObject;
  /** Removes everything. Idempotent. */
  close(): Promise<void>;
}
