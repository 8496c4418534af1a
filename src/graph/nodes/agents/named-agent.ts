import type { ExecutionContext } from "../../model/execution-context.ts";
import type { AgentDefinition } from "../../model/named-definitions.ts";
import { resolveNamed } from "../../model/resolve-named.ts";

/** The defaults that a named definition provides to its node. */
export interface AgentDefaults {
  readonly agentType?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** Looks up the definition of an agent. @throws MissingServiceError, UnknownNameError */
export async function findAgent(
  name: string,
  { services, nodeId }: Pick<ExecutionContext, "services" | "nodeId">,
): Promise<AgentDefinition> {
  return await resolveNamed(services.agents, { kind: "agent", name, nodeId });
}

/** The defaults in an agent's definition. @param wanted the agent that the node names */
export function defaultsOf(definition: AgentDefinition, wanted: string | undefined): AgentDefaults {
  const { prompt, tools, agentType } = definition;
  const model = modelOf(definition, wanted ?? agentType);
  return { systemPrompt: prompt === "" ? undefined : prompt, model, tools, agentType };
}

/** The model in a definition for an agent, if it has one. */
export function modelOf(
  { model, models }: Pick<AgentDefinition, "model" | "models">,
  agentType: string | undefined,
): string | undefined {
  const named = agentType !== undefined && models !== undefined ? models[agentType] : model;
  return named === "inherit" ? undefined : named;
}
