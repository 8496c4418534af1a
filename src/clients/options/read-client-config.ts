import {
  type AgentCapabilities,
  CostUnknownError,
  readSessionConfig,
  type SessionConfig,
  SessionConfigInvalidError,
  type ToolDefinition,
} from "../../contracts/index.ts";
import { missingCapability } from "./capabilities.ts";
import type { ClientOptions, EndpointModel } from "./client-options.ts";

/** What determines whether a client supports a session's settings. */
export interface ConfiguredClient {
  readonly agentType: string;
  readonly capabilities: AgentCapabilities;
  readonly options: Pick<ClientOptions, "endpoint" | "model">;
}

/** Where a session's conversation comes from. */
export type SessionOrigin =
  | { readonly type: "new" }
  | { readonly type: "resumed"; readonly id: string }
  | { readonly type: "forked" };

/**
 * A session's settings in the form that its client uses. Pure.
 * @throws SessionConfigInvalidError, PermissionsInvalidError, CapabilityMissingError, CostUnknownError
 */
export function readClientConfig(
  given: SessionConfig,
  client: ConfiguredClient,
  origin: SessionOrigin = { type: "new" },
): SessionConfig {
  const config = readSessionConfig(given);
  assertSessionId(config, client, origin);
  const { agentType, capabilities } = client;
  assertForkBefore(config, client, origin);
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

/** Rejects an identifier that another conversation has. @throws SessionConfigInvalidError */
export function assertNewSession(sessionId: string, isKnown: boolean): void {
  if (!isKnown) return;
  throw new SessionConfigInvalidError([
    `sessionId: There is already a conversation "${sessionId}". Open it with resumeSession(), or choose another identifier.`,
  ]);
}

function assertSessionId({ sessionId }: SessionConfig, client: ConfiguredClient, origin: SessionOrigin): void {
  if (sessionId === undefined || (origin.type === "resumed" && sessionId === origin.id)) return;
  if (!client.capabilities.sessionIds) throw missingCapability(client.agentType, "sessionIds");
  if (origin.type === "new") return;
  const conversation = origin.type === "resumed" ? `"${origin.id}"` : "a copy";
  throw new SessionConfigInvalidError([
    `sessionId: It names a new conversation, and ${conversation} has its own. Leave it out.`,
  ]);
}

function assertForkBefore({ forkBefore }: SessionConfig, client: ConfiguredClient, origin: SessionOrigin): void {
  if (forkBefore === undefined) return;
  if (!client.capabilities.forkBefore) throw missingCapability(client.agentType, "forkBefore");
  if (origin.type === "forked") return;
  throw new SessionConfigInvalidError(["forkBefore: It is for a copy. Open one with forkSession(), or leave it out."]);
}

/** The tools of a session: its client's and its own, which override those of the same name. */
export function joinTools(
  registered: ReadonlyMap<string, ToolDefinition>,
  own: readonly ToolDefinition[] = [],
): readonly ToolDefinition[] {
  return [...new Map([...registered, ...own.map((tool) => [tool.name, tool] as const)]).values()];
}

/** Whether the session uses an endpoint's model whose price is set to 0. Pure. */
export function isFreeModel(config: SessionConfig, options: ConfiguredClient["options"]): boolean {
  const { costPerMillionInputUsd: input, costPerMillionOutputUsd: output } = endpointModel(config, options) ?? {};
  return (input ?? output) !== undefined && (input ?? 0) + (output ?? 0) === 0;
}

/** The endpoint's model that the session uses, if the user set no price for it. */
function unpricedModel(config: SessionConfig, { options }: ConfiguredClient): string | undefined {
  const { id, costPerMillionInputUsd: input, costPerMillionOutputUsd: output } = endpointModel(config, options) ?? {};
  return (input ?? output) === undefined ? id : undefined;
}

/** The endpoint's model that the session uses. */
function endpointModel(
  { model }: SessionConfig,
  { endpoint, model: defaultModel }: ConfiguredClient["options"],
): EndpointModel | undefined {
  const wanted = model ?? defaultModel ?? endpoint?.models[0]?.id;
  return endpoint?.models.find(({ id }) => id === wanted);
}
