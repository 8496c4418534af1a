import { ENTITY_TYPES } from "../../discovery/index.ts";
import type { AgentCheck } from "../agents/check-agents.ts";
import type { CliEnvironment } from "../environment.ts";
import { checksOf } from "../loading/workflow-errors.ts";
import type { Workspace } from "../workspace.ts";
import { loadEntities } from "./load-entities.ts";

/** How many definitions there are, and each problem with one of their files. Folders that do not exist are no problem. */
export async function checkDefinitions(
  environment: CliEnvironment,
  workspace: Workspace,
): Promise<readonly AgentCheck[]> {
  const { registry, problems } = await loadEntities(environment, workspace);
  const counts = registry.counts();
  const found = ENTITY_TYPES.map((type) => count(counts[type], type)).join(", ");
  const severities = (["error", "warning"] as const)
    .map((severity) => [problems.filter((problem) => problem.severity === severity).length, severity] as const)
    .filter(([length]) => length > 0);
  const broken = severities.map(([length, severity]) => count(length, severity)).join(", ");
  return [
    { name: "definitions", status: "ok", detail: broken === "" ? found : `${found}; ${broken}` },
    ...checksOf("definition", problems),
  ];
}

function count(length: number, noun: string): string {
  return `${length} ${length === 1 || noun.endsWith("s") ? noun : `${noun}s`}`;
}
