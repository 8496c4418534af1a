import type { z } from "zod";
import { isRecord, labelOf, namesSecret } from "../../contracts/index.ts";
import { metaOf, schemaAt } from "./schema-at.ts";

/** Where a value is from. */
export interface SecretPlace {
  /** The schema of all settings. */
  readonly schema: z.core.$ZodType;
  /** The place of the value in all settings. */
  readonly path: readonly PropertyKey[];
  /** Whether a name is one of a secret. @default by its last word, such as `apiKey` and `GITHUB_TOKEN` */
  readonly isSecretName?: (name: string) => boolean;
}

/**
 * A value of the settings as it may be printed: what a secret setting has is replaced, whatever it looks like. So are texts
 * that only their names mark as secrets, for example in `headers` and `env` of an agent's own settings. Pure.
 */
export function hideSecrets(value: unknown, place: SecretPlace): unknown {
  if (value === undefined) return undefined;
  const { path } = place;
  if (isSecretSetting(place) || (typeof value === "string" && hasSecretName(place))) {
    return labelOf(path.map(String).join("."));
  }
  const inner = (part: PropertyKey, child: unknown): unknown => hideSecrets(child, { ...place, path: [...path, part] });
  if (Array.isArray(value)) return value.map((child, index) => inner(index, child));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, inner(name, child)]));
}

/** Whether the schema marks a setting as a secret. */
export function isSecretSetting({ schema, path }: Pick<SecretPlace, "schema" | "path">): boolean {
  const found = schemaAt(schema, path.map(String));
  return found !== undefined && metaOf(found)?.isSecret === true;
}

/** Whether the name at a place, or that of the list around it, is one of a secret. */
function hasSecretName({ path, isSecretName = namesSecret }: SecretPlace): boolean {
  const names = path.filter((part) => typeof part !== "number").map(String);
  const [name = "", parent = ""] = names.toReversed();
  // The keys of the keyboard, and the colours of a theme.
  if (names[0] === "ui") return false;
  return isSecretName(name) || (/^(?:proxy-)?authorization$/i.test(name) && /headers$/i.test(parent));
}
