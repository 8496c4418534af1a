import { AtomicError, nearestName } from "../../contracts/index.ts";
import type { CompiledGraph } from "../../graph/index.ts";
import { NumberTooLargeError, parseAssignments, parseValue, tryParseJson } from "./parse-assignment.ts";

/** The workflow does not accept an input. */
export class InputInvalidError extends AtomicError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("INPUT_INVALID", message, options);
  }
}

/** Parses `--input name=value` options. @throws UsageError */
export function parseInputFlags(texts: readonly string[]): ReadonlyMap<string, string> {
  return parseAssignments(texts, "--input NAME=VALUE");
}

/**
 * Creates the first state of a run: the prompt under `prompt`, and each input under its name, parsed as its field's kind. An
 * input of a workflow without fields, such as a script, can be a list or an object in JSON.
 *
 * @throws InputInvalidError
 */
export function createInput(
  graph: CompiledGraph,
  prompt: string | undefined,
  inputs: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { inputDefaults } = graph;
  const given = withPrompt(prompt, inputs);
  const state: Record<string, unknown> = {};
  for (const [name, text] of given) {
    if (inputDefaults !== undefined && !Object.hasOwn(inputDefaults, name)) {
      throw unknownInput(name, Object.keys(inputDefaults));
    }
    const json = inputDefaults === undefined && name !== "prompt" ? readJson(text) : undefined;
    if (json !== undefined) {
      state[name] = json;
      continue;
    }
    const parsed = parseValue(text, { noun: "input", name, standard: inputDefaults?.[name] });
    if ("problem" in parsed) throw new InputInvalidError(parsed.problem);
    state[name] = parsed.value;
  }
  return state;
}

/** A list or an object. Any other text is itself: nothing says what an input without a field should be. */
function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = tryParseJson(text);
  if (value instanceof NumberTooLargeError) throw new InputInvalidError(`An input was rejected: ${value.message}.`);
  return value;
}

/** The inputs with the prompt as one of them. @throws InputInvalidError when the prompt is given twice */
export function withPrompt(
  prompt: string | undefined,
  inputs: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (prompt === undefined) return inputs;
  if (inputs.has("prompt")) {
    throw new InputInvalidError("The prompt is given twice: after the workflow and as --input. Omit one of them.");
  }
  return new Map([["prompt", prompt], ...inputs]);
}

function unknownInput(name: string, known: readonly string[]): InputInvalidError {
  const list = known.length === 0 ? "It has no inputs." : `Its inputs, for --input NAME=VALUE: ${known.join(", ")}.`;
  if (name === "prompt") return new InputInvalidError(`The workflow takes no prompt. ${list}`);
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? list : `Did you mean "${nearest}"?`;
  return new InputInvalidError(`The workflow has no input "${name}". ${hint}`);
}
