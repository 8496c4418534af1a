import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readBoundedFile, realPathOf } from "../../discovery/index.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";
import { parseConfig } from "../config/config.ts";

/** The value of a setting. */
type SettingValue = string | boolean | number;

/**
 * Stores one setting in the user's `config.json`, and leaves comments, other settings and the file's permissions as they are.
 *
 * @param name for example `ui.theme`
 * @param value as text; `true`, `false` and numbers where the setting takes no text
 * @throws ConfigInvalidError for a file that is broken, and for a setting or a value that does not exist; then nothing changes
 */
export async function saveSetting(
  name: string,
  value: string,
  { atomicHome }: { readonly atomicHome: string },
): Promise<void> {
  await mkdir(atomicHome, { recursive: true, mode: 0o700 });
  await withFileLock(join(atomicHome, "config.json.lock"), async () => {
    // The file may be a link into a folder of dotfiles, which stays one.
    const path = realPathOf(join(atomicHome, "config.json"));
    const text = await readSettings(path);
    await parseConfig(text, path);
    const changed = await firstValid(path, {
      texts: await Promise.all(valuesOf(value).map((one) => withSetting(text, name.split("."), one))),
    });
    if (changed === text) return;
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, changed, { mode: await modeOf(path) });
  });
}

/** The first text whose settings can be used. @throws ConfigInvalidError of the first text */
async function firstValid(path: string, { texts }: { readonly texts: readonly string[] }): Promise<string> {
  let failure: unknown;
  for (const text of texts) {
    try {
      await parseConfig(text, path);
      return text;
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** What a text may stand for, the text itself first. */
function valuesOf(text: string): readonly SettingValue[] {
  if (text === "true" || text === "false") return [text, text === "true"];
  return text.trim() !== "" && Number.isFinite(Number(text)) ? [text, Number(text)] : [text];
}

async function withSetting(text: string, path: readonly string[], value: SettingValue): Promise<string> {
  const { applyEdits, modify } = await import("jsonc-parser");
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  const changed = applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  return changed.endsWith("\n") ? changed : `${changed}\n`;
}

async function readSettings(path: string): Promise<string> {
  try {
    const text = (await readBoundedFile(path)).replace(/^\ufeff/, "");
    return text.trim() === "" ? "{}\n" : text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "{}\n";
    throw error;
  }
}

async function modeOf(path: string): Promise<number> {
  const status = await stat(path).catch(() => undefined);
  return status === undefined ? 0o600 : status.mode & 0o777;
}
