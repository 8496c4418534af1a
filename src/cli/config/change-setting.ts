import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { AtomicError, isRecord, messageOf } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/trust-kit.ts";
import { replaceFile, withFileLock } from "../../system/index.ts";
import { type Config, mergeConfigs } from "./config.ts";
import {
  ConfigInvalidError,
  type ConfigNote,
  findConfigFile,
  parseConfigFile,
  readSettingsText,
} from "./config-file.ts";
import type { ConfigValues } from "./config-schema.ts";
import { editJsonc } from "./edit-jsonc.ts";
import { findUsersOwn } from "./find-users-own.ts";
import { findUnknownNames } from "./known-names.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import { findKeyInFile, formatSettingKey, type SettingPath } from "./parse-setting-key.ts";
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
  /** The settings of other files, whose agents and themes exist, too. @default names are not checked */
  readonly others?: Config;
}

/** A change that was made. */
export interface ChangedSetting {
  /** The file. */
  readonly path: string;
  /** The value that was stored; undefined if the setting was removed. */
  readonly value: unknown;
  /** False if the file had this value already, or did not have the setting that was to be removed. */
  readonly isChanged: boolean;
  /** What is still wrong in the file, or has no effect; one line each. */
  readonly warnings: readonly string[];
}

/**
 * Stores one setting, and leaves comments, other settings and the file's permissions as they are. A text becomes the first of
 * these that the setting can have: the text itself, or the JSON that it is. A file with mistakes can be changed if one of them
 * is corrected.
 *
 * @throws SettingInvalidError, ConfigInvalidError for a file that is broken already, UsageError; then nothing changes
 */
export async function setSetting(path: SettingPath, text: string, target: SettingsTarget): Promise<ChangedSetting> {
  return await changeFile(target, async (before, file) => {
    const key = formatSettingKey(path);
    const old = await inspect(before, file, target);
    assertPlace(await parseJsonc(before), {
      path,
      key,
      file,
      option: target.project === undefined ? "" : " --project",
    });
    const { values, problem } = await valuesOf(text);
    let mistakes: readonly ConfigNote[] = [];
    for (const value of values) {
      const after = await editJsonc(before, path, value);
      const now = await inspect(after, file, { ...target, path });
      mistakes = now.mistakes.filter((note) => isWithin(note.path ?? [], path));
      const isRepair = mistakes.length === 0 && isRepaired(path, old.mistakes, now.mistakes);
      if (now.mistakes.length === 0 || isRepair) return { after, value, warnings: warningsOf(now, file) };
      if (mistakes.length === 0 && old.mistakes.length > 0) throw new ConfigInvalidError(file, old.mistakes);
      if (mistakes.length === 0) mistakes = now.mistakes;
      // The value has the right type: no other one is meant.
      if (now.isReadable) break;
    }
    // The last mistakes are those of the JSON, if the text is any.
    const problems = problem === undefined ? mistakes.map((note) => note.text) : [`${key}: ${problem}`];
    throw new SettingInvalidError(key, file, problems);
  });
}

/**
 * Removes one setting, as {@link setSetting} stores one; also a key that no setting has.
 *
 * @throws ConfigInvalidError, SettingInvalidError, UsageError
 */
export async function unsetSetting(path: SettingPath, target: SettingsTarget): Promise<ChangedSetting> {
  return await changeFile(target, async (before, file) => {
    const old = await inspect(before, file, target);
    const after = await editJsonc(before, path, undefined);
    const now = await inspect(after, file, target);
    const isRepair = isRepaired(path, old.mistakes, now.mistakes);
    if (now.mistakes.length === 0 || isRepair) return { after, value: undefined, warnings: warningsOf(now, file) };
    if (old.mistakes.length > 0) throw new ConfigInvalidError(file, old.mistakes);
    const problems = now.mistakes.map((note) => note.text);
    throw new SettingInvalidError(formatSettingKey(path), file, problems);
  });
}

/** The place of a key in the file, also of one that no setting has; undefined if the file has none there. @throws UsageError, ConfigInvalidError */
export async function findInFile(key: string, { folder }: SettingsTarget): Promise<SettingPath | undefined> {
  const path = findConfigFile(folder);
  const text = await readSettings(path);
  await inspect(text, path, {});
  return findKeyInFile(key, await parseJsonc(text));
}

interface Changed {
  readonly after: string;
  readonly value: unknown;
  readonly warnings: readonly string[];
}

async function changeFile(
  target: SettingsTarget,
  change: (before: string, file: string) => Promise<Changed>,
): Promise<ChangedSetting> {
  const { folder, atomicHome, project } = target;
  await mkdir(atomicHome, { recursive: true, mode: 0o700 });
  return await withFileLock(join(atomicHome, "config.json.lock"), async () => {
    const path = targetOf(findConfigFile(folder));
    if (project !== undefined) assertInside(path, project.directory);
    const before = await readSettings(path);
    const { after, value, warnings } = await change(before, path);
    if (after === before) return { path, value, isChanged: false, warnings };
    await mkdir(dirname(path), { recursive: true });
    await replaceFile(path, after, { mode: await modeOf(path, project === undefined ? 0o600 : 0o644) });
    return { path, value, isChanged: true, warnings };
  });
}

/** What is wrong with a text of settings. */
interface Inspected {
  /** Whether every value has its type. */
  readonly isReadable: boolean;
  readonly mistakes: readonly ConfigNote[];
  readonly warnings: readonly string[];
}

/** What an inspection depends on. */
interface Inspection extends Pick<SettingsTarget, "project" | "others"> {
  /** The setting that is stored: its names are checked, and no key in it may be unknown. @default none */
  readonly path?: SettingPath;
}

/** @throws ConfigInvalidError for a text that is no JSON, or whose whole value is no object */
async function inspect(text: string, file: string, { project, others, path }: Inspection): Promise<Inspected> {
  try {
    const { config, ignored, warnings } = await parseConfigFile(text, file);
    if (path === undefined) return { isReadable: true, mistakes: [], warnings };
    const users = project === undefined ? [] : findUsersOwn(project.user, config);
    const isStored = (note: ConfigNote): boolean => isWithin(note.path ?? [], path);
    const names = findUnknownNames(config, mergeConfigs({ user: others ?? {}, project: config }));
    const wrong = others === undefined ? [] : names.problems.filter(isStored);
    const doubtful = others === undefined ? [] : names.warnings.filter(isStored);
    const unknown = ignored.filter((problem) => isWithin(problem.path, path));
    const notes = doubtful.map((note) => note.text);
    return { isReadable: true, mistakes: [...unknown, ...users, ...wrong], warnings: [...warnings, ...notes] };
  } catch (error) {
    if (!(error instanceof ConfigInvalidError) || error.notes.some((note) => (note.path ?? []).length === 0))
      throw error;
    return { isReadable: false, mistakes: error.notes, warnings: [] };
  }
}

function warningsOf({ mistakes, warnings }: Inspected, file: string): readonly string[] {
  const left = mistakes.map(({ text, line }) => `${file}${line === undefined ? "" : `:${line}`}: ${text}`);
  return [...left, ...warnings];
}

/** Whether a mistake at a place, around it or in it, is gone. */
function isRepaired(path: SettingPath, before: readonly ConfigNote[], now: readonly ConfigNote[]): boolean {
  const left = new Set(now.map((note) => note.text));
  return before.some(
    ({ text, path: place = [] }) => !left.has(text) && (isWithin(place, path) || isAround(place, path)),
  );
}

function isAround(outer: readonly PropertyKey[], path: SettingPath): boolean {
  return isWithin(path, outer.map(String));
}

function isWithin(path: readonly PropertyKey[], outer: SettingPath): boolean {
  return outer.every((part, index) => String(path[index]) === String(part));
}

/** @throws UsageError when an index is beyond the end of its list, SettingInvalidError when a value has no place for others */
function assertPlace(
  settings: unknown,
  { path, key, file, option }: Record<"key" | "file" | "option", string> & { readonly path: SettingPath },
): void {
  let value = settings;
  for (const [depth, part] of path.entries()) {
    const outer = formatSettingKey(path.slice(0, depth));
    if (value !== undefined && !(typeof part === "number" ? Array.isArray(value) : isRecord(value))) {
      const kind = typeof part === "number" ? "a list" : "an object";
      const advice = `Remove it first: atomic config unset ${outer}${option}`;
      throw new SettingInvalidError(key, file, [`${outer}: the file has another value there than ${kind}. ${advice}`]);
    }
    if (typeof part === "number") assertIndex(Array.isArray(value) ? value.length : 0, { index: part, outer });
    // The cast is true: a list or an object.
    value = value === undefined ? undefined : (value as Record<string | number, unknown>)[part];
  }
}

function assertIndex(length: number, { index, outer }: { readonly index: number; readonly outer: string }): void {
  if (index <= length) return;
  const has = length === 0 ? "is empty" : `has ${length} element${length === 1 ? "" : "s"}`;
  throw new UsageError(
    `The list ${outer} ${has}, so nothing can be stored at [${index}]. To append an element, write ${outer}[${length}].`,
  );
}

/** What a text may stand for, the text itself first; and what is wrong with it, if it was meant as JSON. */
async function valuesOf(text: string): Promise<{ readonly values: readonly unknown[]; readonly problem?: string }> {
  try {
    const value: unknown = JSON.parse(text);
    return { values: [text, value] };
  } catch {
    if (!/^\s*[[{]/.test(text)) return { values: [text] };
  }
  try {
    // Comments and commas at the end are allowed here, too.
    return { values: [text, await parseJsonc(text, { noun: "value" })] };
  } catch (error) {
    const reason = messageOf(error);
    const isUnquoted = reason.includes("double quotes");
    const advice = isUnquoted ? " Put the JSON in single quotes, so that the shell leaves them in it." : "";
    return { values: [text], problem: `the value is not valid JSON: ${reason}${advice}` };
  }
}

async function readSettings(path: string): Promise<string> {
  try {
    const text = (await readSettingsText(path)).replace(/^\ufeff/, "");
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
