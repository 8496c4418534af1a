/**
 * What an agent can do, each with what it means to a person. The table of docs/agents.md is made of it.
 *
 * A capability that an agent lacks makes the matching call throw `CapabilityMissingError`; nothing is left out silently.
 */
export const AGENT_CAPABILITIES = {
  resume: "open a conversation again, in another process too",
  sessionIds: "give a new conversation an identifier of the program's own",
  fork: "go on from a conversation in a copy of it",
  listSessions: "list the conversations the vendor keeps",
  deleteSession: "delete a conversation",
  summarize: "compact a conversation on request",
  contextUsage: "tell how full the context window is",
  systemToolsTokens: "tell how much of it the system prompt and the tools take",
  permissions: "ask before a tool runs",
  planMode: "a session that only reads: no edits, no commands",
  maxTurns: "stop a turn after a number of model calls",
  questions: "put a question of the agent's to a person",
  structuredOutput: "answers held to a JSON Schema by the vendor; elsewhere Atomic validates and asks again",
  thinking: "show the model's thinking",
  images: "take images as input",
  steer: "take a message while a turn runs",
  modelList: "list the models it offers",
  reasoningEffort: "set how hard the model thinks",
  replaceSystemPrompt: "replace the agent's own system prompt",
  appendSystemPrompt: "add to the agent's own system prompt",
  allowedTools: "restrict the agent to some of its tools",
  customTools: "call tools that Atomic offers",
  inProcessTools: "custom tools without an MCP server",
  mcpServers: "use MCP servers given for a session",
  mcpStatus: "tell the state of MCP servers",
  subagents: "tell when its sub-agents begin and end",
  interceptTools: "let a hook block or change a tool call",
  cost: "tell the price of a turn",
  customEndpoint: "use a model endpoint of the user's own",
  userSettings: "leave out the user's own settings",
} as const;

/** The name of a capability. */
export type AgentCapability = keyof typeof AGENT_CAPABILITIES;

/** What an agent can do. */
export type AgentCapabilities = Readonly<Record<AgentCapability, boolean>>;
