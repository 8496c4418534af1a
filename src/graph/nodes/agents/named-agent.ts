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

/** The defaults in an agent's definition. */
export function defaultsOf({ prompt, model, tools, agentType }: AgentDefinition): AgentDefaults {
  return { systemPrompt: prompt === "" ? undefined : prompt, model: givenModel(model), tools, agentType };
}

/** The model in a definition, if it has one. */
export function givenModel(model: string | undefined): string | undefined {
  return model === "inherit" ? undefined : model;
}
