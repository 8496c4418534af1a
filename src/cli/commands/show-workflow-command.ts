import type { ScriptOutline } from "../../discovery/index.ts";
import { safeLine, safeText } from "../../view/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { describeKind, inputKindOf } from "../config/input-kind.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { describeCall, describeSettings, describeTaken, ownDescription } from "../output/describe-workflow.ts";
import { formatJson } from "../output/format-json.ts";
import { loadShownWorkflow, type ShowWorkflowFlags } from "./load-shown-workflow.ts";

/** `atomic workflows show NAME`: what a workflow is, takes and does. */
export async function showWorkflowCommand(
  environment: CliEnvironment,
  name: string,
  flags: ShowWorkflowFlags,
): Promise<ExitCode> {
  const { workflow, graph } = await loadShownWorkflow(environment, name, flags);
  const { metadata, path, scriptOutline } = workflow;
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
      steps: graph.steps,
      ...(scriptOutline === undefined ? {} : { script: scriptOutline }),
    };
    environment.stdout.write(`${formatJson(shown)}\n`);
    return ExitCode.done;
  }
  const description = ownDescription(metadata);
  const parts = [
    `Workflow ${metadata.name}${description === undefined ? "" : `: ${description}`}`,
    describeOrigin(workflow),
    describeTaken(workflow, graph),
    ...describeSettings(metadata),
    scriptOutline === undefined
      ? `Steps:\n${safeText(outline).trimEnd().replaceAll(/^/gm, "  ")}`
      : describeScript(scriptOutline),
  ];
  environment.stdout.write(`${parts.join("\n\n")}\n`);
  return ExitCode.done;
}

/** What a workflow script does, as far as its text says. */
function describeScript({ phases, agents, maxAgents }: ScriptOutline): string {
  const lines = agents.map(({ label, line, phase, isSingle }) => {
    const place = `line ${line}${isSingle ? "" : ", any number of times"}`;
    return `  ${phase === undefined ? "" : `${safeLine(phase, 60)}: `}${safeLine(label, 60)} (${place})`;
  });
  const count = maxAgents === undefined ? "as many as the run needs" : `at most ${maxAgents}`;
  return [
    ...(phases.length === 0 ? [] : [`Phases: ${safeLine(phases.join(", "), 200)}`]),
    `Agents: ${count}`,
    ...lines,
  ].join("\n");
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
