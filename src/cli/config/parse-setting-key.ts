import { z } from "zod";
import { isRecord, nearestName } from "../../contracts/index.ts";
import { childNamesOf, schemaOf } from "./list-settings.ts";
import { UsageError } from "./usage-error.ts";

/** The place of a setting; numbers are places in lists. */
export type SettingPath = readonly (string | number)[];

/** A name, a name in brackets and quotes, or a place in a list. */
const PART = /\.?([^.[\]"\s]+)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/y;

/**
 * Parses the key of a setting: `ui.theme`, `permissions.rules[0].effect`, `agents["my.agent"].model`.
 *
 * @throws UsageError for a malformed key, and for one that no setting has
 */
export function parseSettingKey(key: string): SettingPath {
  const path: (string | number)[] = [];
  for (const part of splitKey(key)) {
    const parent = path.map(String);
    // A record drops a key of this name.
    if (part === "__proto__" || schemaOf([...parent, part]) === undefined) throw unknownSetting(key, { parent, part });
    path.push(schemaOf(parent) instanceof z.ZodArray ? Number(part) : part);
  }
  return path;
}

/**
 * The place of a key in the value of a file, also of one that no setting has. Undefined if the file has none there.
 *
 * @throws UsageError for a malformed key
 */
export function findKeyInFile(key: string, settings: unknown): SettingPath | undefined {
  const path: (string | number)[] = [];
  let value = settings;
  for (const part of splitKey(key)) {
    if (Array.isArray(value)) {
      const elements: readonly unknown[] = value;
      const index = /^\d+$/.test(part) ? Number(part) : elements.length;
      if (index >= elements.length) return undefined;
      path.push(index);
      value = elements[index];
    } else {
      if (!isRecord(value) || !Object.hasOwn(value, part)) return undefined;
      path.push(part);
      value = value[part];
    }
  }
  return path;
}

/** A place as {@link parseSettingKey} reads it. */
export function formatSettingKey(path: SettingPath): string {
  return path
    .map((part, index) => {
      if (typeof part === "number") return `[${part}]`;
      if (/[.[\]"\s]/.test(part)) return `[${JSON.stringify(part)}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join("");
}

function splitKey(key: string): readonly string[] {
  const parts: string[] = [];
  PART.lastIndex = 0;
  while (PART.lastIndex < key.length) {
    const begin = PART.lastIndex;
    const [, name, quoted, index] = PART.exec(key) ?? [];
    const part = name ?? (quoted === undefined ? index : String(JSON.parse(quoted)));
    if (part === undefined || (begin === 0 && key.startsWith("."))) {
      throw new UsageError(`"${key}" is not the key of a setting. Write it as ui.theme, or agents["my.agent"].model.`);
    }
    parts.push(part);
  }
  if (parts.length === 0) throw new UsageError("The key of the setting is empty. Write it as ui.theme.");
  return parts;
}

function unknownSetting(
  key: string,
  { parent, part }: { readonly parent: readonly string[]; readonly part: string },
): UsageError {
  const names = childNamesOf(parent);
  const nearest = nearestName(part, names);
  const meant = nearest === undefined ? "" : ` Did you mean "${formatSettingKey([...parent, nearest])}"?`;
  const place = parent.length === 0 ? "Settings" : `In ${formatSettingKey(parent)}`;
  const known = names.length === 0 ? "" : ` ${place}: ${names.join(", ")}.`;
  return new UsageError(`There is no setting "${key}".${meant}${known} See: atomic config list --all`);
}
