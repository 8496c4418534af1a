import { stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { type DiscoveryProblem, recordOf, recordsOf, stringOf } from "../../contracts/index.ts";
import { readBoundedFile } from "../../system/index.ts";
import { realPathOf } from "../real-path.ts";
import { describeUnreadable, isMissing } from "../unreadable-file.ts";
import { listPluginFolders } from "./claude-plugin-folders.ts";
import type { EntityLocation } from "./entity.ts";
import type { EntityFolder } from "./entity-folders.ts";
import { parseJsonObject } from "./parse-json-object.ts";

/** A plugin of Claude Code that is installed and not switched off. */
export interface ClaudePlugin {
  readonly name: string;
  readonly location: EntityLocation;
  /** Absolute, without a slash at the end. */
  readonly directory: string;
  /** Whether it is in a project that the user does not trust. */
  readonly isUntrusted: boolean;
  readonly folders: readonly EntityFolder[];
}

/** What {@link findClaudePlugins} found. */
export interface ClaudePlugins {
  readonly plugins: readonly ClaudePlugin[];
  readonly problems: readonly DiscoveryProblem[];
  /** The settings files that can switch plugins on and off. */
  readonly settings: readonly string[];
}

/** Where to look for plugins. */
export interface FindPluginsOptions {
  /** Claude Code's folder, `~/.claude`. */
  readonly configDirectory: string;
  readonly projectDirectory: string;
  /** Whether the user trusts the project. @default unknown */
  readonly isTrusted?: boolean | undefined;
}

/**
 * Lists the plugins in Claude Code's `plugins/installed_plugins.json`: those of the user, and of this project. A plugin
 * that `enabledPlugins` of the settings switches off is left out. Must not throw.
 */
export async function findClaudePlugins(options: FindPluginsOptions): Promise<ClaudePlugins> {
  const { configDirectory, projectDirectory, isTrusted } = options;
  const path = join(configDirectory, "plugins", "installed_plugins.json");
  const problems: DiscoveryProblem[] = [];
  const settings = [
    join(configDirectory, "settings.json"),
    join(projectDirectory, ".claude", "settings.json"),
    join(projectDirectory, ".claude", "settings.local.json"),
  ];
  const installed = recordOf((await readJson(path, problems))?.plugins);
  const switches = await Promise.all(settings.map((file) => readJson(file, problems, CORRECT_SETTINGS)));
  const [ofUser, ...ofProject] = switches.map((each) => recordOf(each?.enabledPlugins));
  const enabled = Object.assign({}, ofUser, ...ofProject.map((each) => (isTrusted === false ? onlyOff(each) : each)));
  for (const [index, each] of switches.entries()) {
    if (index > 0 && isTrusted === false) continue;
    problems.push(...notInstalled(settings[index] ?? "", recordOf(each?.enabledPlugins), installed));
  }
  const plugins: ClaudePlugin[] = [];
  const findEntry = createMarketplaces(configDirectory);
  for (const [id, installs] of Object.entries(installed)) {
    if (enabled[id] === false) continue;
    for (const install of recordsOf(installs)) {
      const location = locationOf(install, projectDirectory);
      if (stringOf(install.installPath) === "" || location === undefined) continue;
      const directory = resolve(stringOf(install.installPath));
      const isUntrusted = isTrusted === false && isOfProject(directory, options);
      if (!(await isFolder(directory))) {
        problems.push(missingFolder(id, directory));
        continue;
      }
      const entry = await findEntry(id);
      plugins.push(await readPlugin({ id, directory, location, isUntrusted, entry }, problems));
    }
  }
  return { plugins, problems, settings };
}

const CORRECT_SETTINGS = "Correct the file: for now, plugins that it switches off are used.";

/** Plugins that settings switch on, and that Claude Code has not installed here. */
function notInstalled(
  path: string,
  enabled: Readonly<Record<string, unknown>>,
  installed: Readonly<Record<string, unknown>>,
): readonly DiscoveryProblem[] {
  // Claude Code's own plugins need no installation.
  const missing = Object.keys(enabled).filter(
    (id) => enabled[id] === true && installed[id] === undefined && !id.endsWith("@builtin"),
  );
  return missing.map((id) => ({
    path,
    message: `The plugin "${id}" is switched on, but not installed`,
    remedy: "Install it with Claude Code, or switch it off.",
    severity: "warning",
  }));
}

function missingFolder(id: string, directory: string): DiscoveryProblem {
  const remedy = "Install the plugin again with Claude Code.";
  return { path: directory, message: `The folder of the plugin "${id}" does not exist`, remedy, severity: "error" };
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}

/** A project that nobody trusts can switch plugins off, but none on. */
function onlyOff(switches: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(switches).filter(([, isOn]) => isOn === false));
}

/** Nothing for the installation of another project. */
function locationOf(
  { scope, projectPath }: Readonly<Record<string, unknown>>,
  projectDirectory: string,
): EntityLocation | undefined {
  if (scope !== "project" && scope !== "local") return "user";
  return realPathOf(stringOf(projectPath)) === realPathOf(projectDirectory) ? "project" : undefined;
}

/** Claude Code's own folder is the user's, also where it is in the project. */
function isOfProject(directory: string, { projectDirectory, configDirectory }: FindPluginsOptions): boolean {
  const path = realPathOf(directory) + sep;
  const isIn = (folder: string): boolean => path.startsWith(realPathOf(folder) + sep);
  return isIn(projectDirectory) && !isIn(configDirectory);
}

interface InstalledPlugin extends Omit<ClaudePlugin, "name" | "folders"> {
  readonly id: string;
  /** In its marketplace. */
  readonly entry: Readonly<Record<string, unknown>>;
}

async function readPlugin(
  { id, directory, entry, ...place }: InstalledPlugin,
  problems: DiscoveryProblem[],
): Promise<ClaudePlugin> {
  const manifest = recordOf(await readJson(join(directory, ".claude-plugin", "plugin.json"), problems));
  const name = stringOf(manifest.name) || (id.split("@")[0] ?? id);
  return { ...place, name, directory, folders: await listPluginFolders({ directory, manifest, entry }, problems) };
}

/** What marketplaces say about plugins, by their ids: each file is read once. */
function createMarketplaces(configDirectory: string): (id: string) => Promise<Readonly<Record<string, unknown>>> {
  // A marketplace that was removed leaves its plugins as they are.
  const ignored: DiscoveryProblem[] = [];
  const known = readJson(join(configDirectory, "plugins", "known_marketplaces.json"), ignored);
  const files = new Map<string, Promise<Readonly<Record<string, unknown>> | undefined>>();
  return async (id) => {
    const at = id.lastIndexOf("@");
    const { installLocation } = recordOf(recordOf(await known)[id.slice(at + 1)]);
    const place = stringOf(installLocation);
    if (at <= 0 || place === "") return {};
    const path = place.endsWith(".json") ? place : join(place, ".claude-plugin", "marketplace.json");
    const file = files.get(path) ?? readJson(path, ignored);
    files.set(path, file);
    return recordsOf((await file)?.plugins).find(({ name }) => name === id.slice(0, at)) ?? {};
  };
}

/** Nothing for a file that does not exist, or is no JSON object. */
async function readJson(
  path: string,
  problems: DiscoveryProblem[],
  remedy = "Install the plugin again with Claude Code.",
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const parsed = parseJsonObject((await readBoundedFile(path)).replace(/^\ufeff/, ""));
    if (parsed.value === undefined) problems.push({ path, ...parsed.fault, remedy, severity: "error" });
    return parsed.value;
  } catch (error) {
    if (!isMissing(error)) problems.push(describeUnreadable(path, error, remedy));
    return undefined;
  }
}
