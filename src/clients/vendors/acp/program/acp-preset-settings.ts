import path from "node:path";
import { type JsonObject, recordOf, stringOf } from "../../../../contracts/index.ts";
import type { ClientOptions, ModelEndpoint } from "../../../options/client-options.ts";
import { startHookServer } from "../../../process/hook-server.ts";
import { parseOpenCodeCall } from "../../opencode-settings/opencode-call.ts";
import { WITHOUT_SECRETS } from "../../opencode-settings/opencode-secrets.ts";
import { childEnvironment } from "../../opencode-settings/opencode-settings.ts";
import { PluginGates } from "../../opencode-settings/plugin-gates.ts";
import { prepareOpenCode } from "../../opencode-settings/prepare-opencode.ts";
import { claudeSettings } from "./acp-claude-settings.ts";
import { keyOf, withoutVersion } from "./acp-environment.ts";
import type { AcpCallDecider, AcpPreparedProcess, AcpPresetSettings } from "./acp-preparation.ts";
import type { AcpPresetName } from "./acp-presets.ts";

/** The name of {@link ClientOptions.endpoint} as a provider in Codex's settings. */
const ENDPOINT_PROVIDER = "atomic";

const NO_SETTINGS: AcpPresetSettings = { env: {}, args: [], secretNames: [] };

/**
 * Environment and arguments that make an agent use the endpoint, the home folder and the model of the options, avoid
 * other network access where possible, and send permission requests instead of trusting its own settings. Pure.
 */
export function buildPresetSettings(preset: AcpPresetName | undefined, options: ClientOptions): AcpPresetSettings {
  switch (preset) {
    case undefined:
      return NO_SETTINGS;
    case "gemini":
      return {
        env: { GEMINI_TELEMETRY_ENABLED: "false" },
        args: ["--approval-mode", "default", ...(options.model === undefined ? [] : ["--model", options.model])],
        secretNames: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      };
    case "codex":
      return codexSettings(options);
    case "goose":
      return gooseSettings(options);
    case "opencode":
      return openCodeSettings(options);
    case "copilot":
      return copilotSettings(options);
    case "claude":
      return claudeSettings(options);
  }
}

function codexSettings({ endpoint, homeDirectory, model }: ClientOptions): AcpPresetSettings {
  const home = homeDirectory === undefined ? undefined : path.join(homeDirectory, ".codex");
  const name = model ?? endpoint?.models[0]?.id;
  const provider = endpoint === undefined ? {} : codexProvider(endpoint);
  const config = { ...provider, ...(name === undefined ? {} : { model: name }), ...QUIET_CODEX };
  return {
    env: {
      CODEX_CONFIG: JSON.stringify(config),
      INITIAL_AGENT_MODE: "read-only",
      NO_BROWSER: "1",
      ...(home === undefined ? {} : { CODEX_HOME: home }),
      ...(endpoint === undefined ? {} : { MODEL_PROVIDER: ENDPOINT_PROVIDER, ATOMIC_ENDPOINT_KEY: keyOf(endpoint) }),
    },
    args: [],
    folders: home === undefined ? [] : [home],
    secretNames: ["CODEX_API_KEY", "OPENAI_API_KEY", "ATOMIC_ENDPOINT_KEY"],
  };
}

/** Keeps Codex from any network access other than its model. */
const QUIET_CODEX: JsonObject = { features: { plugins: false, apps: false }, analytics: { enabled: false } };

function codexProvider({ baseUrl }: ModelEndpoint): JsonObject {
  const provider = { name: "Atomic", base_url: baseUrl, wire_api: "responses", env_key: "ATOMIC_ENDPOINT_KEY" };
  return { model_provider: ENDPOINT_PROVIDER, model_providers: { [ENDPOINT_PROVIDER]: provider } };
}

/** The keys of the providers that Goose knows. */
const GOOSE_KEYS: readonly string[] = [
  ..."ANTHROPIC AZURE_OPENAI GOOGLE GROQ MISTRAL OPENAI OPENROUTER XAI".split(" ").map((name) => `${name}_API_KEY`),
  "DATABRICKS_TOKEN",
];

function gooseSettings({ endpoint, model }: ClientOptions): AcpPresetSettings {
  const name = model ?? endpoint?.models[0]?.id;
  const provider = endpoint === undefined ? {} : gooseProvider(endpoint);
  return {
    env: {
      GOOSE_MODE: "approve",
      GOOSE_TELEMETRY_OFF: "1",
      ...(name === undefined ? {} : { GOOSE_MODEL: name }),
      ...provider,
    },
    args: [],
    secretNames: GOOSE_KEYS,
  };
}

function gooseProvider(endpoint: ModelEndpoint): Readonly<Record<string, string>> {
  const host = withoutVersion(endpoint.baseUrl);
  if (endpoint.protocol === "anthropic-messages") {
    return { GOOSE_PROVIDER: "anthropic", ANTHROPIC_HOST: host, ANTHROPIC_API_KEY: keyOf(endpoint) };
  }
  const basePath = endpoint.protocol === "openai-chat" ? "v1/chat/completions" : "v1/responses";
  return { GOOSE_PROVIDER: "openai", OPENAI_HOST: host, OPENAI_BASE_PATH: basePath, OPENAI_API_KEY: keyOf(endpoint) };
}

function openCodeSettings(options: ClientOptions): AcpPresetSettings {
  return {
    env: {},
    args: [],
    secretNames: Object.keys(WITHOUT_SECRETS),
    mcpServerEnv: childEnvironment(options),
    prepare: (decide) => prepareOpenCodeProcess(options, decide),
  };
}

async function prepareOpenCodeProcess(options: ClientOptions, decide: AcpCallDecider): Promise<AcpPreparedProcess> {
  const gates = new PluginGates("opencode");
  const hooks = await startHookServer({
    hello: async (body) => gates.add(stringOf(recordOf(body).directory)),
    tool: async (body) => decide(parseOpenCodeCall(body)),
    message: async () => undefined,
  });
  try {
    const prepared = await prepareOpenCode(options, { hooks, isOverAcp: true });
    const { env, workingDirectory, readable, writable, remove } = prepared;
    return {
      env,
      workingDirectory,
      readable,
      writable,
      ports: [Number(new URL(hooks.url).port)],
      requireGate: (directory) => gates.require(path.resolve(directory)),
      release: async () => void (await Promise.all([hooks.stop(), remove()])),
    };
  } catch (error) {
    await hooks.stop();
    throw error;
  }
}

function copilotSettings({ endpoint, model, homeDirectory }: ClientOptions): AcpPresetSettings {
  const name = model ?? endpoint?.models[0]?.id;
  const isAnthropic = endpoint?.protocol === "anthropic-messages";
  const wireApi = endpoint?.protocol === "openai-responses" ? "responses" : "completions";
  return {
    env: {
      COPILOT_AUTO_UPDATE: "false",
      ...(homeDirectory === undefined ? {} : { COPILOT_HOME: path.join(homeDirectory, ".copilot") }),
      ...(name === undefined ? {} : { COPILOT_MODEL: name }),
      ...(endpoint === undefined
        ? {}
        : {
            COPILOT_OFFLINE: "true",
            COPILOT_PROVIDER_BASE_URL: endpoint.baseUrl,
            COPILOT_PROVIDER_TYPE: isAnthropic ? "anthropic" : "openai",
            COPILOT_PROVIDER_API_KEY: keyOf(endpoint),
            ...(isAnthropic ? {} : { COPILOT_PROVIDER_WIRE_API: wireApi }),
          }),
    },
    args: [],
    secretNames: ["COPILOT_PROVIDER_API_KEY", "COPILOT_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"],
  };
}
