import type { CliEnvironment } from "../environment.ts";
import type { Workspace } from "../workspace.ts";

/** Trusts the project of a call with `--trust`. */
export async function trustIfAsked(
  environment: CliEnvironment,
  workspace: Workspace,
  { trust = false }: { readonly trust?: boolean },
): Promise<void> {
  if (!trust) return;
  const { projectDirectory, workingDirectory } = workspace;
  // It loads `clients`, which other calls of these commands do not need.
  const { ProjectTrust } = await import("./project-trust.ts");
  await new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson: true }).trustByOption();
}
