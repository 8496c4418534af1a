import { isRecord, recordOf, type WorkflowInput } from "../contracts/index.ts";

/** The inputs that a workflow declares, and their check. */
export interface WorkflowInputs {
  /** In the order of the declaration. */
  readonly fields: readonly WorkflowInput[];
  /** Whether a run may have inputs besides the declared ones. */
  readonly isOpen: boolean;
  /** Checks values and applies defaults and transforms. Throws only what the author's own checks throw. */
  check(values: Readonly<Record<string, unknown>>): Promise<CheckedInputs>;
}

/** Valid values, or what is wrong with them. */
export type CheckedInputs =
  | { readonly type: "valid"; readonly values: Readonly<Record<string, unknown>> }
  | { readonly type: "invalid"; readonly problems: readonly InputProblem[] };

/** What is wrong with an input. */
export interface InputProblem {
  /** The input's name; undefined for a problem of several together. */
  readonly name: string | undefined;
  readonly message: string;
}

/** The part of the Standard Schema interface (standardschema.dev) that is used here. */
interface Standard {
  readonly validate: (value: unknown) => unknown;
  readonly jsonSchema: { readonly input: (options: unknown) => unknown };
}

/** Dates, maps and big integers have no JSON Schema; any text may stand for them. */
const JSON_SCHEMA_OPTIONS = { target: "draft-2020-12", libraryOptions: { unrepresentable: "any" } };

/** Reads the export `inputs`, a `z.object({ … })` of zod 4. Returns undefined for anything else. Runs no check of it. */
export function parseWorkflowInputs(value: unknown): WorkflowInputs | undefined {
  const standard = standardOf(value);
  const schema = standard && objectSchemaOf(standard);
  if (standard === undefined || schema === undefined) return undefined;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(recordOf(schema.properties)).map(([name, property]): WorkflowInput => {
    const { description, default: standardValue, ...rest } = recordOf(property);
    return {
      name,
      ...(typeof description === "string" && { description: description.trim().replaceAll(/\s+/g, " ") }),
      isRequired: required.has(name) && standardValue === undefined,
      ...(standardValue !== undefined && { default: standardValue }),
      schema: rest,
    };
  });
  return {
    fields,
    isOpen: isRecord(schema.additionalProperties),
    check: async (values) => readResult(await standard.validate(values)),
  };
}

function standardOf(value: unknown): Standard | undefined {
  const standard = isRecord(value) ? value["~standard"] : undefined;
  if (!isRecord(standard) || typeof standard.validate !== "function") return undefined;
  if (!isRecord(standard.jsonSchema) || typeof standard.jsonSchema.input !== "function") return undefined;
  // The cast is true: both are functions, and what they return is read as unknown.
  return standard as unknown as Standard;
}

function objectSchemaOf({ jsonSchema }: Standard): Readonly<Record<string, unknown>> | undefined {
  try {
    const schema = recordOf(jsonSchema.input(JSON_SCHEMA_OPTIONS));
    return schema.type === "object" && isRecord(schema.properties) ? schema : undefined;
  } catch {
    // A schema without a JSON form is not an object of inputs; the caller reports what it must be.
    return undefined;
  }
}

function readResult(result: unknown): CheckedInputs {
  const { issues, value } = recordOf(result);
  if (!Array.isArray(issues)) return { type: "valid", values: recordOf(value) };
  return { type: "invalid", problems: issues.map(readIssue) };
}

function readIssue(issue: unknown): InputProblem {
  const { message, path } = recordOf(issue);
  const [name, ...inner] = (Array.isArray(path) ? path : []).map((part: unknown) =>
    String(isRecord(part) ? part.key : part),
  );
  const text = typeof message === "string" ? message : "Invalid input";
  return { name, message: inner.length === 0 ? text : `${inner.join(".")}: ${text}` };
}
