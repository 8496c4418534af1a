import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import { isWorkflowName } from "../../discovery/index.ts";
import { safeLine } from "../../view/index.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { createWorkflowFolder, findFileNamed } from "../loading/workflow-folder.ts";
import { formatJson } from "../output/format-json.ts";
import { Workspace } from "../workspace.ts";
import type { ShowFlags } from "./runs-commands.ts";
import { starterWorkflow } from "./starter-workflow.ts";

/** A workflow with this name exists already. */
export class WorkflowExistsError extends AtomicError {
  constructor(
    readonly workflowName: string,
    readonly path: string,
  ) {
    super(
      "WORKFLOW_EXISTS",
      `There is already a workflow "${workflowName}": ${path}. Choose another name, or change that file.`,
    );
  }
}

/** `atomic workflows new NAME`: writes a commented workflow into the project. Never overwrites a file. */
export async function newWorkflowCommand(
  environment: CliEnvironment,
  name: string,
  flags: ShowFlags,
): Promise<ExitCode> {
  if (!isWorkflowName(name)) {
    throw new UsageError(
      `"${name}" cannot name a workflow. Use letters, digits, "-" and "_", at most 64, such as "review-changes".`,
    );
  }
  const workspace = new Workspace(environment);
  const { projectDirectory } = workspace;
  const folder = await createWorkflowFolder(workspace);
  const taken = findFileNamed(projectDirectory, name);
  if (taken !== undefined) throw new WorkflowExistsError(name, taken);
  const { registry } = await workspace.loadProject(projectDirectory);
  const known = registry.workflows.find(({ metadata }) =>
    [metadata.name, ...metadata.aliases].some((own) => own.toLowerCase() === name.toLowerCase()),
  );
  if (known?.path !== undefined && known.metadata.source === "local") throw new WorkflowExistsError(name, known.path);
  const path = join(folder, `${name}.ts`);
  await write(name, path);
  // What Atomic itself has written is no change to report. Other changes were reported above, except to a program.
  if (!flags.json) await workspace.trust.takeChangedFiles(projectDirectory);
  if (flags.json) {
    environment.stdout.write(`${formatJson({ workflow: name, path })}\n`);
    return ExitCode.done;
  }
  const isTrusted = await workspace.trust.isTrusted(projectDirectory);
  const trust = isTrusted ? "" : " --trust";
  const shown = safeLine(relative(workspace.workingDirectory, path), Number.POSITIVE_INFINITY);
  const hidden =
    known === undefined ? [] : [`It takes the place of the workflow "${known.metadata.name}" in this project.`];
  const lines = [
    `Created ${shown}`,
    ...hidden,
    "",
    `Check it:  atomic workflows verify ${name}${trust}`,
    `Run it:    atomic run ${name} "the tests" --agent scripted${trust}`,
  ];
  environment.stdout.write(`${lines.join("\n")}\n`);
  return ExitCode.done;
}

/** @throws WorkflowExistsError when another program has just created the file, or a broken link has its name */
async function write(name: string, path: string): Promise<void> {
  try {
    await writeFile(path, starterWorkflow(name), { flag: "wx" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw new WorkflowExistsError(name, path);
    throw error;
  }
}
