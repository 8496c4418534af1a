import type { AgentQuestionHandler } from "./agent-question.ts";
import type { McpServerConfig } from "./mcp-server.ts";
import type { PermissionHandler, PermissionMemory, PermissionPolicy } from "./permission.ts";
import type { ToolInterceptor } from "./tool-interceptor.ts";
import type { ToolName } from "./tool-name.ts";

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

/** Settings of one session. Whatever is absent is the agent's own default. */
export interface SessionConfig {
  /** The model, in the agent's own spelling. */
  readonly model?: string;
  readonly reasoningEffort?: ReasoningEffort;
  readonly systemPrompt?: SystemPrompt;
  /** The directory the agent works in. @default the client's own working directory */
  readonly workingDirectory?: string;
  /** A title for the vendor's own list of sessions. */
  readonly title?: string;
  /**
   * The only tools of its own that the agent may use, by Atomic's names or the vendor's. MCP servers and custom tools
   * stay.
   * @default all
   */
  readonly allowedTools?: readonly (ToolName | (string & {}))[];
  /** MCP servers for this session, by name, besides those the user has set up with the agent. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>;
  /** Decides about the tool calls the agent wants to make. @default everything is asked for */
  readonly permissions?: PermissionPolicy;
  /** Asks a person where the policy says `ask`. Without it such calls are denied, and listed in the reply. */
  readonly onPermissionAsk?: PermissionHandler;
  /** Where a person's "always" is kept. @default it holds for the session */
  readonly permissionMemory?: PermissionMemory;
  /** Puts the agent's questions to a person. Without it they are declined. */
  readonly onQuestion?: AgentQuestionHandler;
  /** Looks at each tool call before it happens. @throws CapabilityMissingError where the agent does not let it */
  readonly beforeTool?: ToolInterceptor;
}
