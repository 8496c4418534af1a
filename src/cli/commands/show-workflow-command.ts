import { readClaudeScript } from "../../discovery/index.ts";
import { safeLine, safeText } from "../../view/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { describeKind, inputKindOf } from "../config/input-kind.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { ClaudeScriptError } from "../loading/workflow-errors.ts";
import { describeCall, describeInputs, describeSettings, ownDescription } from "../output/describe-workflow.ts";
import { formatJson } from "../output/format-json.ts";
import { printProblems } from "../output/problem-printer.ts";
import { loadShownWorkflow, type ShowWorkflowFlags } from "./load-shown-workflow.ts";

/** `atomic workflows show NAME`: what a workflow is, takes and does. */
export async function showWorkflowCommand(
  environment: CliEnvironment,
  name: string,
  flags: ShowWorkflowFlags,
): Promise<ExitCode> {
  const loaded = await loadShownWorkflow(environment, name, flags).catch((error: unknown) => {
    if (error instanceof ClaudeScriptError) return error;
    throw error;
  });
  if (loaded instanceof ClaudeScriptError) return await showClaudeScript(environment, loaded, flags);
  const { workflow, graph } = loaded;
  const { metadata, path } = workflow;
  const outline = graph.toText();
  if (flags.json) {
    const { inputs, ...others } = metadata;
    const shown = {
      ...others,
      ...(path === undefined ? {} : { path }),
      ...(inputs === undefined
        ? {}
        : { inputs: inputs.map((input) => ({ ...input, kind: describeKind(inputKindOf(input.schema)) })) }),
      ...(graph.inputDefaults === undefined ? {} : { state: graph.inputDefaults }),
      outline: outline.trimEnd().split("\n"),
    };
    environment.stdout.write(`${formatJson(shown)}\n`);
    return ExitCode.done;
  }
  const description = ownDescription(metadata);
  const parts = [
    `Workflow ${metadata.name}${description === undefined ? "" : `: ${description}`}`,
    describeOrigin(workflow),
    describeInputs(metadata, graph.inputDefaults),
    ...describeSettings(metadata),
    `Steps:\n${safeText(outline).trimEnd().replaceAll(/^/gm, "  ")}`,
  ];
  environment.stdout.write(`${parts.join("\n\n")}\n`);
  return ExitCode.done;
}

/** What a script for Claude Code says of itself. */
async function showClaudeScript(
  environment: CliEnvironment,
  { workflowName: name, path }: ClaudeScriptError,
  flags: ShowWorkflowFlags,
): Promise<ExitCode> {
  const { meta, problems } = await readClaudeScript(path);
  const { description = "", phases = [] } = meta ?? {};
  if (flags.json) {
    environment.stdout.write(`${formatJson({ name, description, phases, path, problems })}\n`);
    return ExitCode.done;
  }
  const parts = [
    `Script for Claude Code ${safeLine(name, 100)}: ${safeText(description)}`,
    `File: ${safeLine(path, Number.POSITIVE_INFINITY)}\nAtomic lists and checks such scripts, and cannot run them yet.`,
    ...(phases.length === 0 ? [] : [["Phases:", ...phases.map((title) => `  ${safeLine(title, 200)}`)].join("\n")]),
  ];
  environment.stdout.write(`${parts.join("\n\n")}\n`);
  printProblems(environment, problems, "atomic workflows verify --json");
  return ExitCode.done;
}

function describeOrigin({ metadata, path }: RegisteredWorkflow): string {
  const { aliases, source, version, minSDKVersion, stateVersion, isReadOnly = false } = metadata;
  const call = describeCall(metadata);
  return [
    path === undefined ? "Built in" : `File: ${safeLine(path, Number.POSITIVE_INFINITY)} (${source})`,
    ...(call === undefined ? [] : [call]),
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.join(", ")}`]),
    ...(version === undefined ? [] : [`Version: ${version}`]),
    ...(minSDKVersion === undefined ? [] : [`Needs Atomic: ${minSDKVersion} or newer`]),
    ...(stateVersion === undefined ? [] : [`Version of its state: ${stateVersion}`]),
    ...(isReadOnly ? ["Changes no files, so its runs work beside others."] : []),
  ].join("\n");
}
