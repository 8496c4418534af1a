import {
  AGENT_CAPABILITIES,
  type AgentCapabilities,
  type AgentCapability,
  CapabilityMissingError,
} from "../../contracts/index.ts";

const EVERYTHING = Object.fromEntries(Object.keys(AGENT_CAPABILITIES).map((name) => [name, true])) as AgentCapabilities; // the cast is true: every name is a key

/** What each vendor's agent can do. `acp` lists what Atomic can pass on; a particular agent may support less. */
export const CAPABILITIES: Readonly<Record<"claude" | "opencode" | "copilot" | "acp", AgentCapabilities>> = {
  claude: EVERYTHING,
  opencode: { ...EVERYTHING, sessionIds: false, forkBefore: false, inProcessTools: false, systemToolsTokens: false },
  // Copilot has no answers by schema, and bills in its own units.
  copilot: { ...EVERYTHING, forkBefore: false, structuredOutput: false, cost: false },
  acp: {
    ...EVERYTHING,
    forkBefore: false,
    structuredOutput: false,
    allowedTools: false,
    inProcessTools: false,
    mcpStatus: false,
    systemToolsTokens: false,
    sessionIds: false,
    interceptTools: false,
  },
};

/** The error of a call that an agent does not support; names the agents that do. */
export function missingCapability(agentType: string, capability: AgentCapability): CapabilityMissingError {
  const others = Object.entries(CAPABILITIES).filter(([name, has]) => name !== agentType && has[capability]);
  return new CapabilityMissingError(
    agentType,
    capability,
    others.map(([name]) => name),
    { description: AGENT_CAPABILITIES[capability] },
  );
}
