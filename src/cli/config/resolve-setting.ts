import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../contracts/index.ts";
import { type LoadedConfig, mergeConfigs } from "./config.ts";
import type { ConfigFile } from "./config-file.ts";
import { isSetting, type ListedSetting, listSettings } from "./list-settings.ts";
import type { SettingPath } from "./parse-setting-key.ts";
import { SETTING_VARIABLES } from "./read-environment-settings.ts";

/** Where the value of a setting comes from. */
export type SettingOrigin =
  | { readonly type: "user" | "project"; readonly path: string; readonly line: number }
  | { readonly type: "environment"; readonly variable: string }
  /** From both files; for example the permission rules of both apply. */
  | { readonly type: "merged"; readonly paths: readonly string[] }
  | { readonly type: "default" };

/** The value of a setting that is in effect. */
export interface ResolvedSetting {
  readonly path: SettingPath;
  readonly value: unknown;
  readonly origin: SettingOrigin;
}

/** The value at a place of the settings in effect, or of a setting's default; undefined if there is neither. Pure. */
export function resolveSetting(path: SettingPath, loaded: LoadedConfig): ResolvedSetting | undefined {
  const value = valueAt(mergeConfigs(loaded), path);
  if (value !== undefined) return { path, value, origin: originOf(path, value, loaded) };
  const standard = listedAt(path)?.default;
  return standard === undefined ? undefined : { path, value: standard, origin: { type: "default" } };
}

/** The setting that is listed for a place: `agents.NAME.model` for `agents.claude.model`. */
export function listedAt(path: SettingPath): ListedSetting | undefined {
  const key = path.map((part) => (typeof part === "number" ? "[]" : `.${part}`)).join("");
  const own = key.replace(/^\./, "");
  const shared = own.replace(/^agents\.[^.]+/, "agents.NAME");
  const all = listSettings();
  return all.find((one) => one.key === own) ?? all.find((one) => one.key === shared);
}

/** Every setting that has a value in some source, in the order of the files. Pure. */
export function listSetSettings(loaded: LoadedConfig): readonly ResolvedSetting[] {
  const { isSandboxOfProject: _, agentPath: __, ...values } = mergeConfigs(loaded);
  return pathsIn(values, []).flatMap((path) => resolveSetting(path, loaded) ?? []);
}

/** The value at a place; undefined if there is none. */
export function valueAt(settings: unknown, path: SettingPath): unknown {
  let value: unknown = settings;
  for (const part of path) {
    if (typeof part === "number") value = Array.isArray(value) ? value[part] : undefined;
    else value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

function pathsIn(value: unknown, path: readonly string[]): readonly SettingPath[] {
  if (!isRecord(value) || (path.length > 0 && isSetting(path))) return [path];
  return Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : pathsIn(inner, [...path, name])));
}

function originOf(path: SettingPath, value: unknown, loaded: LoadedConfig): SettingOrigin {
  const { user, project, environment, userFile, projectFile } = loaded;
  const variable = Object.entries(SETTING_VARIABLES).find(([, key]) => key === path.join("."))?.[0];
  if (variable !== undefined && valueAt(environment, path) !== undefined) return { type: "environment", variable };
  const [ofUser, ofProject] = [valueAt(user, path), valueAt(project, path)];
  const isUsers = ofUser !== undefined && (ofProject === undefined || isDeepStrictEqual(value, ofUser));
  const isProjects = ofProject !== undefined && (ofUser === undefined || isDeepStrictEqual(value, ofProject));
  const from = (type: "user" | "project", file: ConfigFile): SettingOrigin => ({
    type,
    path: file.path,
    line: file.lineOf(path),
  });
  if (isProjects && projectFile !== undefined) return from("project", projectFile);
  if (isUsers) return from("user", userFile);
  return { type: "merged", paths: [userFile.path, ...(projectFile === undefined ? [] : [projectFile.path])] };
}
