import type { JsonSchema } from "../../contracts/index.ts";

/**
 * The part of the Standard Schema interface (standardschema.dev, version 1) that the engine uses. zod, valibot and
 * arktype schemas have it, so that the engine needs none of them.
 */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A value that fits, or what is wrong with it. */
export type Validation<Output> =
  | { readonly type: "valid"; readonly value: Output }
  | {
      readonly type: "invalid";
      readonly problems: readonly string[];
      /** The same, in the validator's own form. */
      readonly issues: readonly unknown[];
    };

/** Validates a value; problems read `path: message`. */
export async function validateWith<Output>(
  schema: StandardSchema<Output>,
  value: unknown,
): Promise<Validation<Output>> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { type: "valid", value: result.value };
  return { type: "invalid", problems: result.issues.map(formatIssue), issues: result.issues };
}

function formatIssue(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

/** The JSON Schema of a schema whose library can make one (zod since 4.2), else `undefined`. */
export function toJsonSchema(schema: StandardSchema): JsonSchema | undefined {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  } catch {
    // Not every schema has a JSON form (dates, for example); validation does not need one.
    return undefined;
  }
}
