import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { realPathOf } from "../real-path.ts";
import { describeUnreadable, isMissing } from "../unreadable-file.ts";
import { type EntityLocation, PROVIDERS, type ProviderType, type UnifiedEntity } from "./entity.ts";
import { type EntityFolder, projectEntityFolders, skillFolder, userEntityFolders } from "./entity-folders.ts";
import type { EntityPlace, EntityPlacesOptions, ReadPlace } from "./entity-place.ts";
import { type ClaudePlugin, type FindPluginsOptions, findClaudePlugins } from "./find-claude-plugins.ts";
import { listDefinitionFiles } from "./list-definition-files.ts";
import { inOpenCodeOrder, openCodeConfigs } from "./opencode-places.ts";
import { listSkillPaths, type SkillPath } from "./opencode-skill-paths.ts";
import { type DefinitionFile, type ParsedDefinition, parseDefinition, unusableDefinition } from "./parse-definition.ts";
import type { ParseYaml } from "./parse-frontmatter.ts";
import type { UnusableEntity } from "./parse-opencode-config.ts";
import { directoriesAboveProject, projectDirectoriesOf } from "./project-directories.ts";
import { readText } from "./read-text.ts";

/** All places of a project and of the user, the one with the highest precedence first. Must not throw. */
export async function listEntityPlaces(options: EntityPlacesOptions): Promise<readonly EntityPlace[]> {
  const { projectDirectory, homeDirectory, claudeConfigDirectory = join(homeDirectory, ".claude") } = options;
  const { providers = PROVIDERS, isTrusted } = options;
  const isUntrusted = isTrusted === false;
  const userFolders = userEntityFolders(options);
  const isUsers = new Set(userFolders.map(({ path }) => realPathOf(path)));
  // In the home folder itself both are the same folder, and it is the user's.
  const projectFolders = projectDirectoriesOf(options)
    .flatMap((base) => projectEntityFolders(base).map((folder) => ({ folder, base })))
    .filter(({ folder }) => !isUsers.has(realPathOf(folder.path)));
  const plugins = await listPluginPlaces({ configDirectory: claudeConfigDirectory, projectDirectory, isTrusted });
  const configs = [...openCodeConfigs(options, "project"), ...openCodeConfigs(options, "user")];
  const skillPlaces = (await listSkillPaths(configs, options)).map((path) => skillPathPlace(path, options));
  const isOf = (location: EntityLocation) => (place: EntityPlace) => place.location === location;
  const places = [
    ...projectFolders.map(({ folder, base }) => {
      const within = relative(projectDirectory, base);
      return folderPlace(folder, { location: "project", roots: [realPathOf(projectDirectory)], within, isUntrusted });
    }),
    ...[...configs, ...skillPlaces].filter(isOf("project")),
    ...instructionFiles(options, "project"),
    ...userFolders.map((folder) =>
      folderPlace(folder, { location: "user", roots: [realPathOf(homeDirectory), realPathOf(folder.path)] }),
    ),
    ...[...configs, ...skillPlaces].filter(isOf("user")),
    ...instructionFiles(options, "user"),
    ...plugins,
    ...directoriesAboveProject(projectDirectory, homeDirectory).flatMap((above) =>
      unreadPlaces(above, projectDirectory),
    ),
  ];
  const used = places.filter(({ provider }) => providers.includes(provider));
  const ordered = inOpenCodeOrder(
    used.filter(({ provider }) => provider === "opencode"),
    options,
  );
  const orders = new Map(ordered.map((place, order) => [place, order]));
  return used.map((place) => {
    const order = orders.get(place);
    return order === undefined ? place : { ...place, order };
  });
}

function skillPathPlace({ path, config, fault }: SkillPath, { isTrusted }: EntityPlacesOptions): EntityPlace {
  const { location } = config;
  const isUntrusted = location === "project" && isTrusted === false;
  const folder = skillFolder("opencode", path);
  const place = folderPlace(folder, { location, roots: [realPathOf(path)], isUntrusted });
  if (fault === undefined) return place;
  const problem = { path: config.path, ...fault, severity: "warning" } as const;
  return { ...place, kind: "file", read: async () => ({ entities: [], problems: [problem] }) };
}

/** The YAML parser of Bun, which is also Claude Code's; on Node the package `yaml`. */
export async function loadYamlParser(): Promise<ParseYaml> {
  if (typeof Bun !== "undefined") return (text) => Bun.YAML.parse(text);
  const { parse } = await import("yaml");
  return (text) => parse(text, { uniqueKeys: false, logLevel: "error" });
}

/** The folders of the installed plugins, and the files that decide which ones these are; their problems are known already. */
async function listPluginPlaces(options: FindPluginsOptions): Promise<readonly EntityPlace[]> {
  const { configDirectory } = options;
  const { plugins, problems, settings } = await findClaudePlugins(options);
  // These files define nothing themselves, but a change of one can change all the others.
  const deciding = [join(configDirectory, "plugins", "installed_plugins.json"), ...settings].map(
    (path, index): EntityPlace => ({
      provider: "claude",
      location: "user",
      types: ["agent", "skill", "command"],
      path,
      kind: "file",
      roots: [],
      read: async () => ({ entities: [], problems: index === 0 ? problems : [] }),
    }),
  );
  return [...plugins.flatMap(pluginPlaces), ...deciding];
}

function pluginPlaces({ name, location, directory, isUntrusted, folders }: ClaudePlugin): readonly EntityPlace[] {
  return folders.map((folder) =>
    folderPlace(folder, { location, roots: [realPathOf(directory)], plugin: { name, directory }, isUntrusted }),
  );
}

interface FolderSettings {
  readonly location: EntityLocation;
  /** Where the files may really be. */
  readonly roots: readonly string[];
  /** The folder of the project that has it, relative to the root; empty for the root. @default the root */
  readonly within?: string;
  readonly plugin?: Pick<ClaudePlugin, "name" | "directory">;
  readonly isUntrusted?: boolean;
}

function folderPlace(
  folder: EntityFolder,
  { location, roots, within = "", plugin, isUntrusted = false }: FolderSettings,
): EntityPlace {
  const { type, provider, path } = folder;
  return {
    provider,
    location,
    types: [type],
    path,
    kind: "folder",
    roots,
    async read(parseYaml) {
      const listed = await listDefinitionFiles(folder, roots);
      const files = listed.files.map((file) => ({
        type,
        path: file.path,
        name: plugin === undefined ? file.name : `${plugin.name}:${file.name}`,
        provider,
        location,
        ...(within === "" ? {} : { folder: within }),
        ...(plugin === undefined ? {} : { plugin: plugin.name, pluginDirectory: plugin.directory }),
        isUntrusted,
      }));
      const read = await readAll(path, files, parseYaml);
      return { ...read, problems: [...listed.problems, ...read.problems, ...repeatedNames(read.entities)] };
    },
  };
}

/** Folders of vendors above the project, of which the user hears that they are not read. */
function unreadPlaces(above: string, project: string): readonly EntityPlace[] {
  return projectEntityFolders(above)
    .filter(({ type, path }) => type !== "instructions" && existsSync(path))
    .map((folder): EntityPlace => {
      const message = `It is not read, because it is outside of the project ${project}, which has a folder .atomic of its own`;
      const remedy = "Move it into the project, or that .atomic to the root of the repository.";
      const problem = { path: folder.path, message, remedy, severity: "warning" } as const;
      const place = folderPlace(folder, { location: "project", roots: [] });
      return { ...place, kind: "file", read: async () => ({ entities: [], problems: [problem] }) };
    });
}

/** Of two definitions with one name in a folder, the first one is used. */
function repeatedNames(entities: readonly UnifiedEntity[]): readonly DiscoveryProblem[] {
  const paths = new Map<string, string>();
  return entities.flatMap(({ type, name, source: { path = "" } }): readonly DiscoveryProblem[] => {
    const first = paths.get(name.toLowerCase());
    if (first === undefined) {
      paths.set(name.toLowerCase(), path);
      return [];
    }
    const message = `The ${type} "${name}" is also defined in ${first}, which is used`;
    return [{ path, message, remedy: "Rename or remove one of them.", severity: "warning" }];
  });
}

/** How many files are open at the same time. */
const MAX_OPEN_FILES = 32;

/** The most files of one folder, and the most text in them, in characters: no person has more. */
const MAX_FILES = 5_000;
const MAX_TEXT_LENGTH = 32 * 1_048_576;

async function readAll(folder: string, files: readonly DefinitionFile[], parseYaml: ParseYaml): Promise<ReadPlace> {
  const entities: UnifiedEntity[] = [];
  const changes: UnifiedEntity[] = [];
  const unusable: UnusableEntity[] = [];
  const problems: DiscoveryProblem[] = [];
  let textLength = 0;
  for (let at = 0; at < files.length; at += MAX_OPEN_FILES) {
    if (at >= MAX_FILES || textLength > MAX_TEXT_LENGTH) {
      const message = `It has too many definitions, or too long ones: ${files.length - at} of ${files.length} were not read`;
      problems.push({ path: folder, message, remedy: "Remove those that nobody uses.", severity: "error" });
      break;
    }
    const part = files.slice(at, at + MAX_OPEN_FILES);
    for (const read of await Promise.all(part.map((file) => readDefinition(file, parseYaml)))) {
      entities.push(...read.entities);
      changes.push(...(read.changes ?? []));
      unusable.push(...(read.unusable ?? []));
      problems.push(...read.problems);
      for (const { prompt } of read.entities) textLength += prompt.length;
    }
  }
  return { entities, changes, unusable, problems };
}

async function readDefinition(file: DefinitionFile, parseYaml: ParseYaml): Promise<ReadPlace> {
  const { entity, change, unusable, problems } = await parseFile(file, parseYaml);
  const reason = problems.find(({ severity }) => severity === "error");
  return {
    entities: entity === undefined ? [] : [entity],
    changes: change === undefined ? [] : [change],
    unusable: unusable === undefined || reason === undefined ? [] : [{ entity: unusable, problem: reason }],
    problems,
  };
}

async function parseFile(file: DefinitionFile, parseYaml: ParseYaml): Promise<ParsedDefinition> {
  try {
    const { text, problems } = await readText(file.path);
    const parsed = parseDefinition(file, text, parseYaml);
    return { ...parsed, problems: [...problems, ...parsed.problems] };
  } catch (error) {
    return isMissing(error) ? { problems: [] } : unusableDefinition(file, describeUnreadable(file.path, error));
  }
}

/** Files with rules for a whole project, which their vendors read themselves. */
function instructionFiles(options: EntityPlacesOptions, location: "project" | "user"): readonly EntityPlace[] {
  const { projectDirectory, homeDirectory, claudeConfigDirectory = join(homeDirectory, ".claude") } = options;
  const { xdgConfigDirectory = join(homeDirectory, ".config") } = options;
  const files: readonly (readonly [ProviderType, string])[] =
    location === "project"
      ? [
          ["claude", join(projectDirectory, "CLAUDE.md")],
          ["opencode", join(projectDirectory, "AGENTS.md")],
          ["copilot", join(projectDirectory, ".github", "copilot-instructions.md")],
        ]
      : [
          ["claude", join(claudeConfigDirectory, "CLAUDE.md")],
          ["opencode", join(xdgConfigDirectory, "opencode", "AGENTS.md")],
          ["copilot", join(homeDirectory, ".copilot", "copilot-instructions.md")],
        ];
  return files.map(([provider, path]) => ({
    provider,
    location,
    types: ["instructions"],
    path,
    kind: "file",
    roots: [],
    async read(parseYaml) {
      const file: DefinitionFile = { type: "instructions", path, name: nameOfFile(path), provider, location };
      return await readDefinition(file, parseYaml);
    },
  }));
}

function nameOfFile(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.md$/, "");
}
