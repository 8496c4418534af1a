import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import { readBoundedFile, realPathOf } from "../../discovery/trust-kit.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";
import { type ConfigFile, ConfigInvalidError, findConfigFile, parseConfigFile } from "./config-file.ts";
import type { ConfigValues } from "./config-schema.ts";
import { editJsonc } from "./edit-jsonc.ts";
import { findUsersOwn } from "./find-users-own.ts";
import { formatSettingKey, type SettingPath } from "./parse-setting-key.ts";
import { UsageError } from "./usage-error.ts";

/** A setting cannot have this value; the file is unchanged. */
export class SettingInvalidError extends AtomicError {
  constructor(
    readonly key: string,
    readonly path: string,
    readonly problems: readonly string[],
  ) {
    const list = problems.map((problem) => `  - ${problem}`).join("\n");
    super("SETTING_INVALID", `The setting ${key} was not changed in ${path}:\n${list}\nCorrect the value.`);
  }
}

/** The settings file to change. */
export interface SettingsTarget {
  /** The folder of the file: Atomic's home, or `.atomic` of a project. */
  readonly folder: string;
  /** Where the lock is: Atomic's home. */
  readonly atomicHome: string;
  /** Set for the file of a project, which may not have every setting. */
  readonly project?: { readonly directory: string; readonly user: ConfigValues };
}

/** A change that was made. */
export interface ChangedSetting {
  /** The file. */
  readonly path: string;
  /** The value that was stored; undefined if the setting was removed. */
  readonly value: unknown;
  /** False if the file had this value already, or did not have the setting that was to be removed. */
  readonly isChanged: boolean;
}

/**
 * Stores one setting, and leaves comments, other settings and the file's permissions as they are. A text becomes the first of
 * these that the setting can have: the text itself, or the JSON that it is.
 *
 * @throws SettingInvalidError, ConfigInvalidError for a file that is broken already, UsageError; then nothing changes
 */
export async function setSetting(path: SettingPath, text: string, target: SettingsTarget): Promise<ChangedSetting> {
  return await changeFile(target, async (before, file) => {
    let failure: unknown;
    for (const value of valuesOf(text)) {
      try {
        const after = await editJsonc(before, path, value);
        await check(await parseConfigFile(after, file), { path, target });
        return { after, value };
      } catch (error) {
        failure = error;
      }
    }
    if (!(failure instanceof ConfigInvalidError)) throw failure;
    // The last error is that of the JSON, if the text is any.
    const own = failure.notes.filter((note) => isWithin(note.path ?? [], path)).map(({ text: problem }) => problem);
    throw new SettingInvalidError(formatSettingKey(path), file, own.length === 0 ? failure.problems : own);
  });
}

/** Removes one setting, as {@link setSetting} stores one. @throws ConfigInvalidError, SettingInvalidError, UsageError */
export async function unsetSetting(path: SettingPath, target: SettingsTarget): Promise<ChangedSetting> {
  return await changeFile(target, async (before, file) => {
    const after = await editJsonc(before, path, undefined);
    try {
      await parseConfigFile(after, file);
    } catch (error) {
      if (!(error instanceof ConfigInvalidError)) throw error;
      throw new SettingInvalidError(formatSettingKey(path), file, error.problems);
    }
    return { after, value: undefined };
  });
}

type Change = (before: string, file: string) => Promise<{ readonly after: string; readonly value: unknown }>;

async function changeFile(target: SettingsTarget, change: Change): Promise<ChangedSetting> {
  const { folder, atomicHome, project } = target;
  await mkdir(atomicHome, { recursive: true, mode: 0o700 });
  return await withFileLock(join(atomicHome, "config.json.lock"), async () => {
    const path = targetOf(findConfigFile(folder));
    if (project !== undefined) assertInside(path, project.directory);
    const before = await readSettings(path);
    await parseConfigFile(before, path);
    const { after, value } = await change(before, path);
    if (after === before) return { path, value, isChanged: false };
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, after, { mode: await modeOf(path, project === undefined ? 0o600 : 0o644) });
    return { path, value, isChanged: true };
  });
}

/** @throws ConfigInvalidError when the new settings may not be in this file, or the key is unknown */
async function check(
  { config, ignored, path: file }: ConfigFile,
  { path, target }: { readonly path: SettingPath; readonly target: SettingsTarget },
): Promise<void> {
  const unknown = ignored.filter((problem) => isWithin(problem.path, path));
  const others = target.project === undefined ? [] : findUsersOwn(target.project.user, config);
  if (unknown.length + others.length > 0) throw new ConfigInvalidError(file, [...unknown, ...others]);
}

function isWithin(path: readonly PropertyKey[], outer: SettingPath): boolean {
  return outer.every((part, index) => String(path[index]) === String(part));
}

/** What a text may stand for, the text itself first. */
function valuesOf(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return [text, value];
  } catch {
    return [text];
  }
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

async function modeOf(path: string, standard: number): Promise<number> {
  const status = await stat(path).catch(() => undefined);
  return status === undefined ? standard : status.mode & 0o777;
}

/** The file that is written. It may be a link into a folder of dotfiles, which stays one; its folder may be a link, too. */
function targetOf(path: string): string {
  return existsSync(path) ? realPathOf(path) : join(realPathOf(dirname(path)), basename(path));
}

/** @throws UsageError when a link leads the file of a project out of it */
function assertInside(path: string, directory: string): void {
  if (path.startsWith(realPathOf(directory) + sep)) return;
  throw new UsageError(`${path} is outside of the project ${directory}. Replace the link with a file.`);
}
