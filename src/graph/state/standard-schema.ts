import type { JsonSchema } from "../../contracts/index.ts";

/**
 * The part of the Standard Schema interface (standardschema.dev, version 1) that the engine uses. Schemas of zod, valibot
 * and arktype implement it, so the engine depends on none of them.
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

/** A valid value, or its problems. */
export type Validation<Output> =
  | { readonly type: "valid"; readonly value: Output }
  | {
      readonly type: "invalid";
      readonly problems: readonly string[];
      /** The same problems in the validator's own format. */
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

/** The JSON Schema of a schema, if its library can generate one (zod since 4.2); otherwise `undefined`. */
export function toJsonSchema(schema: StandardSchema): JsonSchema | undefined {
  try {
    return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  } catch {
    // Not every schema has a JSON form, for example one with dates; validation does not need it.
    return undefined;
  }
}
