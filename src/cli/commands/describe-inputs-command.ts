import { formatTable, safeLine } from "../../view/index.ts";
import { kindOf } from "../config/parse-assignment.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { toJsonValue } from "../output/format-json.ts";
import { Workspace } from "../workspace.ts";

/** The widest first value, and the widest description, in columns. */
const VALUE_COLUMNS = 60;
const DESCRIPTION_COLUMNS = 200;

/** `atomic run WORKFLOW --help`: the inputs of the workflow, below the help of `run`. Does not ask for trust. */
export async function describeInputsCommand(environment: CliEnvironment, name: string): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const workflow = await workspace.findWorkflow(name, workspace.projectDirectory, undefined);
  const { inputDefaults } = await workflow.create();
  const leftError = environment.userCode.leftError();
  if (leftError !== undefined) throw leftError;
  const { metadata } = workflow;
  // Without a description of its own, a workflow's description only repeats its name.
  const isDescribed = metadata.description !== "" && metadata.description !== `Custom workflow: ${metadata.name}`;
  const description = isDescribed ? `: ${safeLine(metadata.description, DESCRIPTION_COLUMNS)}` : "";
  const parts = [
    `Workflow ${metadata.name}${description}`,
    describeInputs(inputDefaults),
    ...describeSettings(metadata.defaultConfig),
  ];
  environment.stdout.write(`\n${parts.join("\n\n")}\n`);
  return ExitCode.done;
}

function describeInputs(defaults: Readonly<Record<string, unknown>> | undefined): string {
  if (defaults === undefined) return "It takes any input, for --input NAME=VALUE: its state declares no fields.";
  const entries = Object.entries(defaults);
  if (entries.length === 0) return "It has no inputs.";
  return `Inputs, for --input NAME=VALUE:\n${describeFields(entries)}`;
}

function describeSettings(defaultConfig: Readonly<Record<string, unknown>> = {}): readonly string[] {
  const entries = Object.entries(defaultConfig);
  return entries.length === 0 ? [] : [`Settings, for --config NAME=VALUE:\n${describeFields(entries)}`];
}

function describeFields(entries: readonly (readonly [name: string, value: unknown])[]): string {
  const rows = entries.map(([name, value]) => [name, kindOf(value), safeLine(formatValue(value), VALUE_COLUMNS)]);
  return formatTable(["NAME", "KIND", "OTHERWISE"], rows);
}

/** Empty for values without JSON, such as functions. */
function formatValue(value: unknown): string {
  return JSON.stringify(value, toJsonValue) ?? "";
}
