import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Json, JsonObject } from "../../contracts/index.ts";
import type { ClientOptions, EndpointModel, ModelEndpoint } from "../client-options.ts";

/** Settings of `createOpenCodeClient`. */
export interface OpenCodeOptions extends ClientOptions {
  /** OpenCode settings merged over everything that Atomic sets, permissions included. */
  readonly config?: JsonObject;
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

/**
 * What OpenCode asks Atomic about. Each name is spelled out because a name wins over `*`, so that `*` alone would leave
 * the user's own `"bash": "allow"` in force, past the policy. The allowed ones change nothing outside the conversation.
 */
const PERMISSIONS: Readonly<Record<string, "ask" | "allow">> = {
  "*": "ask",
  read: "ask",
  edit: "ask",
  glob: "ask",
  grep: "ask",
  list: "ask",
  bash: "ask",
  task: "ask",
  external_directory: "ask",
  webfetch: "ask",
  websearch: "ask",
  codesearch: "ask",
  doom_loop: "ask",
  lsp: "allow",
  question: "allow",
  skill: "allow",
  todoread: "allow",
  todowrite: "allow",
};

/** The same as rules of a session; they come last and so win over what an agent of the user's allows itself. */
export const SESSION_PERMISSIONS: readonly {
  readonly permission: string;
  readonly pattern: string;
  readonly action: "ask" | "allow";
}[] = Object.entries(PERMISSIONS).map(([permission, action]) => ({ permission, pattern: "*", action }));

function namesAllowedByDefault(): readonly string[] {
  return Object.keys(PERMISSIONS).filter((name) => PERMISSIONS[name] === "allow");
}

/** A password that only this client and its server know. */
export function createServerPassword(): string {
  return randomBytes(24).toString("base64url");
}

/** What only the start of a server knows. */
export interface OpenCodeServerSecrets {
  readonly password: string;
  /** The file that {@link SERVER_PLUGIN} was written to. */
  readonly pluginPath: string;
}

/**
 * A plugin that runs inside OpenCode and does what settings cannot:
 *
 * 1. It turns what the user's own agents allow themselves into questions, for those agents' permissions win over all
 *    settings of Atomic's. What they forbid stays forbidden.
 * 2. It takes the server's password, and the keys in its settings, out of the environment of the commands that the agent
 *    runs: with the password a command could answer the agent's own questions.
 */
export const SERVER_PLUGIN = `const quiet = new Set(${JSON.stringify(namesAllowedByDefault())});
const restrict = (value) => {
  if (value === "allow") return "ask";
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, quiet.has(name) ? item : restrict(item)]));
};
export const Atomic = async () => ({
  config: async (config) => {
    for (const agent of [...Object.values(config.agent ?? {}), ...Object.values(config.mode ?? {})]) {
      if (agent?.permission !== undefined) agent.permission = restrict(agent.permission);
    }
  },
  "shell.env": async (_input, output) => {
    output.env.OPENCODE_SERVER_PASSWORD = "";
    output.env.OPENCODE_CONFIG_CONTENT = "";
  },
});
`;

/** The OpenCode settings of a server, as `OPENCODE_CONFIG_CONTENT` takes them. Pure. */
export function buildOpenCodeConfig(
  options: OpenCodeOptions,
  { pluginPath }: Pick<OpenCodeServerSecrets, "pluginPath">,
): JsonObject {
  const plugin = [pathToFileURL(pluginPath).href];
  const own = { autoupdate: false, share: "disabled", permission: PERMISSIONS, plugin };
  const offline = options.homeDirectory === undefined ? {} : { lsp: false, formatter: false, snapshot: false };
  const model = resolveModel(options, options.model);
  const models = model === undefined ? {} : { model: `${model.providerID}/${model.modelID}` };
  const layers: readonly JsonObject[] = [
    parseConfigContent(options.env.OPENCODE_CONFIG_CONTENT),
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
  secrets: OpenCodeServerSecrets,
): Readonly<Record<string, string>> {
  const { env, homeDirectory } = options;
  return {
    OPENCODE_CLIENT: "atomic",
    ...env,
    ...(homeDirectory === undefined ? {} : isolatedEnvironment(homeDirectory)),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(buildOpenCodeConfig(options, secrets)),
    OPENCODE_SERVER_PASSWORD: secrets.password,
    OPENCODE_SERVER_USERNAME: "opencode",
  };
}

/**
 * Writes into a home folder what keeps OpenCode from installing its plugin package in the background: a settings folder
 * that looks as if that had been done. Idempotent.
 */
export async function prepareHomeDirectory(homeDirectory: string): Promise<void> {
  const folder = path.join(configHome(homeDirectory), "opencode");
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  const manifest = { dependencies: { "@opencode-ai/plugin": "*" } };
  const lock = { lockfileVersion: 3, packages: { "": manifest } };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "package-lock.json"), JSON.stringify(lock));
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
    limit: { context: model.contextWindowTokens ?? 128_000, output: model.outputTokens ?? 16_384 },
    cost: { input: model.costPerMillionInputUsd ?? 0, output: model.costPerMillionOutputUsd ?? 0 },
  };
}

function isolatedEnvironment(homeDirectory: string): Readonly<Record<string, string>> {
  return {
    HOME: homeDirectory,
    USERPROFILE: homeDirectory,
    XDG_CONFIG_HOME: configHome(homeDirectory),
    XDG_DATA_HOME: path.join(homeDirectory, ".local", "share"),
    XDG_CACHE_HOME: path.join(homeDirectory, ".cache"),
    XDG_STATE_HOME: path.join(homeDirectory, ".local", "state"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  };
}

function configHome(homeDirectory: string): string {
  return path.join(homeDirectory, ".config");
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
