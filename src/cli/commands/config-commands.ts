import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AtomicError } from "../../contracts/index.ts";
import { realPathOf } from "../../discovery/trust-kit.ts";
import { formatTable, safeText, visibleLine } from "../../view/index.ts";
import { assertProject } from "../assert-project.ts";
import { runEditor } from "../chat/edit-text.ts";
import {
  type ChangedSetting,
  findInFile,
  type SettingsTarget,
  setSetting,
  unsetSetting,
} from "../config/change-setting.ts";
import { type Config, ConfigInvalidError, type LoadedConfig, mergeConfigs } from "../config/config.ts";
import { type ConfigFile, findConfigFile, readConfigFile } from "../config/config-file.ts";
import { configSchema } from "../config/config-schema.ts";
import { createConfigSchema } from "../config/create-config-schema.ts";
import { hideSecrets } from "../config/hide-secrets.ts";
import { findUnknownNames } from "../config/known-names.ts";
import { listSettings } from "../config/list-settings.ts";
import { formatSettingKey, parseSettingKey, type SettingPath } from "../config/parse-setting-key.ts";
import {
  listedAt,
  listSetSettings,
  type ResolvedSetting,
  resolveSetting,
  type SettingOrigin,
} from "../config/resolve-setting.ts";
import { UsageError } from "../config/usage-error.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatJson } from "../output/format-json.ts";
import { tableColumns } from "../output/terminal.ts";
import { ProjectPlace } from "../project-place.ts";
import { promptStreams } from "../prompts/prompt-streams.ts";
import { selectAnswer } from "../prompts/select-answer.ts";

/** Options of every command of `atomic config`. */
export interface ConfigFlags {
  /** Only the user's file. */
  readonly user?: boolean;
  /** Only the project's file. */
  readonly project?: boolean;
  readonly json?: boolean;
}

/** Nothing sets the setting, and it has no default. */
export class SettingNotSetError extends AtomicError {
  constructor(
    readonly key: string,
    flags: ConfigFlags,
    where: string = whereOf(flags),
  ) {
    const call = `atomic config set ${key} VALUE${flags.project ? " --project" : ""}`;
    super("SETTING_NOT_SET", `The setting ${key} is not set${where}. Set it with: ${call}`);
  }
}

/** `atomic config get KEY`: the value in effect; with `--origin`, also where it is from. @throws SettingNotSetError */
export async function getConfigCommand(
  environment: CliEnvironment,
  key: string,
  flags: ConfigFlags & { readonly origin?: boolean },
): Promise<ExitCode> {
  const path = parseSettingKey(key);
  const place = new ProjectPlace(environment);
  const found = await findSetting(path, place, flags);
  if (found === undefined) throw new SettingNotSetError(key, flags);
  const { origin } = found;
  const value = hideSecrets(found.value, { schema: configSchema, path });
  const flag = listedAt(path)?.flag;
  const json = { key: formatSettingKey(path), value, origin, ...(flag !== undefined && { flag }) };
  const text = `${formatValue(value)}${flags.origin ? `\t${formatOrigin(origin)}` : ""}`;
  print(environment, flags, { json, text });
  return ExitCode.done;
}

/** `atomic config list`: every setting that is set; with `--all`, also the others with their defaults. */
export async function listConfigCommand(
  environment: CliEnvironment,
  flags: ConfigFlags & { readonly all?: boolean },
): Promise<ExitCode> {
  const place = new ProjectPlace(environment);
  const loaded = await place.loadConfigLayers(place.projectDirectory);
  const set = listSetSettings(onlyFrom(loaded, flags)).map((one) => ({
    ...one,
    value: hideSecrets(one.value, { schema: configSchema, path: one.path }),
  }));
  const shown = flags.all ? [...set, ...listUnset(set)] : set;
  const json = shown.map(({ path, value, origin }) => ({ key: formatSettingKey(path), value, origin }));
  const rows = shown.map(({ path, value, origin }) => [
    formatSettingKey(path),
    // Before the columns are aligned.
    value === undefined ? defaultText(path) : environment.redactor.text(formatValue(value)),
    formatOrigin(origin),
  ]);
  const text =
    rows.length === 0
      ? `Nothing is set${whereOf(flags)}. See all settings: atomic config list --all`
      : formatTable(["SETTING", "VALUE", "FROM"], rows, { columns: tableColumns(environment.stdout) });
  print(environment, flags, { json, text });
  return ExitCode.done;
}

/** `atomic config set KEY VALUE`: stores a setting in the user's file, or with `--project` in the project's. */
export async function setConfigCommand(
  environment: CliEnvironment,
  { key, value }: { readonly key: string; readonly value: string },
  flags: ConfigFlags,
): Promise<ExitCode> {
  const path = parseSettingKey(key);
  const place = new ProjectPlace(environment);
  const changed = await setSetting(path, value, await targetOf(environment, place, flags));
  return await reportChange(environment, { path, changed, place, flags });
}

/** `atomic config unset KEY`: removes a setting from the user's file, or with `--project` from the project's. */
export async function unsetConfigCommand(
  environment: CliEnvironment,
  key: string,
  flags: ConfigFlags,
): Promise<ExitCode> {
  const place = new ProjectPlace(environment);
  const target = await targetOf(environment, place, flags);
  const path = await findInFile(key, target);
  if (path === undefined) {
    // Of a misspelt key, the error has the nearest name.
    const known = formatSettingKey(parseSettingKey(key));
    throw new SettingNotSetError(known, flags, ` in ${findConfigFile(target.folder)}`);
  }
  const changed = await unsetSetting(path, target);
  return await reportChange(environment, { path, changed, place, flags });
}

/** `atomic config edit`: opens the file in the user's editor until it has no mistakes. @throws ConfigInvalidError */
export async function editConfigCommand(environment: CliEnvironment, flags: ConfigFlags): Promise<ExitCode> {
  const place = new ProjectPlace(environment);
  const path = findConfigFile(folderOf(environment, place, flags));
  if (!environment.isInteractive) {
    throw new UsageError(`The editor needs a terminal. Edit ${path}, or use: atomic config set KEY VALUE`);
  }
  await createFile(path);
  const { env, workingDirectory } = environment;
  const own = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim() || "vi";
  do await runEditor(editor, path, { env: own, workingDirectory });
  while (await mustEditAgain(environment, { place, flags }));
  await noteTrust(environment, { place, flags });
  print(environment, flags, { json: { path }, text: `${visibleLine(path)} has no mistakes.` });
  return ExitCode.done;
}

/**
 * Checks an edited file, and asks about mistakes whether the editor shall open it again. The file stays as it was written.
 * @throws ConfigInvalidError when nobody wants to correct it now
 */
async function mustEditAgain(
  environment: CliEnvironment,
  { place, flags }: { readonly place: ProjectPlace; readonly flags: ConfigFlags },
): Promise<boolean> {
  try {
    if (flags.project !== true) await readConfigFile(place.atomicHome);
    const loaded = await place.loadConfigLayers(place.projectDirectory);
    const untrusted = flags.project ? await place.readUntrustedFile(place.projectDirectory) : undefined;
    place.reportWarnings([
      ...(untrusted?.warnings ?? []),
      ...namesUnknownTo(loaded, untrusted ?? (flags.project ? loaded.projectFile : loaded.userFile)),
    ]);
    return false;
  } catch (error) {
    if (!(error instanceof ConfigInvalidError)) throw error;
    const answer = await selectAnswer({
      streams: promptStreams(environment),
      message: `${error.message}\nOpen the editor again?`,
      options: [{ label: "Yes" }, { label: "No, leave the file as it is" }],
      safe: 1,
    });
    if (answer === 0) return true;
    throw error;
  }
}

/** A line for each agent or theme that a file names and that does not exist. */
function namesUnknownTo(loaded: LoadedConfig, file: ConfigFile | undefined): readonly string[] {
  if (file === undefined) return [];
  const { user, project } = loaded;
  const inEffect = mergeConfigs({ user, project: file === loaded.userFile ? project : file.config });
  const { problems, warnings } = findUnknownNames(file.config, inEffect);
  return [...problems, ...warnings].map(({ text, path = [] }) => `${file.path}:${file.lineOf(path)}: ${text}`);
}

/** `atomic config path`: the path of the user's file, or with `--project` of the project's. */
export async function configPathCommand(environment: CliEnvironment, flags: ConfigFlags): Promise<ExitCode> {
  const place = new ProjectPlace(environment);
  folderOf(environment, place, flags);
  const [user, project] = [findConfigFile(place.atomicHome), findConfigFile(join(place.projectDirectory, ".atomic"))];
  const isTrusted = await place.trust.isTrusted(place.projectDirectory);
  const json = {
    user: { path: user, exists: existsSync(user) },
    project: { path: project, exists: existsSync(project), isTrusted },
  };
  print(environment, flags, { json, text: flags.project ? project : user });
  return ExitCode.done;
}

/** `atomic config schema`: the JSON Schema of a settings file. */
export function configSchemaCommand(environment: CliEnvironment): ExitCode {
  environment.stdout.write(`${JSON.stringify(createConfigSchema(), undefined, 2)}\n`);
  return ExitCode.done;
}

async function findSetting(
  path: SettingPath,
  place: ProjectPlace,
  flags: ConfigFlags,
): Promise<ResolvedSetting | undefined> {
  const loaded = await place.loadConfigLayers(place.projectDirectory);
  const found = resolveSetting(path, onlyFrom(loaded, flags));
  const isOne = flags.user === true || flags.project === true;
  return isOne && found?.origin.type === "default" ? undefined : found;
}

/** Without the sources that the flags exclude. */
function onlyFrom(loaded: LoadedConfig, { user, project }: ConfigFlags): LoadedConfig {
  if (user && project) throw new UsageError("--user and --project name two files. Omit one of them.");
  if (user) return { ...loaded, project: {}, environment: {} };
  return project ? { ...loaded, user: {}, environment: {} } : loaded;
}

function whereOf({ user, project }: ConfigFlags): string {
  if (user) return " in your own settings";
  return project ? " in the settings of this project, or the project is not trusted" : "";
}

/** The settings that no source sets. Those of each agent and of each element of a list have no place of their own. */
function listUnset(set: readonly ResolvedSetting[]): readonly ResolvedSetting[] {
  const known = set.map(({ path }) => formatSettingKey(path));
  return listSettings()
    .filter(({ key }) => !key.startsWith("$") && !key.includes("[]") && !known.includes(key))
    .map((listed) => ({ path: listed.key.split("."), value: listed.default, origin: { type: "default" } }));
}

function defaultText(path: SettingPath): string {
  return `(${listedAt(path)?.defaultText ?? "required"})`;
}

/** @throws UsageError, ProjectTooWideError where no project can be */
function folderOf({ userHomeDirectory }: CliEnvironment, place: ProjectPlace, { user, project }: ConfigFlags): string {
  if (user && project) throw new UsageError("--user and --project name two files. Omit one of them.");
  if (!project) return place.atomicHome;
  const remedy = "Change to the folder of a project, or omit --project: then it is about your own settings.";
  assertProject(place, { userHomeDirectory, remedy });
  return join(place.projectDirectory, ".atomic");
}

async function targetOf(environment: CliEnvironment, place: ProjectPlace, flags: ConfigFlags): Promise<SettingsTarget> {
  const { atomicHome, projectDirectory } = place;
  const target = { folder: folderOf(environment, place, flags), atomicHome };
  if (flags.project !== true) return { ...target, others: await projectSettings(place) };
  const user = (await readConfigFile(atomicHome)).config;
  return { ...target, others: user, project: { directory: projectDirectory, user } };
}

/** Those of a trusted project, whose agents and themes the user's file may name. Its mistakes are no matter of the user's file. */
async function projectSettings({ trust, projectDirectory, atomicHome }: ProjectPlace): Promise<Config> {
  const folder = join(projectDirectory, ".atomic");
  if (realPathOf(folder) === realPathOf(atomicHome) || !(await trust.isTrusted(projectDirectory))) return {};
  try {
    return (await readConfigFile(folder)).config;
  } catch (error) {
    if (error instanceof ConfigInvalidError) return {};
    throw error;
  }
}

interface Change {
  readonly path: SettingPath;
  readonly changed: ChangedSetting;
  readonly place: ProjectPlace;
  readonly flags: ConfigFlags;
}

async function reportChange(environment: CliEnvironment, { path, changed, place, flags }: Change): Promise<ExitCode> {
  const key = formatSettingKey(path);
  const file = visibleLine(changed.path);
  const shown = hideSecrets(changed.value, { schema: configSchema, path });
  const value = changed.value === undefined ? "" : ` = ${formatValue(shown)}`;
  const what = changed.value === undefined ? `Removed ${key} from ${file}` : `${key}${value} in ${file}`;
  place.reportWarnings(changed.warnings);
  await noteTrust(environment, { place, flags });
  const json = { key, ...(changed.value !== undefined && { value: shown }), path: changed.path };
  print(environment, flags, { json: { ...json, isChanged: changed.isChanged }, text: what });
  return ExitCode.done;
}

/** What the user has just changed here is no change to report later. An untrusted project's settings have no effect. */
async function noteTrust(
  { stderr }: CliEnvironment,
  { place, flags }: { readonly place: ProjectPlace; readonly flags: ConfigFlags },
): Promise<void> {
  if (flags.project !== true || flags.json === true) return;
  if (await place.trust.isTrusted(place.projectDirectory)) await place.trust.takeChangedFiles(place.projectDirectory);
  else stderr.write("note: this project is not trusted, so its settings have no effect: atomic trust add\n");
}

async function createFile(path: string): Promise<void> {
  if (existsSync(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, "{\n}\n", { flag: "wx", mode: 0o600 });
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Where a value is from, in words. */
function formatOrigin(origin: SettingOrigin): string {
  switch (origin.type) {
    case "user":
    case "project":
      return `${origin.path}:${origin.line}`;
    case "environment":
      return `the variable ${origin.variable}`;
    case "merged":
      return origin.paths.join(" and ");
    case "default":
      return "default";
  }
}

/** Known secrets, such as the keys of endpoints, are left out. A value is printed as it is to programs only. */
function print(
  { stdout, redactor }: CliEnvironment,
  { json: isJson }: ConfigFlags,
  { json, text }: { readonly json: unknown; readonly text: string },
): void {
  const shown = stdout.isTTY ? safeText(text) : text;
  stdout.write(`${redactor.text(isJson ? formatJson(json) : shown)}\n`);
}
