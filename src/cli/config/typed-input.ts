import { messageOf, nearestName, type WorkflowInput } from "../../contracts/index.ts";
import type { CheckedInputs, WorkflowInputs } from "../../discovery/index.ts";
import type { RegisteredWorkflow } from "../../workflows/index.ts";
import { quoteWord } from "../output/quote-word.ts";
import { describeExpected } from "./describe-expected.ts";
import { describeKind, inputKindOf, parseInput } from "./input-kind.ts";
import { InputInvalidError } from "./workflow-input.ts";

/** A workflow that declares its inputs. */
export interface TypedWorkflow {
  readonly name: string;
  readonly inputs: WorkflowInputs;
}

/** The workflow, if it declares its inputs. */
export function typedWorkflow({ metadata: { name }, inputs }: RegisteredWorkflow): TypedWorkflow | undefined {
  return inputs === undefined ? undefined : { name, inputs };
}

/** Inputs as their kinds, before the workflow's own check. */
export type InputValues = Readonly<Record<string, unknown>>;

/** Inputs that are valid as far as they go. */
export interface ReadInputs {
  readonly values: InputValues;
  /** Required inputs without a value. */
  readonly missing: readonly WorkflowInput[];
}

/**
 * Parses the inputs of a call as their kinds and checks them.
 *
 * @param given the values as typed, the prompt included
 * @throws InputInvalidError that lists all problems, missing inputs included, if a given value is invalid
 */
export async function readInputs(
  { name: workflow, inputs }: TypedWorkflow,
  given: ReadonlyMap<string, string>,
): Promise<ReadInputs> {
  const { fields } = inputs;
  const problems: string[] = [];
  const values: [string, unknown][] = [];
  for (const [name, text] of given) {
    const field = fields.find((known) => known.name === name);
    if (field === undefined && !inputs.isOpen) {
      problems.push(describeUnknown(name, fields));
      continue;
    }
    const parsed = parseInput(text, name, field === undefined ? { type: "text" } : inputKindOf(field.schema));
    if ("problem" in parsed) problems.push(parsed.problem);
    else values.push([name, parsed.value]);
  }
  const read = Object.fromEntries(values);
  const missing = fields.filter(({ name, isRequired }) => isRequired && !given.has(name));
  const checked = await check(inputs, read);
  // What has no value yet, or an unreadable one, is reported by another sentence than the schema's.
  const isReported = (name: string): boolean => !Object.hasOwn(read, name) && fields.some((one) => one.name === name);
  if (checked.type === "invalid") {
    for (const { name, message } of checked.problems)
      if (name === undefined || !isReported(name)) problems.push(describeProblem(name, message));
  }
  if (problems.length === 0) return { values: read, missing };
  throw invalidInputs(workflow, problems, missing);
}

/** The error of a call without the required inputs. */
export function missingInputs(workflow: string, missing: readonly WorkflowInput[]): InputInvalidError {
  return invalidInputs(workflow, [], missing);
}

/** Applies the workflow's own check, its defaults and transforms. @throws InputInvalidError */
export async function finishInputs(
  { name: workflow, inputs }: TypedWorkflow,
  values: InputValues,
): Promise<InputValues> {
  const checked = await check(inputs, values);
  if (checked.type === "invalid") {
    throw invalidInputs(
      workflow,
      checked.problems.map(({ name, message }) => describeProblem(name, message)),
    );
  }
  return Object.fromEntries(Object.entries(checked.values).filter(([, value]) => value !== undefined));
}

/** Checks one input beside the others; returns what is wrong with it. @throws InputInvalidError when a check fails */
export async function findProblem(
  { inputs }: TypedWorkflow,
  name: string,
  values: InputValues,
): Promise<string | undefined> {
  const checked = await check(inputs, values);
  const found = checked.type === "invalid" ? checked.problems.find((problem) => problem.name === name) : undefined;
  return found && describeProblem(name, found.message);
}

async function check(inputs: WorkflowInputs, values: InputValues): Promise<CheckedInputs> {
  try {
    return await inputs.check(values);
  } catch (error) {
    throw new InputInvalidError(
      `The workflow's own check of its inputs failed: ${messageOf(error)}. Pass other values, or correct "inputs" in its file.`,
      { cause: error },
    );
  }
}

function describeProblem(name: string | undefined, message: string): string {
  const expected = describeExpected(message);
  if (name !== undefined && expected !== undefined) return `The input "${name}" must be ${expected}.`;
  const [, field, rest = ""] = /^([^:\s]+): (.+)$/.exec(message) ?? [];
  const inner = field === undefined ? undefined : describeExpected(rest);
  if (name !== undefined && inner !== undefined) return `The input "${name}" is invalid: ${field} must be ${inner}.`;
  const text = message.replace(/\.?$/, ".");
  return name === undefined ? text : `The input "${name}" is invalid: ${text}`;
}

function describeMissing({ name, description, schema }: WorkflowInput): string {
  const about = description === undefined ? "" : `: ${description.replace(/\.$/, "")}`;
  return `The input "${name}" is missing (${describeKind(inputKindOf(schema))})${about}.`;
}

function describeUnknown(name: string, fields: readonly WorkflowInput[]): string {
  const known = fields.map((field) => field.name);
  const list = known.length === 0 ? "It has no inputs." : `Its inputs: ${known.join(", ")}.`;
  if (name === "prompt") return `The workflow takes no prompt. ${list}`;
  const nearest = nearestName(name, known);
  return `The workflow has no input "${name}". ${nearest === undefined ? list : `Did you mean "${nearest}"?`}`;
}

function invalidInputs(
  workflow: string,
  problems: readonly string[],
  missing: readonly WorkflowInput[] = [],
): InputInvalidError {
  const call = `atomic run ${quoteWord(workflow)}`;
  const prompt = missing.some(({ name }) => name === "prompt")
    ? `Set the prompt with ${call} "…", and other inputs`
    : "Set inputs";
  const remedy = `${prompt} with --input NAME=VALUE; see: ${call} --help`;
  const all = [...problems, ...missing.map(describeMissing)];
  const [first, ...others] = all;
  if (others.length === 0) return new InputInvalidError(`${first} ${remedy}`);
  const list = all.map((problem) => `  - ${problem}`).join("\n");
  return new InputInvalidError(`The inputs of "${workflow}" are not valid:\n${list}\n${remedy}`);
}
