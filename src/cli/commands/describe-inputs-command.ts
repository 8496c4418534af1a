import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { describeCall, describeSettings, describeTaken, ownDescription } from "../output/describe-workflow.ts";
import { Workspace } from "../workspace.ts";

/** `atomic run WORKFLOW --help`: the inputs of the workflow, below the help of `run`. Does not ask for trust. */
export async function describeInputsCommand(environment: CliEnvironment, name: string): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const workflow = await workspace.findWorkflow(name, workspace.projectDirectory, undefined);
  const graph = await workflow.create();
  const leftError = environment.userCode.leftError();
  if (leftError !== undefined) throw leftError;
  const { metadata } = workflow;
  const description = ownDescription(metadata);
  const call = describeCall(metadata);
  const parts = [
    `Workflow ${metadata.name}${description === undefined ? "" : `: ${description}`}`,
    ...(call === undefined ? [] : [call]),
    describeTaken(workflow, graph),
    ...describeSettings(metadata),
  ];
  environment.stdout.write(`\n${parts.join("\n\n")}\n`);
  return ExitCode.done;
}
