import { type CodingAgentClient, type SandboxConfig, SandboxUnavailableError } from "../../../contracts/index.ts";
import { InvalidServiceError } from "../../errors/errors.ts";
import { given } from "../../errors/given.ts";
import type { AgentVisit, ClientProvider } from "../../model/execution-context.ts";
import { having } from "../../options/option-checks.ts";
import { showValue } from "../../options/show-value.ts";

const aClient = having(["createSession", "resumeSession"], "the client of a coding agent, or throw");

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
 * @throws InvalidServiceError, SandboxUnavailableError, and what the provider throws
 */
export async function findClient(
  clients: ClientProvider,
  { agentType, sandbox, visit }: ClientRequest,
): Promise<CodingAgentClient> {
  const client = await clients(agentType, given({ sandbox, visit }));
  if (!aClient.accepts(client)) {
    const which = agentType === undefined ? "the default agent" : `the agent "${agentType}"`;
    throw new InvalidServiceError(
      "clients",
      `returned ${showValue(client)} for ${which}; it must return ${aClient.expected}`,
    );
  }
  if (sandbox === undefined || client.isSandboxed === true) return client;
  throw new SandboxUnavailableError(
    client.agentType,
    ["a client that makes one"],
    "Have the run's clients heed the wish for a sandbox, their second argument.",
  );
}
