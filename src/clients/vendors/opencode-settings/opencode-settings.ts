import { pathToFileURL } from "node:url";
import type { Json, JsonObject } from "../../../contracts/index.ts";
import type { ClientOptions } from "../../options/client-options.ts";
import { configHomeOf, isolatedHome } from "../../process/isolated-home.ts";
import { noProxyForLoopback } from "../../process/no-proxy-for-loopback.ts";
import { PERMISSIONS } from "./asked-permissions.ts";
import { endpointConfig, resolveModel } from "./opencode-model.ts";
import type { PluginHooks } from "./opencode-plugin.ts";
import { type OpenCodeSecrets, WITHOUT_SECRETS } from "./opencode-secrets.ts";

/** What OpenCode's settings are made of. */
export interface OpenCodeSettingsOptions extends ClientOptions {
  /** OpenCode settings merged over everything that Atomic sets. Tools that they allow still require approval. */
  readonly config?: JsonObject;
}

/** Switches that would let tools bypass Atomic, or keep its plugin from being loaded. */
const KEPT_IN_CHECK: Readonly<Record<string, string>> = {
  OPENCODE_PERMISSION: "",
  OPENCODE_PURE: "false",
  OPENCODE_EXPERIMENTAL_CODE_MODE: "false",
  OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "false",
  OPENCODE_EXPERIMENTAL_NATIVE_LLM: "false",
  OPENCODE_EXPERIMENTAL_EVENT_SYSTEM: "false",
};

/** Leaves out the settings of other agents' programs. */
const WITHOUT_USER_SETTINGS: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_CLAUDE_CODE: "true",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "true",
};

/** With `endpoint`, OpenCode connects only to it: it fetches no list of models and no package. */
const OFFLINE: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  npm_config_offline: "true",
};

/** Settings in a project's `.git/config` that would run programs of its own when OpenCode asks `git` something. */
const HARMLESS_GIT: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
];

/** Over ACP nobody sees the questions of OpenCode and its sub-agents, so it would wait forever. */
const NOT_ASKED_OVER_ACP = { task: "deny", question: "deny" } as const;

/** What is known only when OpenCode is started. */
export interface OpenCodeStartDetails {
  readonly password: string;
  /** The file that the plugin was written to. */
  readonly pluginPath: string;
  /** The program that passes the secrets to OpenCode. */
  readonly preloadPath: string;
  /** A list of no models: reading its own one of thousands costs OpenCode seconds, and an endpoint uses none of them. */
  readonly modelsPath: string;
  /** How the plugin reaches Atomic. */
  readonly hooks: PluginHooks;
  /** Whether OpenCode is used over ACP. @default false */
  readonly isOverAcp?: boolean;
  /** A folder prepared by `prepareConfigHome`, in place of the user's settings. */
  readonly configHome?: string | undefined;
  /** The shell that runs commands: one whose syntax Atomic's policy knows. @default OpenCode's choice */
  readonly shell?: string | undefined;
}

/** OpenCode's settings, as `OPENCODE_CONFIG_CONTENT` takes them. Pure. */
export function buildOpenCodeConfig(options: OpenCodeSettingsOptions, details: OpenCodeStartDetails): JsonObject {
  const { hooks, pluginPath, isOverAcp = false, shell } = details;
  const pluginOptions: JsonObject = {
    url: hooks.url,
    token: hooks.token,
    childEnv: { ...childEnvironment(options), ...commandConfigHome(options, details) },
    readsInstructions: options.userSettings !== false && !readsProjectSettings(options),
    blocksProject: !readsProjectSettings(options),
  };
  const plugin = [[pathToFileURL(pluginPath).href, pluginOptions]];
  const permission = { ...PERMISSIONS, ...(isOverAcp ? NOT_ASKED_OVER_ACP : {}) };
  const own = { autoupdate: false, share: "disabled", permission, plugin, ...(shell === undefined ? {} : { shell }) };
  const model = resolveModel(options, options.model);
  const models = model === undefined ? {} : { model: `${model.providerID}/${model.modelID}` };
  const layers: readonly JsonObject[] = [
    options.userSettings === false ? {} : parseConfigContent(options.env.OPENCODE_CONFIG_CONTENT),
    own,
    // Language servers and formatters are programs of the project, or load its settings as code.
    readsProjectSettings(options) ? {} : { lsp: false, formatter: false },
    options.homeDirectory === undefined ? {} : { lsp: false, formatter: false, snapshot: false },
    options.endpoint === undefined ? {} : endpointConfig(options.endpoint),
    models,
    options.config ?? {},
  ];
  return layers.reduce(mergeJson, {});
}

/** What OpenCode needs to know and no other process may: see {@link OpenCodeSecrets}. Pure. */
export function buildOpenCodeSecrets(options: OpenCodeSettingsOptions, details: OpenCodeStartDetails): OpenCodeSecrets {
  return {
    OPENCODE_SERVER_PASSWORD: details.password,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(buildOpenCodeConfig(options, details)),
  };
}

/** The complete environment that OpenCode's process starts with. Pure. */
export function buildOpenCodeEnvironment(
  options: OpenCodeSettingsOptions,
  details: OpenCodeStartDetails,
): Readonly<Record<string, string>> {
  const { env, homeDirectory, endpoint } = options;
  const { OPENCODE_CONFIG_CONTENT: _content, OPENCODE_SERVER_PASSWORD: _password, ...own } = env;
  const { OPENCODE_CONFIG: _file, OPENCODE_CONFIG_DIR: _folder, ...withoutFiles } = own;
  return {
    OPENCODE_CLIENT: "atomic",
    ...(details.configHome === undefined ? own : withoutFiles),
    ...(homeDirectory === undefined ? {} : { ...isolatedHome(homeDirectory), OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    ...(endpoint === undefined ? {} : { ...OFFLINE, OPENCODE_MODELS_PATH: details.modelsPath }),
    ...(readsProjectSettings(options) ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: "true", ...harmlessGit(env) }),
    ...withoutUserSettings(details.configHome),
    ...KEPT_IN_CHECK,
    // Without it, OpenCode offers the tool only to its own programs.
    OPENCODE_ENABLE_QUESTION_TOOL: details.isOverAcp ? "false" : "1",
    ...noProxyForLoopback(env),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_SERVER_USERNAME: "opencode",
    BUN_INSPECT_PRELOAD: details.preloadPath,
  };
}

/** What overrides, for the programs that OpenCode starts, the variables that Atomic set for OpenCode alone. Pure. */
export function childEnvironment(options: OpenCodeSettingsOptions): Readonly<Record<string, string>> {
  const { env, endpoint } = options;
  return {
    ...WITHOUT_SECRETS,
    ...(endpoint === undefined ? {} : ownValues(env, ["npm_config_offline", "OPENCODE_MODELS_PATH"])),
    ...(readsProjectSettings(options) ? {} : { GIT_CONFIG_COUNT: env.GIT_CONFIG_COUNT ?? "" }),
  };
}

/** The user's values of some variables. Pure. */
function ownValues(env: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, env[name] ?? ""]));
}

function readsProjectSettings({ projectSettings = false, userSettings = true }: OpenCodeSettingsOptions): boolean {
  return projectSettings && userSettings;
}

/** Added to the `git` settings in the user's own environment. */
function harmlessGit(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const first = Number.parseInt(env.GIT_CONFIG_COUNT ?? "", 10) || 0;
  const pairs = HARMLESS_GIT.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(first + HARMLESS_GIT.length) };
}

/** OpenCode looks for settings, also those in a home folder, in an empty one; the login is elsewhere. */
function withoutUserSettings(configHome: string | undefined): Readonly<Record<string, string>> {
  if (configHome === undefined) return {};
  return { ...WITHOUT_USER_SETTINGS, XDG_CONFIG_HOME: configHome, OPENCODE_TEST_HOME: configHome };
}

/** Commands find their settings where they always do. */
function commandConfigHome(
  { env, homeDirectory }: OpenCodeSettingsOptions,
  { configHome }: OpenCodeStartDetails,
): { readonly XDG_CONFIG_HOME?: string } {
  if (configHome === undefined) return {};
  const home = homeDirectory ?? env.HOME;
  if (homeDirectory === undefined && env.XDG_CONFIG_HOME !== undefined) return { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME };
  return home === undefined ? {} : { XDG_CONFIG_HOME: configHomeOf(home) };
}

/** The settings that the user already passes in the environment; none if they cannot be parsed. */
function parseConfigContent(content: string | undefined): JsonObject {
  if (content === undefined) return {};
  try {
    const parsed: unknown = JSON.parse(content);
    // The text was JSON and its value is an object, so it is a JsonObject.
    return isObject(parsed as Json) ? (parsed as JsonObject) : {};
  } catch {
    return {};
  }
}

/** `right` over `left`, objects merged key by key, everything else replaced. */
function mergeJson(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = merged[key];
    merged[key] = mergeValues(before, value, key);
  }
  return merged;
}

function mergeValues(left: Json | undefined, right: Json, key: string): Json {
  if (left === undefined) return right;
  if (isObject(left) && isObject(right)) return mergeJson(left, right);
  // Plugins add up, as they do between OpenCode's own files.
  return key === "plugin" && Array.isArray(left) && Array.isArray(right) ? [...left, ...right] : right;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
