import { setSetting } from "../config/change-setting.ts";

/**
 * Stores one setting in the user's settings file, and leaves comments, other settings and the file's permissions as they are.
 *
 * @param name for example `ui.theme`
 * @param value as text; `true`, `false` and numbers where the setting takes no text
 * @throws SettingInvalidError, ConfigInvalidError for a file that is broken, and UsageError for a setting that does not exist;
 *   then nothing changes
 */
export async function saveSetting(
  name: string,
  value: string,
  { atomicHome }: { readonly atomicHome: string },
): Promise<void> {
  const { parseSettingKey } = await import("../config/parse-setting-key.ts");
  await setSetting(parseSettingKey(name), value, { folder: atomicHome, atomicHome });
}
