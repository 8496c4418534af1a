import type { CompiledGraph } from "../../graph/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import type { CliEnvironment } from "../environment.ts";
import type { ConfirmTrust } from "../loading/outside-file.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";

/** Options of the commands that show a workflow. */
export interface ShowWorkflowFlags extends ShowFlags {
  readonly trust?: boolean;
}

/** `--trust` also trusts the folder of a workflow file that is named by its path. Asks nobody. */
export function confirmByFlag({ trust }: ShowWorkflowFlags): ConfirmTrust | undefined {
  return trust ? async () => true : undefined;
}

/** Loads a workflow by name or file and builds its graph. Asks nobody for trust. */
export async function loadShownWorkflow(
  environment: CliEnvironment,
  name: string,
  flags: ShowWorkflowFlags,
): Promise<{ readonly workflow: RegisteredWorkflow; readonly graph: CompiledGraph }> {
  const workspace = new Workspace(environment);
  await trustIfAsked(environment, workspace, flags);
  const workflow = await workspace.findWorkflow(name, workspace.projectDirectory, confirmByFlag(flags));
  const graph = await workflow.create();
  const leftError = environment.userCode.leftError();
  if (leftError !== undefined) throw leftError;
  return { workflow, graph };
}
