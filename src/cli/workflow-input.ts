import { AtomicError, messageOf } from "../contracts/index.ts";
import { nearestName } from "../discovery/index.ts";
import type { CompiledGraph } from "../graph/index.ts";
import { UsageError } from "./usage-error.ts";

/** An input that the workflow cannot take. */
export class InputInvalidError extends AtomicError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super("INPUT_INVALID", message, options);
  }
}

/** Reads `--input name=value` options. @throws UsageError */
export function parseInputFlags(texts: readonly string[]): ReadonlyMap<string, string> {
  const inputs = new Map<string, string>();
  for (const text of texts) {
    const separator = text.indexOf("=");
    if (separator < 1) throw new UsageError(`"${text}" is not an input. Write --input NAME=VALUE.`);
    inputs.set(text.slice(0, separator), text.slice(separator + 1));
  }
  return inputs;
}

/**
 * The first state of a run: the prompt under `prompt`, each input under its name, as the kind of value its field has.
 *
 * @throws InputInvalidError
 */
export function createInput(
  graph: CompiledGraph,
  prompt: string | undefined,
  inputs: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { inputDefaults } = graph;
  const given = prompt === undefined ? inputs : new Map([["prompt", prompt], ...inputs]);
  const state: Record<string, unknown> = {};
  for (const [name, text] of given) {
    if (inputDefaults !== undefined && !(name in inputDefaults)) throw unknownInput(name, Object.keys(inputDefaults));
    state[name] = readValue(name, text, inputDefaults?.[name]);
  }
  return state;
}

function unknownInput(name: string, known: readonly string[]): InputInvalidError {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `Its inputs: ${known.join(", ") || "none"}.` : `Did you mean "${nearest}"?`;
  const what = name === "prompt" ? "takes no prompt" : `has no input "${name}"`;
  return new InputInvalidError(`The workflow ${what}. ${hint}`);
}

function readValue(name: string, text: string, standard: unknown): unknown {
  if (typeof standard === "string" || standard === undefined) return text;
  if (typeof standard === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new InputInvalidError(`The input "${name}" is yes or no. Write ${name}=true or ${name}=false.`);
  }
  if (typeof standard === "number") {
    const number = Number(text);
    if (text.trim() !== "" && Number.isFinite(number)) return number;
    throw new InputInvalidError(`The input "${name}" is a number, and "${text}" is none.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputInvalidError(`The input "${name}" is given as JSON: ${messageOf(error)}`, { cause: error });
  }
}
