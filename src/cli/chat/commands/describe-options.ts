import type { WorkflowInput, WorkflowMetadata } from "../../../contracts/index.ts";
import { safeLine } from "../../../view/index.ts";
import { describeKind, inputKindOf } from "../../config/input-kind.ts";
import { describeDefault } from "../../output/describe-workflow.ts";
import { quoteWord } from "../../output/quote-word.ts";
import { flagsOf, isYesOrNo } from "./workflow-arguments.ts";

/** The widest name of an option, and the widest description, in columns. */
const LABEL_COLUMNS = 60;
const DESCRIPTION_COLUMNS = 200;

/**
 * What `/NAME --help` shows in the chat: how the workflow is called, and its options.
 *
 * @param hint what may follow its name
 */
export function describeOptions(
  hint: string,
  { name, description, inputs }: Pick<WorkflowMetadata, "name" | "description" | "inputs">,
): string {
  const others =
    inputs === undefined
      ? `sets an input; see in a shell: atomic run ${quoteWord(name)} --help`
      : "sets an input by name";
  const rows: readonly (readonly [label: string, text: string])[] = [
    ...(inputs ?? []).map((input) => [labelOf(input), describeInput(input)] as const),
    ["--input NAME=VALUE", others],
    ["--alongside", "starts it also while another run works in the same working tree"],
    ["--help", "shows this, and starts no run"],
    ["-- PROMPT", "a prompt with words that look like options"],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  const call = `/${name} ${safeLine(hint, DESCRIPTION_COLUMNS)}`.trimEnd();
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`);
  const about = safeLine(description, DESCRIPTION_COLUMNS);
  return [about === "" ? call : `${call}: ${about}`, ...lines].join("\n");
}

/** How an input is set, with the shortest name that is a word: `verifyCommand` with `--verify`. */
function labelOf(input: WorkflowInput): string {
  if (input.name === "prompt") return "PROMPT";
  const [whole = input.name, word] = flagsOf(input);
  const flag = whole.endsWith("-command") && word !== undefined ? word : whole;
  return safeLine(isYesOrNo(input) ? `--${flag}, --no-${flag}` : `--${flag} VALUE`, LABEL_COLUMNS);
}

function describeInput(input: WorkflowInput): string {
  const { description, schema, isRequired } = input;
  const standard = describeDefault(input);
  const facts = [
    ...(isYesOrNo(input) || input.name === "prompt" ? [] : [describeKind(inputKindOf(schema))]),
    ...(isRequired ? ["required"] : standard === "" || standard === '""' ? [] : [`default ${standard}`]),
  ].join(", ");
  const about = safeLine(description ?? "", DESCRIPTION_COLUMNS);
  return [about, ...(facts === "" ? [] : [`(${safeLine(facts, DESCRIPTION_COLUMNS)})`])].join(" ").trim();
}
