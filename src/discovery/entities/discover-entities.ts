import { dirname, join } from "node:path";
import { type DiscoveryProblem, messageOf } from "../../contracts/index.ts";
import { FileUnusableError, readBoundedBytes } from "../read-bounded-file.ts";
import { realPathOf } from "../real-path.ts";
import { type EntityLocation, type EntityType, PROVIDERS, type ProviderType, type UnifiedEntity } from "./entity.ts";
import { type EntityFolder, projectEntityFolders, type UserFolders, userEntityFolders } from "./entity-folders.ts";
import { createEntityRegistry, type EntityRegistry } from "./entity-registry.ts";
import { expandConfigText } from "./expand-config-text.ts";
import { type ClaudePlugin, findClaudePlugins } from "./find-claude-plugins.ts";
import { listDefinitionFiles } from "./list-definition-files.ts";
import { type DefinitionFile, parseDefinition } from "./parse-definition.ts";
import type { ParseYaml } from "./parse-frontmatter.ts";
import { parseOpenCodeConfig } from "./parse-opencode-config.ts";

/** Settings of {@link discoverEntities}. */
export interface DiscoverEntitiesOptions extends UserFolders {
  readonly projectDirectory: string;
  /** Whose definitions to read. @default all */
  readonly providers?: readonly ProviderType[];
  /** Whether the user trusts the project: only then may its OpenCode configuration name variables and files outside. @default false */
  readonly isTrusted?: boolean;
  /** What `{env:…}` in OpenCode's configuration names. @default none */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Entities that come with the program. @default none */
  readonly builtIn?: readonly UnifiedEntity[];
  /** Receives a line for each finding, for debugging. @default none */
  readonly onDebug?: (line: string) => void;
}

/** What {@link discoverEntities} found. */
export interface DiscoveredEntities {
  readonly registry: EntityRegistry;
  readonly problems: readonly DiscoveryProblem[];
}

/**
 * Finds the agents, skills, commands and instructions of a project and of the user, in the folders and formats of Claude
 * Code, OpenCode, Copilot and Atomic. A file that is broken is a problem and stops no other. Runs no code of the project.
 * Must not throw.
 *
 * @example
 * const { registry, problems } = await discoverEntities({ projectDirectory: process.cwd(), homeDirectory: homedir() });
 * registry.getCommand("git:commit")?.prompt;
 */
export async function discoverEntities(options: DiscoverEntitiesOptions): Promise<DiscoveredEntities> {
  const { providers = PROVIDERS, builtIn = [], onDebug = () => {} } = options;
  const parseYaml = await loadYaml();
  const sources = (await listSources(options)).filter(({ provider }) => providers.includes(provider));
  const read = await Promise.all(sources.map((source) => source.read(parseYaml)));
  const registry = createEntityRegistry();
  for (const entity of builtIn) registry.register(entity);
  // Of two from one place the newer one is used, and the foremost source comes first.
  for (const { entities } of read.toReversed()) for (const entity of entities.toReversed()) registry.register(entity);
  for (const provider of providers) onDebug(describeProvider(provider, registry));
  return { registry, problems: read.flatMap(({ problems }) => problems) };
}

/** Something that holds definitions of one provider. */
interface EntitySourcePlace {
  readonly provider: ProviderType;
  read(parseYaml: ParseYaml): Promise<ReadSource>;
}

interface ReadSource {
  readonly entities: readonly UnifiedEntity[];
  readonly problems: readonly DiscoveryProblem[];
}

/** All places, the foremost one first. */
async function listSources(options: DiscoverEntitiesOptions): Promise<readonly EntitySourcePlace[]> {
  const { projectDirectory, homeDirectory, claudeConfigDirectory = join(homeDirectory, ".claude") } = options;
  const userFolders = userEntityFolders(options);
  const isUsers = new Set(userFolders.map(({ path }) => realPathOf(path)));
  // In the home folder itself both are one and the same, and it is the user's.
  const projectFolders = projectEntityFolders(projectDirectory).filter(({ path }) => !isUsers.has(realPathOf(path)));
  const { plugins, problems } = await findClaudePlugins({ configDirectory: claudeConfigDirectory, projectDirectory });
  const projectRoots = [realPathOf(projectDirectory)];
  return [
    ...projectFolders.map((folder) => folderSource(folder, { location: "project", roots: projectRoots })),
    ...openCodeConfigs(options, "project"),
    ...instructionFiles(options, "project"),
    ...userFolders.map((folder) =>
      folderSource(folder, { location: "user", roots: [realPathOf(homeDirectory), realPathOf(folder.path)] }),
    ),
    ...openCodeConfigs(options, "user"),
    ...instructionFiles(options, "user"),
    ...plugins.flatMap(pluginSources),
    { provider: "claude", read: async () => ({ entities: [], problems }) },
  ];
}

function pluginSources({ name, location, directory, folders }: ClaudePlugin): readonly EntitySourcePlace[] {
  return folders.map((folder) => folderSource(folder, { location, roots: [realPathOf(directory)], plugin: name }));
}

interface FolderPlace {
  readonly location: EntityLocation;
  /** Where the files may really be. */
  readonly roots: readonly string[];
  readonly plugin?: string;
}

function folderSource(folder: EntityFolder, { location, roots, plugin }: FolderPlace): EntitySourcePlace {
  const { type, provider } = folder;
  return {
    provider,
    async read(parseYaml) {
      const listed = await listDefinitionFiles(folder, roots);
      const files = listed.files.map(({ path, name }) => ({
        type,
        path,
        name: plugin === undefined ? name : `${plugin}:${name}`,
        provider,
        location,
        ...(plugin === undefined ? {} : { plugin }),
      }));
      const read = await readAll(files, parseYaml);
      return { entities: read.entities, problems: [...listed.problems, ...read.problems] };
    },
  };
}

/** How many files are open at the same time. */
const MAX_OPEN_FILES = 32;

async function readAll(files: readonly DefinitionFile[], parseYaml: ParseYaml): Promise<ReadSource> {
  const entities: UnifiedEntity[] = [];
  const problems: DiscoveryProblem[] = [];
  for (let at = 0; at < files.length; at += MAX_OPEN_FILES) {
    const part = files.slice(at, at + MAX_OPEN_FILES);
    for (const read of await Promise.all(part.map((file) => readDefinition(file, parseYaml)))) {
      entities.push(...read.entities);
      problems.push(...read.problems);
    }
  }
  return { entities, problems };
}

async function readDefinition(file: DefinitionFile, parseYaml: ParseYaml): Promise<ReadSource> {
  try {
    const { entity, problems } = parseDefinition(file, decode(await readBoundedBytes(file.path)), parseYaml);
    return { entities: entity === undefined ? [] : [entity], problems };
  } catch (error) {
    return { entities: [], problems: isMissing(error) ? [] : [unreadable(file.path, error)] };
  }
}

/** Editors on Windows also write UTF-16. */
function decode(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString("utf16le") : bytes.toString("utf8");
}

function openCodeConfigs(options: DiscoverEntitiesOptions, location: EntityLocation): readonly EntitySourcePlace[] {
  const { projectDirectory, homeDirectory, xdgConfigDirectory = join(homeDirectory, ".config") } = options;
  const project = [projectDirectory, join(projectDirectory, ".opencode")];
  const user = [join(xdgConfigDirectory, "opencode"), join(homeDirectory, ".opencode")];
  const folders = location === "project" ? project : user;
  const names = ["opencode.jsonc", "opencode.json", ...(location === "user" ? ["config.json"] : [])];
  return folders.flatMap((folder) => names.map((name) => configSource(join(folder, name), { options, location })));
}

function configSource(
  path: string,
  { options, location }: { readonly options: DiscoverEntitiesOptions; readonly location: EntityLocation },
): EntitySourcePlace {
  const { projectDirectory, homeDirectory, isTrusted = false, env = {} } = options;
  const bounds = location === "project" && !isTrusted ? { onlyWithin: projectDirectory } : {};
  const expand = (text: string) => expandConfigText(text, { folder: dirname(path), homeDirectory, env, ...bounds });
  return {
    provider: "opencode",
    async read() {
      try {
        return await parseOpenCodeConfig(decode(await readBoundedBytes(path)), { path, location, expand });
      } catch (error) {
        return { entities: [], problems: isMissing(error) ? [] : [unreadable(path, error)] };
      }
    },
  };
}

/** Files with rules for a whole project, which their vendors read by themselves. */
function instructionFiles(options: DiscoverEntitiesOptions, location: EntityLocation): readonly EntitySourcePlace[] {
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
    async read(parseYaml) {
      const file: DefinitionFile = { type: "instructions", path, name: nameOfFile(path), provider, location };
      return await readDefinition(file, parseYaml);
    },
  }));
}

function nameOfFile(path: string): string {
  return (path.split("/").at(-1) ?? path).replace(/\.md$/, "");
}

/** The YAML parser of Bun, which is Claude Code's as well; elsewhere the package `yaml`. */
async function loadYaml(): Promise<ParseYaml> {
  if (typeof Bun !== "undefined") return (text) => Bun.YAML.parse(text);
  const { parse } = await import("yaml");
  return (text) => parse(text, { uniqueKeys: false, logLevel: "error" });
}

function describeProvider(provider: ProviderType, registry: EntityRegistry): string {
  const count = (type: EntityType): number =>
    registry.all(type).filter(({ source }) => source.provider === provider).length;
  const parts = [
    `${count("skill")} skills`,
    `${count("agent")} agents`,
    `${count("command")} commands`,
    `${count("instructions")} instructions`,
  ];
  const total = count("skill") + count("agent") + count("command") + count("instructions");
  return `[workflows] Registered ${total} entities from ${provider} (${parts.join(", ")})`;
}

function unreadable(path: string, error: unknown): DiscoveryProblem {
  const remedy = "Check that it is what its name says and that you may read it.";
  const message = error instanceof FileUnusableError ? `It ${error.reason}` : `It cannot be read: ${messageOf(error)}`;
  return { path, message, remedy, severity: "error" };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
