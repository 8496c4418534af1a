import { delimiter } from "node:path";
import { createOpenCodeClient, evaluatePermission } from "../clients/index.ts";
import type { CodingAgentClient } from "../contracts/index.ts";
import type { ClientProvider } from "../graph/index.ts";
import type { AgentScript } from "../testkit/index.ts";
import { AGENT_TYPES, UnknownAgentError } from "./agent-types.ts";
import type { Config } from "./config/config.ts";

/** What the agents of a call need to know. */
export interface AgentsOptions {
  readonly config: Config;
  readonly defaultAgent: string;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the scripted agent says and does. @default it answers everything shortly, and in the shape that is asked for */
  readonly scriptedAgent?: AgentScript | undefined;
}

/** The agents of one call: made when a node asks for them, stopped together. */
export interface Agents {
  readonly provider: ClientProvider;
  stop(): Promise<void>;
}

/** @throws UnknownAgentError */
export function assertKnownAgent(agentType: string): void {
  if (!AGENT_TYPES.includes(agentType)) throw new UnknownAgentError(agentType, AGENT_TYPES);
}

/** Opens the agents of a call; none is started before it is needed. */
export function createAgents(options: AgentsOptions): Agents {
  const clients = new Map<string, Promise<CodingAgentClient>>();
  return {
    provider(agentType = options.defaultAgent) {
      assertKnownAgent(agentType);
      const known = clients.get(agentType);
      if (known !== undefined) return known;
      const client = createClient(agentType, options);
      clients.set(agentType, client);
      return client;
    },
    async stop() {
      const opened = await Promise.allSettled(clients.values());
      for (const result of opened) if (result.status === "fulfilled") await result.value.stop();
    },
  };
}

async function createClient(agentType: string, options: AgentsOptions): Promise<CodingAgentClient> {
  const { workingDirectory, config } = options;
  const env = agentEnvironment(options.env);
  if (agentType === "scripted") {
    const { createScriptedAgent } = await import("../testkit/index.ts");
    return createScriptedAgent({
      workingDirectory,
      ...(options.scriptedAgent === undefined ? {} : { script: options.scriptedAgent }),
      evaluatePermission: (policy, request) => evaluatePermission(policy, request, { workingDirectory }).effect,
    });
  }
  return createOpenCodeClient({ workingDirectory, env, ...config.agents?.opencode });
}

/**
 * The environment of an agent's process: the user's own, since the agent is theirs and so are its keys, without empty
 * values and without relative folders in the PATH, which the repository could fill.
 */
function agentEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    kept[name] =
      name === "PATH"
        ? value
            .split(delimiter)
            .filter((folder) => folder.startsWith("/"))
            .join(delimiter)
        : value;
  }
  return kept;
}
