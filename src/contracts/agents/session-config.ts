import type { PermissionHandler, PermissionMemory, PermissionPolicy } from "../permissions/permission.ts";
import type { McpServerConfig } from "../tools/mcp-server.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import type { ToolInterceptor } from "../tools/tool-interceptor.ts";
import type { ToolName } from "../tools/tool-name.ts";
import type { AgentQuestionHandler } from "./agent-question.ts";

/** How hard a model thinks before it answers. An agent without a level uses the nearest one it has. */
export type ReasoningEffort = "none" | "low" | "medium" | "high" | "max";

/** An addition to an agent's system prompt, or its replacement. A string is appended. */
export type SystemPrompt =
  | string
  | {
      /** `append` keeps the agent's own system prompt, `replace` removes it. */
      readonly mode: "append" | "replace";
      readonly text: string;
    };

/** `plan` only reads: Atomic denies every edit and every command, whatever the policy allows. */
export type PermissionMode = "default" | "plan";

/** Settings of one session. Absent settings use the agent's defaults. */
export interface SessionConfig {
  /** The model, in the agent's own spelling. */
  readonly model?: string;
  readonly reasoningEffort?: ReasoningEffort;
  readonly systemPrompt?: SystemPrompt;
  /** The directory the agent works in. @default the client's own working directory */
  readonly workingDirectory?: string;
  /**
   * The identifier of the new conversation, for `createSession` only: letters, digits, `-` and `_`. Claude Code requires a UUID.
   * @default the vendor's choice
   * @throws CapabilityMissingError where the vendor chooses the identifiers
   */
  readonly sessionId?: string;
  /**
   * For `forkSession` only: the copy leaves out what was said from this time on, in milliseconds since 1970.
   * @default nothing is left out
   * @throws CapabilityMissingError where the vendor copies whole conversations only
   */
  readonly forkBefore?: number;
  /** A title for the vendor's own list of sessions. */
  readonly title?: string;
  /**
   * The built-in tools that the agent may use, by Atomic's names or the vendor's. MCP servers and custom tools are not
   * affected.
   * @default all
   */
  readonly allowedTools?: readonly (ToolName | (string & {}))[];
  /**
   * Tools that Atomic offers in this session only, in addition to those of `registerTool`; they win over tools of the same
   * name. @throws CapabilityMissingError where the agent supports no custom tools
   */
  readonly tools?: readonly ToolDefinition[];
  /** MCP servers for this session, by name, in addition to those in the user's own settings of the agent. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** The policy for the agent's tool calls. @default every call requires approval */
  readonly permissions?: PermissionPolicy;
  /**
   * `plan` denies edits and commands, in addition to the policy. The policy decides about MCP servers and custom tools.
   * @default "default"
   * @throws CapabilityMissingError where Atomic cannot decide about each of the agent's tool calls
   */
  readonly permissionMode?: PermissionMode;
  /** Asks a person where the policy says `ask`. Without it such calls are denied and listed in the reply. */
  readonly onPermissionAsk?: PermissionHandler;
  /** Stores what a person always allows. @default it applies to the session only */
  readonly permissionMemory?: PermissionMemory;
  /** Puts the agent's questions to a person. Without it they are declined. */
  readonly onQuestion?: AgentQuestionHandler;
  /** Intercepts each tool call before it runs. @throws CapabilityMissingError where the agent does not support it */
  readonly beforeTool?: ToolInterceptor;
  /**
   * Maximum number of model calls in one turn, those of sub-agents excluded. A turn that needs more fails with
   * `MaxTurnsReachedError`; the session stays usable.
   * @default no limit
   */
  readonly maxTurns?: number;
  /**
   * The session's budget in United States dollars, counted from its opening here. Once it is spent, the turn fails with
   * `BudgetSpentError` before the next model call, or one call later where the agent reports its price late. No other
   * turn starts.
   * @default no limit
   * @throws CapabilityMissingError where the agent reports no price
   */
  readonly maxBudgetUsd?: number;
  /** Spending before the session that counts against `maxBudgetUsd`, in United States dollars. @default 0 */
  readonly spentUsd?: number;
}
