import { type CodingAgentClient, type SandboxConfig, SandboxUnavailableError } from "../../../contracts/index.ts";
import type { ClientProvider } from "../../model/execution-context.ts";

/** The agent that a node works with. */
export interface ClientRequest {
  readonly agentType: string | undefined;
  /** The sandbox that it must be in. */
  readonly sandbox: SandboxConfig | undefined;
}

/**
 * Asks for an agent's client. A provider that knows nothing of sandboxes would give one without.
 * @throws SandboxUnavailableError, and what the provider throws
 */
export async function findClient(
  clients: ClientProvider,
  { agentType, sandbox }: ClientRequest,
): Promise<CodingAgentClient> {
  if (sandbox === undefined) return await clients(agentType);
  const client = await clients(agentType, { sandbox });
  if (client.isSandboxed === true) return client;
  throw new SandboxUnavailableError(
    client.agentType,
    ["a client that makes one"],
    "Have the run's clients heed the wish for a sandbox, their second argument.",
  );
}
