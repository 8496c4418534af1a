import { safeText } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { loadShownWorkflow, type ShowWorkflowFlags } from "./load-shown-workflow.ts";

/** `atomic workflows graph NAME`: the workflow's graph as a Mermaid flowchart. */
export async function graphWorkflowCommand(
  environment: CliEnvironment,
  name: string,
  flags: ShowWorkflowFlags,
): Promise<ExitCode> {
  const { workflow, graph } = await loadShownWorkflow(environment, name, flags);
  const mermaid = graph.toMermaid();
  if (!flags.json) {
    environment.stdout.write(`${safeText(mermaid).trimEnd()}\n`);
    return ExitCode.done;
  }
  const shown = {
    workflow: workflow.metadata.name,
    mermaid,
    nodes: [...graph.nodes.values()].map(({ id, type, name: label }) => ({
      id,
      type,
      ...(label === undefined ? {} : { name: label }),
    })),
    edges: graph.edges,
    startNode: graph.startNode ?? null,
    endNodes: [...graph.endNodes],
  };
  environment.stdout.write(`${formatJson(shown)}\n`);
  return ExitCode.done;
}
