import type { PermissionHandler, PermissionMemory, PermissionPolicy } from "../permissions/permission.ts";
import type { McpServerConfig } from "../tools/mcp-server.ts";
import type { ToolDefinition } from "../tools/tool-definition.ts";
import type { ToolInterceptor } from "../tools/tool-interceptor.ts";
import type { ToolName } from "../tools/tool-name.ts";
import type { AgentQuestionHandler } from "./agent-question.ts";

/** How hard a model thinks before it answers. An agent without one of the steps takes the nearest it has. */
export type ReasoningEffort = "none" | "low" | "medium" | "high" | "max";

/** What stands in an agent's system prompt. A string is appended. */
export type SystemPrompt =
  | string
  | {
      /** `append` leaves the agent its own system prompt, `replace` does not. */
      readonly mode: "append" | "replace";
      readonly text: string;
    };

/** `plan` only reads: Atomic denies every edit and every command, whatever the policy allows. */
export type PermissionMode = "default" | "plan";

/** Settings of one session. Whatever is absent is the agent's own default. */
export interface SessionConfig {
  /** The model, in the agent's own spelling. */
  readonly model?: string;
  readonly reasoningEffort?: ReasoningEffort;
  readonly systemPrompt?: SystemPrompt;
  /** The directory the agent works in. @default the client's own working directory */
  readonly workingDirectory?: string;
  /**
   * The identifier of the new conversation, for `createSession` only: letters, digits, `-` and `_`. Claude Code takes UUIDs.
   * @default the vendor's choice
   * @throws CapabilityMissingError where the vendor names conversations itself
   */
  readonly sessionId?: string;
  /** A title for the vendor's own list of sessions. */
  readonly title?: string;
  /**
   * The only tools of its own that the agent may use, by Atomic's names or the vendor's. MCP servers and custom tools
   * stay.
   * @default all
   */
  readonly allowedTools?: readonly (ToolName | (string & {}))[];
  /**
   * Tools that Atomic offers in this session only, besides those of `registerTool`; one of the same name wins over it.
   * @throws CapabilityMissingError where the agent takes none
   */
  readonly tools?: readonly ToolDefinition[];
  /** MCP servers for this session, by name, besides those the user has set up with the agent. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** Decides about the tool calls the agent wants to make. @default everything is asked for */
  readonly permissions?: PermissionPolicy;
  /**
   * `plan` denies edits and commands, in addition to the policy. What MCP servers and custom tools do is up to the policy.
   * @default "default"
   * @throws CapabilityMissingError where Atomic does not decide about each of the agent's tool calls
   */
  readonly permissionMode?: PermissionMode;
  /** Asks a person where the policy says `ask`. Without it such calls are denied, and listed in the reply. */
  readonly onPermissionAsk?: PermissionHandler;
  /** Where a person's "always" is kept. @default it holds for the session */
  readonly permissionMemory?: PermissionMemory;
  /** Puts the agent's questions to a person. Without it they are declined. */
  readonly onQuestion?: AgentQuestionHandler;
  /** Looks at each tool call before it happens. @throws CapabilityMissingError where the agent does not let it */
  readonly beforeTool?: ToolInterceptor;
  /**
   * How often the model may be called in one turn, sub-agents apart. The turn then fails with `MaxTurnsReachedError`; the
   * session stays usable.
   * @default no bound
   */
  readonly maxTurns?: number;
  /**
   * What the session may cost, in United States dollars, counted from its opening here. A turn that has spent it fails
   * with `BudgetSpentError` before the next model call, or a call later where the agent tells its price late, and no
   * other turn begins.
   * @default no bound
   * @throws CapabilityMissingError where the agent tells no price
   */
  readonly maxBudgetUsd?: number;
  /** What counts against `maxBudgetUsd` from the start, in United States dollars. @default 0 */
  readonly spentUsd?: number;
}
