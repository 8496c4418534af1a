import { type CodingAgentClient, type SandboxConfig, SandboxUnavailableError } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import type { AgentVisit, ClientProvider } from "../../model/execution-context.ts";

/** The agent that a node needs. */
export interface ClientRequest {
  readonly agentType: string | undefined;
  /** The sandbox that it requires. */
  readonly sandbox: SandboxConfig | undefined;
  /** What it is needed for. */
  readonly visit?: AgentVisit | undefined;
}

/**
 * Gets an agent's client. Checks its sandbox: a provider that does not support sandboxes returns a client without one.
 * @throws SandboxUnavailableError, and what the provider throws
 */
export async function findClient(
  clients: ClientProvider,
  { agentType, sandbox, visit }: ClientRequest,
): Promise<CodingAgentClient> {
  const client = await clients(agentType, given({ sandbox, visit }));
  if (sandbox === undefined || client.isSandboxed === true) return client;
  throw new SandboxUnavailableError(
    client.agentType,
    ["a client that makes one"],
    "Have the run's clients heed the wish for a sandbox, their second argument.",
  );
}
