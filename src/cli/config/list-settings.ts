import { z } from "zod";
import { configSchema } from "./config-schema.ts";
import { bareSchema, metaOf, namesIn, schemaAt } from "./schema-at.ts";
import type { SettingMeta } from "./setting-meta.ts";

/** A setting, for documents, completions and `atomic config`. */
export interface ListedSetting extends SettingMeta {
  /** Its place: `ui.mouse.wheel`, `agents.NAME.model`, `permissions.rules[].effect`. */
  readonly key: string;
  /** Its type in words: `text`, `true or false`, `"full", "inline" or "plain"`. */
  readonly type: string;
}

/** Every setting that a file may have, in the order of the schema. The settings of all agents are listed once, as `agents.NAME.…`. */
export function listSettings(): readonly ListedSetting[] {
  return listBelow(configSchema, "");
}

/** The schema of the setting at a place; undefined if no setting is there. */
export function schemaOf(path: readonly string[]): z.core.$ZodType | undefined {
  return schemaAt(configSchema, path);
}

/** The names of the settings at a place, `$schema` excepted. */
export function childNamesOf(path: readonly string[]): readonly string[] {
  const schema = schemaOf(path);
  return schema === undefined ? [] : namesIn(schema);
}

/** The values that the setting at a place can have, if they are few; else none. */
export function possibleValuesOf(path: readonly string[]): readonly string[] {
  const schema = schemaOf(path);
  if (schema instanceof z.ZodBoolean) return ["true", "false"];
  return schema instanceof z.ZodEnum ? schema.options.map(String) : [];
}

/** Whether a place is that of a whole setting, and not of a group of them. */
export function isSetting(path: readonly string[]): boolean {
  const schema = schemaOf(path);
  return schema !== undefined && metaOf(schema) !== undefined;
}

function listBelow(whole: z.core.$ZodType, key: string): readonly ListedSetting[] {
  const schema = bareSchema(whole);
  const meta = metaOf(schema);
  const own = meta === undefined ? [] : [{ key, type: typeOf(schema), ...meta }];
  return [
    ...own,
    ...childrenOf(schema).flatMap(([name, child]) => listBelow(child, `${key}${name}`.replace(/^\./, ""))),
  ];
}

function childrenOf(schema: z.core.$ZodType): readonly (readonly [name: string, child: z.core.$ZodType])[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => childrenOf(bareSchema(option)));
  if (schema instanceof z.ZodArray)
    return childrenOf(bareSchema(schema.element)).map(([name, child]) => [`[]${name}`, child]);
  if (!(schema instanceof z.ZodObject)) return [];
  const { catchall } = schema.def;
  if (!(catchall instanceof z.ZodObject)) return entriesOf(schema);
  // Of the agents with a client of their own, only what the others do not have.
  const shared = new Set(Object.keys(catchall.shape));
  const special = entriesOf(schema).flatMap(([name, child]) =>
    childrenOf(bareSchema(child))
      .filter(([inner]) => !shared.has(inner.slice(1)))
      .map(([inner, grandchild]) => [`${name}${inner}`, grandchild] as const),
  );
  return [...entriesOf(catchall).map(([name, child]) => [`.NAME${name}`, child] as const), ...special];
}

function entriesOf({ shape }: z.ZodObject): readonly (readonly [string, z.core.$ZodType])[] {
  return Object.entries(shape).map(([name, child]) => [`.${name}`, child]);
}

/** The type of a setting in words. */
function typeOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodEnum) return orList(schema.options.map((one) => JSON.stringify(one)));
  if (schema instanceof z.ZodBoolean) return "true or false";
  if (schema instanceof z.ZodNumber) return schema.format === "safeint" ? "whole number" : "number";
  if (schema instanceof z.ZodArray) return `list of ${pluralOf(bareSchema(schema.element))}`;
  if (schema instanceof z.ZodUnion) return orList(schema.options.map((option) => typeOf(bareSchema(option))));
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return "object";
  return "text";
}

function pluralOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodEnum) return orList(schema.options.map((one) => JSON.stringify(one)));
  return typeOf(schema) === "object" ? "objects" : "texts";
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
