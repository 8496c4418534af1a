import type { WorkflowInput } from "../../contracts/index.ts";
import { visibleLabel, visibleMessage } from "../../view/index.ts";
import { describeKind, inputKindOf, parseInput } from "../config/input-kind.ts";
import { findProblem, type InputValues, type TypedWorkflow } from "../config/typed-input.ts";
import type { CliEnvironment } from "../environment.ts";
import { fitMessage } from "./fit-message.ts";
import { guardPrompt } from "./guard-prompt.ts";
import { type PromptStreams, promptStreams } from "./prompt-streams.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";
import { selectAnswer } from "./select-answer.ts";

/** What a person enters for an input; without a value they leave it out. */
type Entered = { readonly type: "value"; readonly value: unknown } | { readonly type: "none" };

/**
 * Asks the person at the terminal for every input that has no value yet, one by one, until each is valid. Returns all
 * values, or undefined when the person leaves.
 *
 * @throws InputInvalidError when the workflow's own check fails
 */
export async function askInputs(
  environment: CliEnvironment,
  workflow: TypedWorkflow,
  given: InputValues,
): Promise<InputValues | undefined> {
  const streams = promptStreams(environment);
  if (!(await waitForQuietKeyboard(streams.input))) return undefined;
  let values = given;
  for (const field of workflow.inputs.fields) {
    if (Object.hasOwn(values, field.name)) continue;
    const entered = await askUntilValid(streams, { workflow, field, values });
    if (entered === undefined) return undefined;
    if (entered.type === "value") values = { ...values, [field.name]: entered.value };
  }
  return values;
}

interface AskedField {
  readonly workflow: TypedWorkflow;
  readonly field: WorkflowInput;
  /** The other inputs. */
  readonly values: InputValues;
}

async function askUntilValid(streams: PromptStreams, asked: AskedField): Promise<Entered | undefined> {
  const { workflow, field, values } = asked;
  for (let problem: string | undefined; ; ) {
    const entered = await askOnce(streams, field, problem);
    if (entered === undefined || entered.type === "none") return entered;
    if (entered.type === "value") {
      problem = await findProblem(workflow, field.name, { ...values, [field.name]: entered.value });
      if (problem === undefined) return entered;
    } else problem = entered.problem;
  }
}

type Read = Entered | { readonly type: "unreadable"; readonly problem: string };

async function askOnce(
  streams: PromptStreams,
  field: WorkflowInput,
  problem: string | undefined,
): Promise<Read | undefined> {
  // Only a key of the person ends these questions.
  const { signal } = new AbortController();
  const read = await guardPrompt<Read>({ streams, signal }, (stop) =>
    askField({ ...streams, signal: stop }, field, problem),
  );
  switch (read.type) {
    case "value":
    case "none":
    case "unreadable":
      return read;
    default:
      return undefined;
  }
}

type SignalledStreams = PromptStreams & { readonly signal: AbortSignal };

async function askField(
  streams: SignalledStreams,
  field: WorkflowInput,
  problem: string | undefined,
): Promise<Read | undefined> {
  const kind = inputKindOf(field.schema);
  const about = field.description === undefined ? "" : `: ${field.description}`;
  const head = `${problem === undefined ? "" : `${problem}\n`}${field.name}${about}`;
  switch (kind.type) {
    case "yes-or-no":
      return await askChoices(streams, { field, head, choices: [true, false] });
    case "choice":
      return await askChoices(streams, { field, head, choices: kind.choices });
    default:
      return await askText(streams, field, `${head} (${[describeKind(kind), ...enterHint(field)].join("; ")})`);
  }
}

/** What Enter alone does. */
function enterHint({ isRequired, default: standard }: WorkflowInput): readonly string[] {
  if (isRequired) return [];
  return [standard === undefined ? "Enter: leave it out" : `Enter: ${showValue(standard)}`];
}

async function askText(streams: SignalledStreams, field: WorkflowInput, question: string): Promise<Read | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const answer = await text({ ...streams, message: fitMessage(streams.output, visibleMessage(question)) });
  if (isCancel(answer)) return undefined;
  const typed = answer ?? "";
  if (typed.trim() === "") {
    return field.isRequired
      ? { type: "unreadable", problem: `The input "${field.name}" needs a value; Ctrl+C leaves.` }
      : { type: "none" };
  }
  const parsed = parseInput(typed, field.name, inputKindOf(field.schema));
  return "problem" in parsed ? { type: "unreadable", ...parsed } : { type: "value", ...parsed };
}

interface Choices {
  readonly field: WorkflowInput;
  readonly head: string;
  readonly choices: readonly (string | number | boolean)[];
}

/** Asks with a list whose first entry is the default. */
async function askChoices(streams: SignalledStreams, { field, head, choices }: Choices): Promise<Read | undefined> {
  const { isRequired, default: standard } = field;
  const sorted = [...choices.filter((choice) => choice === standard), ...choices.filter((one) => one !== standard)];
  const options = sorted.map((choice) => ({
    label: visibleLabel(showValue(choice)),
    ...(choice === standard ? { hint: "default" } : {}),
  }));
  const isOptional = !isRequired && standard === undefined;
  const shown = isOptional ? [{ label: "(leave it out)" }, ...options] : options;
  const labels = shown.map(({ label }) => label);
  const message = fitMessage(streams.output, visibleMessage(head), labels);
  const place = await selectAnswer({ streams, message, options: shown, signal: streams.signal });
  if (place === undefined) return undefined;
  const value = sorted[isOptional ? place - 1 : place];
  return value === undefined ? { type: "none" } : { type: "value", value };
}

function showValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value || '""' : JSON.stringify(value);
}
