import { finishInputs, type InputValues, missingInputs, readInputs, type TypedWorkflow } from "./config/typed-input.ts";
import { withPrompt } from "./config/workflow-input.ts";
import type { CliEnvironment } from "./environment.ts";

/** The inputs of a call. */
export interface CallInputs {
  readonly prompt: string | undefined;
  /** The values of `--input`. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Whether a program reads the output. If so, there is no prompt. */
  readonly isJson: boolean;
}

/**
 * Creates the first state of a run of a workflow that declares its inputs. If required ones are missing, a terminal prompts
 * for all that have no value yet. Returns undefined when the person leaves.
 *
 * @throws InputInvalidError that lists all problems
 */
export async function resolveTypedInput(
  environment: CliEnvironment,
  workflow: TypedWorkflow,
  { prompt, inputs, isJson }: CallInputs,
): Promise<InputValues | undefined> {
  const { values, missing } = await readInputs(workflow, withPrompt(prompt, inputs));
  if (missing.length === 0) return await finishInputs(workflow, values);
  if (!environment.isInteractive || isJson) throw missingInputs(workflow.name, missing);
  const { askInputs } = await import("./prompts/ask-inputs.ts");
  const asked = await askInputs(environment, workflow, values);
  if (asked === undefined) {
    environment.stderr.write("No run was started.\n");
    return undefined;
  }
  return await finishInputs(workflow, asked);
}
