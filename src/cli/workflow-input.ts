import { AtomicError, nearestName } from "../contracts/index.ts";
import type { CompiledGraph } from "../graph/index.ts";
import { UsageError } from "./usage-error.ts";

/** An input that the workflow cannot take. */
export class InputInvalidError extends AtomicError {
  constructor(message: string) {
    super("INPUT_INVALID", message);
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
  if (prompt !== undefined && inputs.has("prompt")) {
    throw new InputInvalidError(
      "The prompt is given twice: behind the workflow and as --input. Leave one of them out.",
    );
  }
  const given = prompt === undefined ? inputs : new Map([["prompt", prompt], ...inputs]);
  const state: Record<string, unknown> = {};
  for (const [name, text] of given) {
    if (inputDefaults !== undefined && !Object.hasOwn(inputDefaults, name)) {
      throw unknownInput(name, Object.keys(inputDefaults));
    }
    state[name] = readValue(name, text, inputDefaults?.[name]);
  }
  return state;
}

function unknownInput(name: string, known: readonly string[]): InputInvalidError {
  const list = known.length === 0 ? "It has no inputs." : `Its inputs, for --input NAME=VALUE: ${known.join(", ")}.`;
  if (name === "prompt") return new InputInvalidError(`The workflow takes no prompt. ${list}`);
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? list : `Did you mean "${nearest}"?`;
  return new InputInvalidError(`The workflow has no input "${name}". ${hint}`);
}

function readValue(name: string, text: string, standard: unknown): unknown {
  if (typeof standard === "string" || standard === undefined) return text;
  if (typeof standard === "boolean") {
    const word = text.trim().toLowerCase();
    if (word === "true" || word === "yes") return true;
    if (word === "false" || word === "no") return false;
    throw new InputInvalidError(`The input "${name}" is yes or no. Write ${name}=yes or ${name}=no (true, false).`);
  }
  if (typeof standard === "number") {
    const number = Number(text);
    if (text.trim() !== "" && Number.isFinite(number)) return number;
    throw new InputInvalidError(`The input "${name}" is a number, and "${text}" is none.`);
  }
  const [kind, example] = Array.isArray(standard) ? ["a list", '["a", "b"]'] : ["an object", '{"a": 1}'];
  const value = parseJson(text);
  // Where the first value is null, nothing is known of the others.
  const isRightKind = standard === null || (isObject(value) && Array.isArray(value) === Array.isArray(standard));
  if (value !== undefined && isRightKind) return value;
  const what = standard === null ? "a value" : kind;
  throw new InputInvalidError(`The input "${name}" is ${what}. Write it as JSON, for example ${name}='${example}'.`);
}

/** `undefined` for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
