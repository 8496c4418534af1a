import { nearestName, type WorkflowInput, type WorkflowMetadata } from "../../contracts/index.ts";
import type { CompiledGraph } from "../../graph/index.ts";
import { formatTable, safeLine } from "../../view/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { describeKind, inputKindOf } from "../config/input-kind.ts";
import { kindOf } from "../config/parse-assignment.ts";
import { toJsonValue } from "./format-json.ts";
import { quoteWord } from "./quote-word.ts";

/** The widest default, and the widest description, in columns. */
const VALUE_COLUMNS = 60;
const DESCRIPTION_COLUMNS = 200;

/** The description that an author has written; undefined for the default one, which only repeats the name. */
export function ownDescription({ name, description }: WorkflowMetadata): string | undefined {
  const isOwn = description !== "" && description !== `Custom workflow: ${name}`;
  return isOwn ? safeLine(description, DESCRIPTION_COLUMNS) : undefined;
}

/** How a workflow is called, with its author's hint; undefined without one. */
export function describeCall({ name, argumentHint }: WorkflowMetadata): string | undefined {
  if (argumentHint === undefined || argumentHint.trim() === "") return undefined;
  return `Call: atomic run ${quoteWord(name)} ${safeLine(argumentHint, DESCRIPTION_COLUMNS)}`;
}

/**
 * Describes what a run takes: the inputs that the workflow declares, or else the fields of its state.
 *
 * @param defaults the fields of the state with their initial values; undefined for a state that declares none
 */
function describeInputs({ inputs }: WorkflowMetadata, defaults: Readonly<Record<string, unknown>> | undefined): string {
  if (inputs !== undefined) return describeDeclared(inputs);
  if (defaults === undefined) return "It takes any input, for --input NAME=VALUE: its state declares no fields.";
  const entries = Object.entries(defaults);
  if (entries.length === 0) return "It has no inputs.";
  return `Inputs, for --input NAME=VALUE:\n${describeFields(entries)}`;
}

/**
 * Describes what a workflow script takes.
 *
 * @param fields the fields of `args` that its text names; undefined for a text that reads no `args`
 */
function describeArgs(fields: readonly string[] | undefined): string {
  if (fields === undefined) return "It reads no input.";
  if (fields.length === 0)
    return "It takes any input. Its args are the prompt, or an object with each --input NAME=VALUE.";
  return `Inputs, for --input NAME=VALUE, which it reads as args: ${safeLine(fields.join(", "), DESCRIPTION_COLUMNS)}`;
}

/** What a run takes. A state without fields of its own is no use to people who write scripts. */
export function describeTaken(
  { metadata, scriptOutline }: Pick<RegisteredWorkflow, "metadata" | "scriptOutline">,
  graph: Pick<CompiledGraph, "nodes" | "inputDefaults">,
): string {
  if (scriptOutline !== undefined) return describeArgs(scriptOutline.args);
  const [only, ...others] = [...graph.nodes.values()];
  const isScript = only?.type === "script" && others.length === 0;
  const takesAny = metadata.inputs === undefined && graph.inputDefaults === undefined;
  return isScript && takesAny ? describeArgs([]) : describeInputs(metadata, graph.inputDefaults);
}

function describeDeclared(inputs: readonly WorkflowInput[]): string {
  if (inputs.length === 0) return "It has no inputs.";
  const rows = inputs.map((input) => [
    safeLine(input.name, VALUE_COLUMNS),
    safeLine(describeKind(inputKindOf(input.schema)), VALUE_COLUMNS),
    describeDefault(input),
    safeLine(input.description ?? "", DESCRIPTION_COLUMNS),
  ]);
  return `Inputs, for --input NAME=VALUE:\n${formatTable(["NAME", "KIND", "DEFAULT", "DESCRIPTION"], rows)}`;
}

/** What an input is without a value, in a table. Empty when that is not known. */
export function describeDefault({ isRequired, default: standard }: WorkflowInput): string {
  if (isRequired) return "(required)";
  return standard === undefined ? "" : safeLine(formatValue(standard), VALUE_COLUMNS);
}

/**
 * Notes about inputs that the text of a script does not name. It may read them all the same: `args[name]`. None where the
 * text names no field.
 *
 * @param given the names of the inputs
 */
export function describeUnreadInputs(
  { scriptOutline }: Pick<RegisteredWorkflow, "scriptOutline">,
  given: Iterable<string>,
): readonly string[] {
  const known = scriptOutline?.args ?? [];
  if (known.length === 0) return [];
  return [...given]
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const hint =
        nearest === undefined
          ? `It reads: ${safeLine(known.join(", "), DESCRIPTION_COLUMNS)}`
          : `Did you mean "${nearest}"?`;
      return `The script does not read "${safeLine(name, VALUE_COLUMNS)}" by its name. ${hint}`;
    });
}

/** Describes the settings of a workflow; nothing if it has none. */
export function describeSettings({ defaultConfig = {} }: WorkflowMetadata): readonly string[] {
  const entries = Object.entries(defaultConfig);
  return entries.length === 0 ? [] : [`Settings, for --config NAME=VALUE:\n${describeFields(entries)}`];
}

function describeFields(entries: readonly (readonly [name: string, value: unknown])[]): string {
  const rows = entries.map(([name, value]) => [name, kindOf(value), safeLine(formatValue(value), VALUE_COLUMNS)]);
  return formatTable(["NAME", "KIND", "DEFAULT"], rows);
}

/** Empty for values without JSON, such as functions. */
function formatValue(value: unknown): string {
  return JSON.stringify(value, toJsonValue) ?? "";
}
