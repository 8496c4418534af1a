import { AtomicError, isRecord, nearestName, recordOf } from "../../contracts/index.ts";
import { showValue } from "../../graph/engine.ts";

/** A workflow does not accept an input or a setting of a test. The sentences are those of `atomic run`. */
export class TestInputError extends AtomicError {
  constructor(readonly problems: readonly string[]) {
    const [first = "", ...others] = problems;
    const list = problems.map((problem) => `\n  - ${problem}`).join("");
    super("INPUT_INVALID", others.length === 0 ? first : `The input of the test is not valid:${list}`);
  }
}

/** Checks the settings for the exports of a workflow file. @throws TestInputError */
export function assertTestConfig(defaultConfig: unknown, config: Readonly<Record<string, unknown>> = {}): void {
  const given = Object.entries(config);
  if (given.length === 0) return;
  if (!isRecord(defaultConfig)) {
    const problem =
      "The workflow has no settings for config. Declare them in its file: export const defaultConfig = { … }.";
    throw new TestInputError([problem]);
  }
  const known = Object.keys(defaultConfig);
  assertNone(
    given.flatMap(([name, value]) => {
      if (!Object.hasOwn(defaultConfig, name))
        return [`The workflow has no setting "${name}". ${advise(name, known, "settings")}`];
      return kindProblems(`The setting "${name}"`, value, defaultConfig[name]);
    }),
  );
}

/** Checks an input against the fields of a workflow's state. @throws TestInputError */
export function assertStateInput(
  defaults: Readonly<Record<string, unknown>> | undefined,
  input: Readonly<Record<string, unknown>>,
): void {
  if (defaults === undefined) return;
  const known = Object.keys(defaults);
  assertNone(
    Object.entries(input).flatMap(([name, value]) =>
      Object.hasOwn(defaults, name)
        ? kindProblems(`The input "${name}"`, value, defaults[name])
        : [unknownInput(name, known)],
    ),
  );
}

/**
 * Checks an input against the export `inputs` of a workflow file, a Standard Schema, and applies its defaults and transforms.
 * Returns undefined when the file declares no inputs.
 *
 * @throws TestInputError
 */
export async function readDeclaredInput(
  inputs: unknown,
  input: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const schema = isRecord(inputs) ? inputs["~standard"] : undefined;
  if (!isRecord(schema) || typeof schema.validate !== "function") return undefined;
  const result = recordOf(await schema.validate(input));
  const unknown = undeclared(schema, input);
  const issues: readonly unknown[] = Array.isArray(result.issues) ? result.issues : [];
  assertNone([...unknown, ...issues.map((issue) => describeIssue(issue, input))]);
  return Object.fromEntries(Object.entries(recordOf(result.value)).filter(([, value]) => value !== undefined));
}

/** Dates, maps and big integers have no JSON Schema; any value may stand for them. */
const JSON_SCHEMA_OPTIONS = { target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } };

/** The inputs that a file does not declare, as far as its schema lists all. */
function undeclared(
  { jsonSchema }: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (!isRecord(jsonSchema)) return [];
  const { properties, additionalProperties } = recordOf(jsonSchemaOf(jsonSchema));
  if (!isRecord(properties) || isRecord(additionalProperties)) return [];
  const known = Object.keys(properties);
  return Object.keys(input).flatMap((name) => (known.includes(name) ? [] : [unknownInput(name, known)]));
}

function jsonSchemaOf(schema: Readonly<Record<string, unknown>>): unknown {
  if (typeof schema.input !== "function") return undefined;
  try {
    return schema.input(JSON_SCHEMA_OPTIONS);
  } catch {
    // A schema without a JSON form does not list its inputs, so each may be one of them.
    return undefined;
  }
}

function describeIssue(issue: unknown, input: Readonly<Record<string, unknown>>): string {
  const { path, message } = recordOf(issue);
  const [first]: readonly unknown[] = Array.isArray(path) ? path : [];
  const name = isRecord(first) ? first.key : first;
  const text = String(message).replace(/\.?$/, ".");
  if (typeof name !== "string") return text;
  return input[name] === undefined ? `The input "${name}" is missing.` : `The input "${name}" is invalid: ${text}`;
}

function unknownInput(name: string, known: readonly string[]): string {
  if (name !== "prompt") return `The workflow has no input "${name}". ${advise(name, known, "inputs")}`;
  return `The workflow takes no prompt. ${listOf(known, "inputs")}`;
}

function advise(name: string, known: readonly string[], noun: "inputs" | "settings"): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? listOf(known, noun) : `Did you mean "${nearest}"?`;
}

function listOf(known: readonly string[], noun: "inputs" | "settings"): string {
  return known.length === 0 ? `It has no ${noun}.` : `Its ${noun}: ${known.join(", ")}.`;
}

/** What a value must be when its default is of a kind. Other defaults, such as null, accept any value. */
const KINDS = [
  { expected: "a text", has: (value: unknown) => typeof value === "string" },
  { expected: "yes or no (true or false)", has: (value: unknown) => typeof value === "boolean" },
  { expected: "a number", has: (value: unknown) => typeof value === "number" && Number.isFinite(value) },
  { expected: "a list", has: (value: unknown) => Array.isArray(value) },
  { expected: "an object", has: (value: unknown) => isRecord(value) },
] as const;

/** A value must be of the kind of its default, or absent. */
function kindProblems(what: string, value: unknown, standard: unknown): readonly string[] {
  const kind = KINDS.find(({ has }) => has(standard));
  if (value === undefined || value === null || kind === undefined || kind.has(value)) return [];
  return [`${what} must be ${kind.expected}, not ${showValue(value)}.`];
}

function assertNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new TestInputError(problems);
}
