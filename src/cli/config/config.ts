import { availableParallelism } from "node:os";
import { type PermissionEffect, scriptLimitsFor } from "../../contracts/index.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { type ConfigFile, ConfigInvalidError, parseConfigFile, readConfigFile } from "./config-file.ts";
import type { ConfigValues } from "./config-schema.ts";
import { findUsersOwn } from "./find-users-own.ts";
import { mergeUiSettings } from "./merge-ui-settings.ts";
import { readEnvironmentSettings } from "./read-environment-settings.ts";

export { ConfigInvalidError } from "./config-file.ts";

/** The settings in effect: those of the user, overridden by a trusted project's, overridden by the environment. */
export type Config = ConfigValues & {
  /** Set when the project configures the sandbox and the user does not. */
  readonly isSandboxOfProject?: boolean;
  /** The file or the variable that sets the default agent. */
  readonly agentPath?: string;
};

/** Where settings come from; each overrides the one before it. */
export interface ConfigFolders {
  readonly atomicHome: string;
  /** `.atomic` of the project. Only of a trusted one, because settings decide what agents may do. */
  readonly trustedProjectFolder: string | undefined;
  /** The environment. @default no variable is set */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The settings of each source. */
export interface ConfigLayers {
  readonly user: Config;
  /** Empty without a trusted project. */
  readonly project: Config;
  /** Those of environment variables. @default none */
  readonly environment?: Config;
}

/** The layers with the files that they are from. */
export interface LoadedConfig extends ConfigLayers {
  readonly environment: Config;
  readonly userFile: ConfigFile;
  /** Undefined without a trusted project. */
  readonly projectFile?: ConfigFile;
  /** A line for each unknown key that was left out. */
  readonly warnings: readonly string[];
}

/** Loads the settings of each source separately. A missing file counts as empty. @throws ConfigInvalidError, UsageError */
export async function loadConfigLayers({
  atomicHome,
  trustedProjectFolder,
  env = {},
}: ConfigFolders): Promise<LoadedConfig> {
  const environment = readEnvironmentSettings(env);
  const userFile = await readConfigFile(atomicHome);
  const user = withAgentPath(userFile);
  if (trustedProjectFolder === undefined) {
    return { user, project: {}, environment, userFile, warnings: userFile.warnings };
  }
  const projectFile = await readProjectFile(trustedProjectFolder, user);
  const project = withAgentPath(projectFile);
  const warnings = [...userFile.warnings, ...projectFile.warnings];
  return { user, project, environment, userFile, projectFile, warnings };
}

/**
 * Reads the settings file of a project, and checks that it has none of the settings that only the user may have. Executes nothing,
 * so it can check a project that is not trusted.
 *
 * @param user the user's own settings
 * @throws ConfigInvalidError
 */
export async function readProjectFile(projectFolder: string, user: ConfigValues): Promise<ConfigFile> {
  const file = await readConfigFile(projectFolder);
  const problems = findUsersOwn(user, file.config);
  if (problems.length === 0) return file;
  const notes = problems.map(({ text, path }) => ({ text, line: file.lineOf(path) }));
  throw new ConfigInvalidError(file.path, notes);
}

function withAgentPath({ config, path }: ConfigFile): Config {
  return config.agent === undefined ? config : { ...config, agentPath: path };
}

/** The effective settings: the project's override the user's, the environment's override both. */
export function mergeConfigs({ user, project, environment = {} }: ConfigLayers): Config {
  const merged = mergeFiles({ user, project });
  const ui = mergeUiSettings(merged.ui, environment.ui);
  const agents = environment.model === undefined ? merged.agents : withoutModels(merged.agents);
  return { ...merged, ...environment, ...(agents && { agents }), ...(ui && { ui }) };
}

/** A model of the environment also overrides those of single agents. */
function withoutModels(agents: AgentSettings | undefined): AgentSettings | undefined {
  if (agents === undefined) return undefined;
  const rest = Object.entries(agents).map(([name, { model: _, ...settings } = {}]) => [name, settings]);
  // The cast is true: only an optional setting is left out.
  return Object.fromEntries(rest) as AgentSettings;
}

function mergeFiles({ user, project }: Pick<ConfigLayers, "user" | "project">): Config {
  const ui = mergeUiSettings(user.ui, project.ui);
  return {
    ...user,
    ...project,
    ...mergePermissions(user, project),
    ...mergeAgents(user, project),
    ...mergeSandbox(user),
    ...mergeLimits(user, project),
    ...mergeHooks(user, project),
    ...(user.notifications === undefined ? {} : { notifications: user.notifications }),
    ...(ui === undefined ? {} : { ui }),
    ...(user.sandbox === undefined && project.sandbox !== undefined ? { isSandboxOfProject: true } : {}),
  };
}

/** Merges each agent's settings key by key. */
function mergeAgents({ agents: user }: Config, { agents: project }: Config): Pick<Config, "agents"> {
  if (user === undefined || project === undefined) return {};
  const merged: Record<string, unknown> = { ...user };
  for (const [name, settings] of Object.entries(project)) merged[name] = { ...user[name], ...settings };
  // The cast is true: each value merges two settings of the same agent.
  return { agents: merged as AgentSettings };
}

/** A project can neither disable nor widen the sandbox that the user has set. */
function mergeSandbox({ sandbox }: Config): Pick<Config, "sandbox"> {
  return sandbox === undefined || sandbox === false ? {} : { sandbox };
}

/** A project can neither raise nor remove a limit. */
function mergeLimits({ limits: user }: Config, { limits: project }: Config): Pick<Config, "limits"> {
  const { maxConcurrency, maxAgents } = project?.scripts ?? {};
  const allowed = { ...scriptLimitsFor(availableParallelism()), ...user?.scripts };
  const scripts = {
    ...user?.scripts,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency: Math.min(maxConcurrency, allowed.maxConcurrency) }),
    ...(maxAgents === undefined ? {} : { maxAgents: Math.min(maxAgents, allowed.maxAgents) }),
  };
  const own = Object.keys(scripts).length === 0 ? {} : { scripts };
  return user === undefined && project === undefined ? {} : { limits: { ...user, ...own } };
}

const STRICTEST_HOOKS_FIRST: readonly NonNullable<Config["hooks"]>[] = ["off", "user", "project-and-user"];

/** A project cannot turn on what the user has turned off. */
function mergeHooks({ hooks: user }: Config, { hooks: project }: Config): Pick<Config, "hooks"> {
  const hooks = STRICTEST_HOOKS_FIRST.find((one) => one === user || one === project);
  return hooks === undefined ? {} : { hooks };
}

/** Joins the rules and protected files of both, with the stricter `otherwise`. */
function mergePermissions(user: Config, project: Config): Pick<Config, "permissions"> {
  if (user.permissions === undefined || project.permissions === undefined) return {};
  const rules = [...user.permissions.rules, ...project.permissions.rules];
  const protectedPaths = [user, project].flatMap(({ permissions }) => permissions?.protectedPaths ?? []);
  const both = protectedPaths.length === 0 ? {} : { protectedPaths };
  const otherwise = stricterEffect(user.permissions.otherwise, project.permissions.otherwise);
  return { permissions: { rules, ...(otherwise === undefined ? {} : { otherwise }), ...both } };
}

const STRICTEST_FIRST: readonly PermissionEffect[] = ["deny", "ask", "allow"];

/** The stricter of two effects; either may be absent. */
export function stricterEffect(one: PermissionEffect, other: PermissionEffect): PermissionEffect;
export function stricterEffect(
  one: PermissionEffect | undefined,
  other: PermissionEffect | undefined,
): PermissionEffect | undefined;
export function stricterEffect(
  one: PermissionEffect | undefined,
  other: PermissionEffect | undefined,
): PermissionEffect | undefined {
  return STRICTEST_FIRST.find((candidate) => candidate === one || candidate === other);
}

/** Parses a settings file; comments and trailing commas are allowed. @throws ConfigInvalidError */
export async function parseConfig(text: string, path: string): Promise<Config> {
  return (await parseConfigFile(text, path)).config;
}

/** The settings of one agent; undefined when the settings do not name it. */
export function settingsOf({ agents = {} }: Config, agent: string): AgentSettings[string] | undefined {
  return Object.hasOwn(agents, agent) ? agents[agent] : undefined;
}

/** The model of an agent when the call names none: the agent's own setting, or else the one for all. */
export function modelFor(config: Config, agent: string): string | undefined {
  return settingsOf(config, agent)?.model ?? config.model;
}
