import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { AtomicError, messageOf, type PermissionEffect, scriptLimitsFor } from "../../contracts/index.ts";
import { FileUnusableError, readBoundedFile } from "../../discovery/trust-kit.ts";
import type { AgentSettings } from "./agent-settings.ts";
import type { configSchema } from "./config-schema.ts";
import { mergeUiSettings } from "./merge-ui-settings.ts";
import { parseJsonc } from "./parse-jsonc.ts";

/** The user's settings: `config.json` in the Atomic folder, overridden by a trusted project's. */
export type Config = z.infer<typeof configSchema> & {
  /** Set when the project configures the sandbox and the user does not. */
  readonly isSandboxOfProject?: boolean;
  /** The file that sets the default agent. */
  readonly agentPath?: string;
};

/** A settings file cannot be used. */
export class ConfigInvalidError extends AtomicError {
  constructor(
    readonly path: string,
    readonly problems: readonly string[],
    options?: { readonly cause?: unknown },
  ) {
    super(
      "CONFIG_INVALID",
      `The settings in ${path} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join("\n")}\nCorrect the file.`,
      options,
    );
  }
}

/** Folders that may contain a `config.json`; the second overrides the first. */
export interface ConfigFolders {
  readonly atomicHome: string;
  /** `.atomic` of the project. Only of a trusted one, because settings decide what agents may do. */
  readonly trustedProjectFolder: string | undefined;
}

/** The settings of each source. */
export interface ConfigLayers {
  readonly user: Config;
  /** Empty without a trusted project. */
  readonly project: Config;
}

/** Loads the settings files separately. A missing file counts as empty. @throws ConfigInvalidError */
export async function loadConfigLayers({ atomicHome, trustedProjectFolder }: ConfigFolders): Promise<ConfigLayers> {
  const user = await readConfig(join(atomicHome, "config.json"));
  if (trustedProjectFolder === undefined) return { user, project: {} };
  const path = join(trustedProjectFolder, "config.json");
  const project = await readConfig(path);
  const problems = [
    ...findUngated(user, project),
    ...findMachineLimit(project),
    ...findNotifications(project),
    ...findStatusLine(project),
  ];
  if (problems.length > 0) throw new ConfigInvalidError(path, problems);
  return { user, project };
}

/** The effective settings: the project's override the user's. */
export function mergeConfigs({ user, project }: ConfigLayers): Config {
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

/** The settings that decide which program an agent is. */
const PROGRAM_SETTINGS = ["command", "preset", "args"] as const;

/** No project may decide which agent runs without the gate, not even a trusted one. */
function findUngated({ agents: user = {} }: Config, { agents: project = {} }: Config): readonly string[] {
  return Object.entries(project).flatMap(([name, settings = {}]) => {
    if ("ungated" in settings) return [`agents.${name}.ungated: only your own settings may set this`];
    const own = Object.hasOwn(user, name) ? user[name] : undefined;
    if (own === undefined || !("ungated" in own) || own.ungated !== true) return [];
    return PROGRAM_SETTINGS.filter((key) => key in settings).map(
      (key) => `agents.${name}.${key}: your own settings let this agent run ungated, so only they may set this`,
    );
  });
}

/** All projects share the machine. */
function findMachineLimit({ limits }: Config): readonly string[] {
  if (limits?.maxAgentsOnMachine === undefined) return [];
  return ["limits.maxAgentsOnMachine: it applies to all projects, so only your own settings may set this"];
}

/** A project must not make Atomic send anything, nor start a program on the desktop. */
function findNotifications({ notifications = {} }: Config): readonly string[] {
  return Object.keys(notifications).map(
    (key) => `notifications.${key}: it decides what Atomic sends to whom, so only your own settings may set this`,
  );
}

/** A project must not start a program whenever the chat is open. */
function findStatusLine({ ui }: Config): readonly string[] {
  if (ui?.statusLine === undefined) return [];
  return ["ui.statusLine: it starts a program, so only your own settings may set this"];
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

async function readConfig(path: string): Promise<Config> {
  let text: string;
  try {
    text = await readBoundedFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    const problem = error instanceof FileUnusableError ? `It ${error.reason}.` : messageOf(error);
    throw new ConfigInvalidError(path, [problem], { cause: error });
  }
  const config = await parseConfig(text, path);
  return config.agent === undefined ? config : { ...config, agentPath: path };
}

/** Parses a settings file; comments and trailing commas are allowed. @throws ConfigInvalidError */
export async function parseConfig(text: string, path: string): Promise<Config> {
  let value: unknown;
  try {
    value = await parseJsonc(text);
  } catch (error) {
    throw new ConfigInvalidError(path, [messageOf(error)], { cause: error });
  }
  // Loaded here because most calls find no settings file.
  const { checkConfig } = await import("./config-schema.ts");
  const checked = checkConfig(value);
  if (checked.type === "valid") return checked.config;
  throw new ConfigInvalidError(path, checked.problems, { cause: checked.cause });
}

/** The settings of one agent; undefined when the settings do not name it. */
export function settingsOf({ agents = {} }: Config, agent: string): AgentSettings[string] | undefined {
  return Object.hasOwn(agents, agent) ? agents[agent] : undefined;
}

/** The model of an agent when the call names none: the agent's own setting, or else the one for all. */
export function modelFor(config: Config, agent: string): string | undefined {
  return settingsOf(config, agent)?.model ?? config.model;
}
