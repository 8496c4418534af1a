import { safeLine, safeText } from "../../view/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { describeKind, inputKindOf } from "../config/input-kind.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { describeCall, describeInputs, describeSettings, ownDescription } from "../output/describe-workflow.ts";
import { formatJson } from "../output/format-json.ts";
import { loadShownWorkflow, type ShowWorkflowFlags } from "./load-shown-workflow.ts";

/** `atomic workflows show NAME`: what a workflow is, takes and does. */
export async function showWorkflowCommand(
  environment: CliEnvironment,
  name: string,
  flags: ShowWorkflowFlags,
): Promise<ExitCode> {
  const { workflow, graph } = await loadShownWorkflow(environment, name, flags);
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

function describeOrigin({ metadata, path }: RegisteredWorkflow): string {
  const { aliases, source, version, minSDKVersion, stateVersion } = metadata;
  const call = describeCall(metadata);
  return [
    path === undefined ? "Built in" : `File: ${safeLine(path, Number.POSITIVE_INFINITY)} (${source})`,
    ...(call === undefined ? [] : [call]),
    ...(aliases.length === 0 ? [] : [`Aliases: ${aliases.join(", ")}`]),
    ...(version === undefined ? [] : [`Version: ${version}`]),
    ...(minSDKVersion === undefined ? [] : [`Needs Atomic: ${minSDKVersion} or newer`]),
    ...(stateVersion === undefined ? [] : [`Version of its state: ${stateVersion}`]),
  ].join("\n");
}
