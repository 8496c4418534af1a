import type { Json } from "../../contracts/index.ts";

/**
 * What a schema says of a setting besides its type: the JSON Schema for editors, `atomic config` and
 * `docs/configuration.md` have it from here.
 */
export interface SettingMeta {
  /** One sentence or more. */
  readonly description: string;
  /** The value where none is set, if it is always the same. */
  readonly default?: Json;
  /** In words, what happens where none is set. */
  readonly defaultText?: string;
  readonly example: Json;
  /** Set for settings that no project may have. */
  readonly userOnly?: true;
  /** Set for settings whose value is never printed. */
  readonly isSecret?: true;
  /** The environment variable that overrides the files. */
  readonly variable?: string;
  /** The option of the command line that overrides the setting. */
  readonly flag?: string;
}

/** The metadata of a setting, as `meta()` of zod takes it. */
export function setting(meta: SettingMeta): Readonly<Record<string, unknown>> {
  return { ...meta };
}
