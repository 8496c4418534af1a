import { randomBytes } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { Json, JsonObject } from "../../contracts/index.ts";
import type { ClientOptions, EndpointModel, ModelEndpoint } from "../client-options.ts";
import { configHomeOf, isolatedHome } from "../isolated-home.ts";
import type { HookServer } from "./hook-server.ts";
import { PERMISSIONS } from "./opencode-rules.ts";

/** Settings of `createOpenCodeClient`. */
export interface OpenCodeOptions extends ClientOptions {
  /** OpenCode settings merged over everything that Atomic sets. Tools that they allow are asked for all the same. */
  readonly config?: JsonObject;
  /** A folder with a `node_modules` of its own, which `atomic install` fills; searched before the PATH. */
  readonly vendorDirectory?: string;
}

/** A model as OpenCode's interface names it. */
export interface OpenCodeModel {
  readonly providerID: string;
  readonly modelID: string;
}

/** The provider that stands for {@link ClientOptions.endpoint}. */
const ENDPOINT_PROVIDER = "atomic";

/** The provider packages that OpenCode brings along. */
const PROTOCOL_PACKAGES: Readonly<Record<ModelEndpoint["protocol"], string>> = {
  "openai-chat": "@ai-sdk/openai-compatible",
  "openai-responses": "@ai-sdk/openai",
  "anthropic-messages": "@ai-sdk/anthropic",
};

/** Switches of the user's with which tools would get past Atomic, or its plugin would not be loaded. */
const KEPT_IN_CHECK: Readonly<Record<string, string>> = {
  OPENCODE_PERMISSION: "",
  OPENCODE_PURE: "false",
  OPENCODE_EXPERIMENTAL_CODE_MODE: "false",
  OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "false",
  // Without it OpenCode offers the tool to its own programs only.
  OPENCODE_ENABLE_QUESTION_TOOL: "1",
};

/** Leaves out what other agents' programs and the project have set up. */
const WITHOUT_USER_SETTINGS: Readonly<Record<string, string>> = {
  OPENCODE_DISABLE_PROJECT_CONFIG: "true",
  OPENCODE_DISABLE_CLAUDE_CODE: "true",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "true",
};

/** A password that only this client and its server know. */
export function createServerPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** What only the start of a server knows. */
export interface OpenCodeServerDetails {
  readonly password: string;
  /** The file that {@link SERVER_PLUGIN} was written to. */
  readonly pluginPath: string;
  readonly hooks: Pick<HookServer, "url" | "token">;
  /** A folder that {@link prepareConfigHome} has prepared, in the place of the user's settings. */
  readonly configHome?: string | undefined;
}

/** The OpenCode settings of a server, as `OPENCODE_CONFIG_CONTENT` takes them. Pure. */
export function buildOpenCodeConfig(options: OpenCodeOptions, details: OpenCodeServerDetails): JsonObject {
  const { hooks, pluginPath } = details;
  const pluginOptions: JsonObject = { url: hooks.url, token: hooks.token, ...commandConfigHome(options, details) };
  const plugin = [[pathToFileURL(pluginPath).href, pluginOptions]];
  const own = { autoupdate: false, share: "disabled", permission: PERMISSIONS, plugin };
  const offline = options.homeDirectory === undefined ? {} : { lsp: false, formatter: false, snapshot: false };
  const model = resolveModel(options, options.model);
  const models = model === undefined ? {} : { model: `${model.providerID}/${model.modelID}` };
  const layers: readonly JsonObject[] = [
    options.userSettings === false ? {} : parseConfigContent(options.env.OPENCODE_CONFIG_CONTENT),
    { ...own, ...offline },
    options.endpoint === undefined ? {} : endpointConfig(options.endpoint),
    models,
    options.config ?? {},
  ];
  return layers.reduce(mergeJson, {});
}

/** The whole environment of the server's process. Pure. */
export function buildOpenCodeEnvironment(
  options: OpenCodeOptions,
  details: OpenCodeServerDetails,
): Readonly<Record<string, string>> {
  const { env, homeDirectory } = options;
  const noProxy = [env.NO_PROXY ?? env.no_proxy, "127.0.0.1"].filter(Boolean).join(",");
  const { OPENCODE_CONFIG: _file, OPENCODE_CONFIG_DIR: _folder, ...withoutFiles } = env;
  return {
    OPENCODE_CLIENT: "atomic",
    ...(details.configHome === undefined ? env : withoutFiles),
    ...(homeDirectory === undefined ? {} : { ...isolatedHome(homeDirectory), OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    ...withoutUserSettings(details.configHome),
    ...KEPT_IN_CHECK,
    // Atomic's own hooks and tools are served there.
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(buildOpenCodeConfig(options, details)),
    OPENCODE_SERVER_PASSWORD: details.password,
    OPENCODE_SERVER_USERNAME: "opencode",
  };
}

/** Reads `provider/model`, or the id of one of the endpoint's models; the endpoint's first one when none is named. */
export function resolveModel(options: OpenCodeOptions, name: string | undefined): OpenCodeModel | undefined {
  const { endpoint } = options;
  const wanted = name ?? endpoint?.models[0]?.id;
  if (wanted === undefined) return undefined;
  if (endpoint?.models.some((model) => model.id === wanted)) return { providerID: ENDPOINT_PROVIDER, modelID: wanted };
  const slash = wanted.indexOf("/");
  if (slash > 0) return { providerID: wanted.slice(0, slash), modelID: wanted.slice(slash + 1) };
  return endpoint === undefined ? undefined : { providerID: ENDPOINT_PROVIDER, modelID: wanted };
}

function endpointConfig(endpoint: ModelEndpoint): JsonObject {
  const models = Object.fromEntries(endpoint.models.map((model) => [model.id, endpointModel(model)]));
  const first = endpoint.models[0];
  return {
    enabled_providers: [ENDPOINT_PROVIDER],
    ...(first === undefined ? {} : { small_model: `${ENDPOINT_PROVIDER}/${first.id}` }),
    provider: {
      [ENDPOINT_PROVIDER]: {
        name: "Atomic",
        npm: PROTOCOL_PACKAGES[endpoint.protocol],
        options: { baseURL: endpoint.baseUrl, apiKey: endpoint.apiKey ?? "none" },
        models,
      },
    },
  };
}

function endpointModel(model: EndpointModel): JsonObject {
  return {
    name: model.id,
    tool_call: true,
    reasoning: true,
    attachment: true,
    modalities: { input: ["text", "image"], output: ["text"] },
    limit: { context: model.contextWindowTokens ?? 128_000, output: model.outputTokens ?? 16_384 },
    cost: { input: model.costPerMillionInputUsd ?? 0, output: model.costPerMillionOutputUsd ?? 0 },
  };
}

/** OpenCode looks for settings, and for those in a home folder, below an empty one; the login is elsewhere. */
function withoutUserSettings(configHome: string | undefined): Readonly<Record<string, string>> {
  if (configHome === undefined) return {};
  return { ...WITHOUT_USER_SETTINGS, XDG_CONFIG_HOME: configHome, OPENCODE_TEST_HOME: configHome };
}

/** Commands look for their settings where they always have. */
function commandConfigHome(
  { env, homeDirectory }: OpenCodeOptions,
  { configHome }: OpenCodeServerDetails,
): { readonly configHome?: string } {
  if (configHome === undefined) return {};
  const home = homeDirectory ?? env.HOME;
  if (homeDirectory === undefined && env.XDG_CONFIG_HOME !== undefined) return { configHome: env.XDG_CONFIG_HOME };
  return home === undefined ? {} : { configHome: configHomeOf(home) };
}

/** The settings the user already passes in the environment; unreadable ones are left to OpenCode's own files. */
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
