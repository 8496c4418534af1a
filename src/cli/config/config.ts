import { join } from "node:path";
import { z } from "zod";
import {
  AtomicError,
  impossibilitiesOf,
  messageOf,
  PERMISSION_EFFECTS,
  type PermissionEffect,
  TOOL_KINDS,
} from "../../contracts/index.ts";
import { FileUnusableError, readBoundedFile } from "../../discovery/index.ts";
import { type AgentSettings, agentSettingsSchema } from "./agent-settings.ts";
import { describeConfigIssue } from "./describe-config-issue.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import { sandboxSchema } from "./sandbox-schema.ts";

const toolKind = z.enum(TOOL_KINDS);
const effect = z.enum(PERMISSION_EFFECTS);

const permissionPolicySchema = z.strictObject({
  rules: z
    .array(
      z
        .strictObject({
          effect,
          tools: z.array(toolKind).exactOptional(),
          paths: z.array(z.string()).exactOptional(),
          commands: z.array(z.string()).exactOptional(),
        })
        .superRefine((rule, context) => {
          for (const message of impossibilitiesOf(rule)) context.addIssue({ code: "custom", message });
        }),
    )
    .default([]),
  otherwise: effect.exactOptional(),
  /** Globs of further files whose changes require approval, like those of the built-in list. */
  protectedPaths: z.array(z.string().min(1)).exactOptional(),
});

const configSchema = z.strictObject({
  /** The agent where a call names none. */
  agent: z.string().min(1).exactOptional(),
  model: z.string().min(1).exactOptional(),
  models: z
    .strictObject({
      /** Models to go on with, one after the other, when the provider of the one before keeps failing. */
      fallback: z.array(z.string().min(1)).exactOptional(),
    })
    .exactOptional(),
  permissions: permissionPolicySchema.exactOptional(),
  /** Runs all agents in a sandbox, with these limits or, for `true`, the usual ones. */
  sandbox: sandboxSchema.exactOptional(),
  agents: agentSettingsSchema.exactOptional(),
});

/** The user's settings: `config.json` in the Atomic folder, a trusted project's laid over it. */
export type Config = z.infer<typeof configSchema> & {
  /** Set where the project has decided about the sandbox, and the user has not. */
  readonly isSandboxOfProject?: boolean;
  /** The file that says which agent works where a call names none. */
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

/** Folders that may hold a `config.json`, the weaker first. */
export interface ConfigFolders {
  readonly atomicHome: string;
  /** `.atomic` of the project; only for a project the user trusts, since settings decide what agents may do. */
  readonly trustedProjectFolder: string | undefined;
}

/** Whose settings say what. */
export interface ConfigLayers {
  readonly user: Config;
  /** Empty without a trusted project. */
  readonly project: Config;
}

/** Reads the settings, each file for itself. A missing file is an empty one. @throws ConfigInvalidError */
export async function loadConfigLayers({ atomicHome, trustedProjectFolder }: ConfigFolders): Promise<ConfigLayers> {
  const user = await readConfig(join(atomicHome, "config.json"));
  if (trustedProjectFolder === undefined) return { user, project: {} };
  const path = join(trustedProjectFolder, "config.json");
  const project = await readConfig(path);
  const problems = findUngated(user, project);
  if (problems.length > 0) throw new ConfigInvalidError(path, problems);
  return { user, project };
}

/** The settings that hold: the project's laid over the user's. */
export function mergeConfigs({ user, project }: ConfigLayers): Config {
  return {
    ...user,
    ...project,
    ...mergePermissions(user, project),
    ...mergeAgents(user, project),
    ...mergeSandbox(user),
    ...(user.sandbox === undefined && project.sandbox !== undefined ? { isSandboxOfProject: true } : {}),
  };
}

/** Whatever decides which program an agent is. */
const PROGRAM_SETTINGS = ["command", "preset", "args"] as const;

/** Which agent runs without the gate is nothing that a project may decide, not even one that is trusted. */
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

/** A setting of an agent that only one of them has, holds. */
function mergeAgents({ agents: user }: Config, { agents: project }: Config): Pick<Config, "agents"> {
  if (user === undefined || project === undefined) return {};
  const merged: Record<string, unknown> = { ...user };
  for (const [name, settings] of Object.entries(project)) merged[name] = { ...user[name], ...settings };
  // Each value is one of the user's or the project's with settings of the same agent laid over it.
  return { agents: merged as AgentSettings };
}

/** A project cannot take away, or widen, the sandbox that the user wants everywhere. */
function mergeSandbox({ sandbox }: Config): Pick<Config, "sandbox"> {
  return sandbox === undefined || sandbox === false ? {} : { sandbox };
}

/** Rules and protected files of both hold, and the stricter `otherwise`. */
function mergePermissions(user: Config, project: Config): Pick<Config, "permissions"> {
  if (user.permissions === undefined || project.permissions === undefined) return {};
  const rules = [...user.permissions.rules, ...project.permissions.rules];
  const protectedPaths = [user, project].flatMap(({ permissions }) => permissions?.protectedPaths ?? []);
  const both = protectedPaths.length === 0 ? {} : { protectedPaths };
  const otherwise = stricterEffect(user.permissions.otherwise, project.permissions.otherwise);
  return { permissions: { rules, ...(otherwise === undefined ? {} : { otherwise }), ...both } };
}

const STRICTEST_FIRST: readonly PermissionEffect[] = ["deny", "ask", "allow"];

/** The stricter of two effects, of which either may be absent. */
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
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) =>
    describeConfigIssue(issue, { schema: configSchema, settings: value }),
  );
  throw new ConfigInvalidError(path, problems, { cause: parsed.error });
}

/** What is set about one agent; nothing about one that the settings do not name. */
export function settingsOf({ agents = {} }: Config, agent: string): AgentSettings[string] | undefined {
  return Object.hasOwn(agents, agent) ? agents[agent] : undefined;
}

/** The model of an agent where the call names none: the agent's own setting, else the one for all. */
export function modelFor(config: Config, agent: string): string | undefined {
  return settingsOf(config, agent)?.model ?? config.model;
}
