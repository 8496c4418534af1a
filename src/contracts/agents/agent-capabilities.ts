/**
 * The capabilities of agents, each with a description for people. The table in docs/agents.md is generated from it.
 *
 * A capability that an agent lacks makes the matching call throw `CapabilityMissingError`; nothing is skipped silently.
 */
export const AGENT_CAPABILITIES = {
  resume: "resume a conversation, also from another process",
  sessionIds: "start a conversation under an id that the caller chooses",
  fork: "fork a conversation and continue in the copy",
  forkBefore: "fork a conversation as it was before a message",
  listSessions: "list the conversations that the vendor stores",
  deleteSession: "delete a conversation",
  summarize: "compact a conversation on request",
  contextUsage: "report how full the context window is",
  systemToolsTokens: "report how much of it the system prompt and the tools take",
  permissions: "ask before a tool runs",
  planMode: "open a read-only session: no edits, no commands",
  maxTurns: "stop a turn after a number of model calls",
  questions: "ask a person a question",
  structuredOutput: "enforce a JSON Schema on answers; for other agents Atomic validates and asks again",
  thinking: "show the model's thinking",
  images: "accept images as input",
  steer: "accept a message during a turn",
  modelList: "list the available models",
  reasoningEffort: "set the model's reasoning effort",
  replaceSystemPrompt: "replace the agent's own system prompt",
  appendSystemPrompt: "append to the agent's own system prompt",
  allowedTools: "restrict the agent to some of its tools",
  customTools: "call custom tools that Atomic provides",
  inProcessTools: "call custom tools without an MCP server",
  mcpServers: "use MCP servers configured for a session",
  mcpStatus: "report the status of MCP servers",
  subagents: "report when its sub-agents start and end",
  interceptTools: "let a hook block or change a tool call",
  cost: "report the cost of a turn",
  customEndpoint: "use a custom model endpoint",
  userSettings: "ignore the user's own settings",
} as const;

/** The name of a capability. */
export type AgentCapability = keyof typeof AGENT_CAPABILITIES;

/** What an agent can do. */
export type AgentCapabilities = Readonly<Record<AgentCapability, boolean>>;
