import type { EntityRegistry, UnifiedEntity } from "../../discovery/index.ts";
import { UnknownWorkflowError } from "../../workflows/run-kit.ts";
import { UnknownAgentError } from "../agents/agent-types.ts";
import type { CliEnvironment } from "../environment.ts";
import { WorkflowMissingError } from "../loading/workflow-errors.ts";
import { CommandLineError } from "../output/explain-for-command-line.ts";
import { Workspace } from "../workspace.ts";
import { callOf, findNamed } from "./find-entity.ts";
import { loadEntities } from "./load-entities.ts";

/** Of an error about an unknown workflow or agent, one that names the definition of this name, if there is one. */
export async function explainWrongKind(environment: CliEnvironment, error: unknown): Promise<unknown> {
  const isWorkflow = error instanceof UnknownWorkflowError || error instanceof WorkflowMissingError;
  if (!isWorkflow && !(error instanceof UnknownAgentError)) return error;
  const name = isWorkflow ? error.workflowName : error.agentType;
  const registry = await load(environment);
  const found = registry && findNamed(registry, name);
  if (found === undefined) return error;
  const subject = isWorkflow ? `There is no workflow "${name}".` : `No program is the agent "${name}".`;
  return new CommandLineError(`${subject} ${describeKind(found, isWorkflow)}: ${callOf(found)}`, error);
}

function describeKind({ type }: UnifiedEntity, isWorkflow: boolean): string {
  if (type !== "agent") return `It is a ${type}`;
  return isWorkflow ? "It is an agent" : "It is a definition, which any of them can use";
}

/** The error that is explained matters more than one of reading definitions. */
async function load(environment: CliEnvironment): Promise<EntityRegistry | undefined> {
  try {
    const workspace = new Workspace(environment, { onTrustProblem: () => undefined });
    return (await loadEntities(environment, workspace, { onDebug: () => undefined })).registry;
  } catch {
    return undefined;
  }
}
