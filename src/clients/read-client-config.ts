import {
  type AgentCapabilities,
  CostUnknownError,
  readSessionConfig,
  type SessionConfig,
  SessionConfigInvalidError,
  type ToolDefinition,
} from "../contracts/index.ts";
import { missingCapability } from "./capabilities.ts";
import type { ClientOptions } from "./client-options.ts";

/** What decides whether a client can do what a session is to be set to. */
export interface ConfiguredClient {
  readonly agentType: string;
  readonly capabilities: AgentCapabilities;
  readonly options: Pick<ClientOptions, "endpoint" | "model">;
}

/**
 * A session's settings as its client uses them. Pure.
 * @throws SessionConfigInvalidError, PermissionsInvalidError, CapabilityMissingError, CostUnknownError
 */
export function readClientConfig(
  given: SessionConfig,
  client: ConfiguredClient,
  /** The conversation that is opened again, or copied. @default a new one */
  openedId?: string,
): SessionConfig {
  const config = readSessionConfig(given);
  assertSessionId(config, client, openedId);
  const { agentType, capabilities } = client;
  const { maxTurns, maxBudgetUsd, permissionMode, tools = [] } = config;
  if (maxTurns !== undefined && !capabilities.maxTurns) throw missingCapability(agentType, "maxTurns");
  if (permissionMode === "plan" && !capabilities.planMode) throw missingCapability(agentType, "planMode");
  if (tools.length > 0 && !capabilities.customTools) throw missingCapability(agentType, "customTools");
  if (maxBudgetUsd === undefined) return config;
  if (!capabilities.cost) throw missingCapability(agentType, "cost");
  const unpriced = unpricedModel(config, client);
  if (unpriced !== undefined) throw new CostUnknownError(agentType, unpriced);
  return config;
}

/** Refuses an identifier that a conversation has already. @throws SessionConfigInvalidError */
export function assertNewSession(sessionId: string, isKnown: boolean): void {
  if (!isKnown) return;
  throw new SessionConfigInvalidError([
    `sessionId: There is already a conversation "${sessionId}". Open it with resumeSession(), or choose another identifier.`,
  ]);
}

function assertSessionId({ sessionId }: SessionConfig, client: ConfiguredClient, openedId: string | undefined): void {
  if (sessionId === undefined || sessionId === openedId) return;
  if (!client.capabilities.sessionIds) throw missingCapability(client.agentType, "sessionIds");
  if (openedId === undefined) return;
  throw new SessionConfigInvalidError([
    `sessionId: It names a new conversation, and "${openedId}" has its own. Leave it out.`,
  ]);
}

/** The tools of a session: its client's, and its own, which win over those of the same name. */
export function joinTools(
  registered: ReadonlyMap<string, ToolDefinition>,
  own: readonly ToolDefinition[] = [],
): readonly ToolDefinition[] {
  return [...new Map([...registered, ...own.map((tool) => [tool.name, tool] as const)]).values()];
}

/** The endpoint's model that the session uses, where the user gave it no price. */
function unpricedModel(
  { model }: SessionConfig,
  { options: { endpoint, model: defaultModel } }: ConfiguredClient,
): string | undefined {
  if (endpoint === undefined) return undefined;
  const wanted = model ?? defaultModel ?? endpoint.models[0]?.id;
  const found = endpoint.models.find(({ id }) => id === wanted);
  const { costPerMillionInputUsd: input = 0, costPerMillionOutputUsd: output = 0 } = found ?? {};
  return found !== undefined && input + output === 0 ? found.id : undefined;
}
