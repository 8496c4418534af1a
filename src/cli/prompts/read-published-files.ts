import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { TOOL_KINDS } from "../../contracts/index.ts";
import { readBoundedFileSync } from "../../system/index.ts";

/** The latest time that a date can have, in milliseconds since 1970. */
const MAX_TIME = 8_640_000_000_000_000;

const timeSchema = z.number().int().min(0).max(MAX_TIME);

const publishedSchema = z.looseObject({ id: z.string(), askedAt: timeSchema, deadline: timeSchema });

const optionalText = z.string().optional();

/** A file with a question of an agent. */
export const publishedQuestionSchema = publishedSchema.extend({
  question: z.looseObject({
    ...{ id: z.string(), sessionId: z.string(), question: z.string(), header: optionalText, step: optionalText },
    options: z.array(z.looseObject({ label: z.string(), description: optionalText })),
    isMultiple: z.boolean(),
  }),
});

const placeSchema = z.looseObject({ line: z.number(), before: z.string(), after: z.string() });

const changeSchema = z.looseObject({
  ...{ path: z.string(), oldText: z.string(), newText: z.string() },
  ...{ isEverywhere: z.boolean().optional(), place: placeSchema.optional() },
});

const detailsSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("edit"), changes: z.array(changeSchema) }),
  z.looseObject({ type: z.literal("write"), path: z.string(), text: z.string() }),
  z.looseObject({ type: z.literal("patch"), text: z.string() }),
  z.looseObject({ type: z.literal("fetch"), address: z.string() }),
  z.looseObject({ type: z.literal("input") }),
]);

/** A file with a permission request. */
export const publishedPermissionSchema = publishedSchema.extend({
  request: z.looseObject({
    ...{ id: z.string(), sessionId: z.string(), kind: z.enum(TOOL_KINDS), toolName: z.string(), title: z.string() },
    ...{ paths: z.array(z.string()), gitFolders: z.array(z.string()).optional(), details: detailsSchema.optional() },
    ...{ command: optionalText, step: optionalText, workingDirectory: optionalText, key: optionalText },
    ...{ isOnce: z.boolean().optional(), isDeletion: z.boolean().optional() },
    search: z
      .looseObject({
        ...{ include: optionalText, listsNames: z.boolean().optional(), canExclude: z.boolean().optional() },
      })
      .optional(),
  }),
});

/** Receives each file that is left out, as a sentence. */
export type OnUnusableFile = (text: string) => void;

interface PublishedFilesOptions<T> {
  /** What the names of the files, and the ids in them, start with. */
  readonly prefix: string;
  readonly schema: { safeParse(value: unknown): { readonly success: boolean } };
  /** Returns what passed the schema. */
  readonly cast: (value: unknown) => T;
  /** @default they are left out silently */
  readonly onUnusable?: OnUnusableFile | undefined;
}

/** What a run has published in a folder, oldest first. A file that is not what Atomic writes is left out alone. */
export function readPublishedFiles<T extends { readonly id: string; readonly askedAt: number }>(
  folder: string,
  { prefix, schema, cast, onUnusable }: PublishedFilesOptions<T>,
): readonly T[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    // Nothing was ever published.
    return [];
  }
  const readOne = (name: string): readonly T[] => {
    const path = join(folder, name);
    try {
      const value: unknown = JSON.parse(readBoundedFileSync(path));
      if (schema.safeParse(value).success) {
        const published = cast(value);
        // An answer finds the request by its id.
        if (`${published.id}.json` === name) return [published];
      }
    } catch (error) {
      // It has just been answered.
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    }
    onUnusable?.(`Left out: ${path} is no request that Atomic wrote. If another program wrote it, remove it.`);
    return [];
  };
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
    .flatMap(readOne)
    .sort((left, right) => left.askedAt - right.askedAt);
}
