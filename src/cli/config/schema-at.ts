import { z } from "zod";
import { sandboxSchema, sandboxShape } from "./sandbox-schema.ts";
import type { SettingMeta } from "./setting-meta.ts";

/** The schema at a place below another one, without what makes it optional; undefined if no setting is there. */
export function schemaAt(whole: z.core.$ZodType, path: readonly string[]): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = whole;
  for (const part of path) schema = schema === undefined ? undefined : childOf(bareSchema(schema), part);
  return schema === undefined ? undefined : bareSchema(schema);
}

/** Without what makes it optional, and the plain shape of a schema that checks more. */
export function bareSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema === sandboxSchema) return sandboxShape;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodExactOptional) return bareSchema(schema.unwrap());
  return schema;
}

/** The names of the settings in a {@link bareSchema}; of a union, those of all its shapes. `$schema` is for other programs. */
export function namesIn(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => namesIn(bareSchema(option)));
  return schema instanceof z.ZodObject ? Object.keys(schema.shape).filter((name) => !name.startsWith("$")) : [];
}

/** What a schema says of its setting. Undefined for an object that only groups settings. */
export function metaOf(schema: z.core.$ZodType): SettingMeta | undefined {
  const meta = z.globalRegistry.get(schema);
  // The cast is true: `setting()` creates the metadata of everything that has an example.
  return meta !== undefined && "example" in meta ? (meta as unknown as SettingMeta) : undefined;
}

function childOf(schema: z.core.$ZodType, part: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodUnion)
    return schema.options.map((option) => childOf(bareSchema(option), part)).find(Boolean);
  if (schema instanceof z.ZodArray) return /^\d+$/.test(part) ? schema.element : undefined;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  if (Object.hasOwn(schema.shape, part)) return schema.shape[part];
  const { catchall } = schema.def;
  return catchall instanceof z.ZodNever ? undefined : catchall;
}
