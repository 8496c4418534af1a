import type { CompiledGraph } from "../../graph/index.ts";
import type { WorkflowSession } from "../../workflows/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { assertFolders, workflowOf } from "../run-folders.ts";
import type { FoundWorkflow, Workspace } from "../workspace.ts";

/** The workflow of a run, and its graph with the run's configuration. */
export interface WorkflowOfRun {
  readonly workflow: FoundWorkflow;
  readonly graph: CompiledGraph;
}

/**
 * Loads the workflow of a run to read the run, without asking for trust.
 *
 * @throws what `Workspace.findWorkflow` throws, ProjectMissingError, WorkflowFileMissingError
 */
export async function loadWorkflowOfRun(
  { userCode }: Pick<CliEnvironment, "userCode">,
  workspace: Workspace,
  session: WorkflowSession,
): Promise<WorkflowOfRun> {
  assertFolders(session);
  const { workflowName, projectDirectory, settings } = session;
  const workflow = settings?.isBuiltIn
    ? (await workspace.findBuiltIn(workflowName, projectDirectory)).workflow
    : await workspace.findWorkflow(workflowOf(session), projectDirectory, undefined);
  const graph = await workflow.create(settings?.workflowConfig);
  const leftError = userCode.leftError();
  if (leftError !== undefined) throw leftError;
  return { workflow, graph };
}
