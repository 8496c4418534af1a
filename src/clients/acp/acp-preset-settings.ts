import path from "node:path";
import {
  type JsonObject,
  MAX_TIMER_MS,
  recordOf,
  type SessionConfig,
  stringOf,
  type ToolVerdict,
} from "../../contracts/index.ts";
import type { ClaudeGuard } from "../claude-settings/claude-guard.ts";
import { openClaudeHooks } from "../claude-settings/claude-hooks.ts";
import {
  configDirectoryOf,
  needsInstructions,
  restrictiveSettings,
  settingSourcesOf,
  WITHOUT_HOOKS,
} from "../claude-settings/claude-restrictions.ts";
import { TOOLS_BEYOND_THE_TURN } from "../claude-settings/claude-tools.ts";
import { canWriteOneTimeKey, OneTimeKeys } from "../claude-settings/one-time-keys.ts";
import { SettingsFile } from "../claude-settings/settings-file.ts";
import type { ClientOptions, ModelEndpoint } from "../client-options.ts";
import { isolatedHome } from "../isolated-home.ts";
import { noProxyForLoopback } from "../no-proxy-for-loopback.ts";
import { type OpenCodeCall, parseOpenCodeCall } from "../opencode-settings/opencode-call.ts";
import { WITHOUT_SECRETS } from "../opencode-settings/opencode-secrets.ts";
import { childEnvironment } from "../opencode-settings/opencode-settings.ts";
import { PluginGates } from "../opencode-settings/plugin-gates.ts";
import { prepareOpenCode } from "../opencode-settings/prepare-opencode.ts";
import { startHookServer } from "../process/hook-server.ts";
import { CLAUDE_INSTRUCTIONS, loadProjectInstructions } from "../project-instructions.ts";
import type { AcpPresetName } from "./acp-presets.ts";

/** What a preset makes of a client's options. */
export interface AcpPresetSettings {
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Added to the arguments. */
  readonly args: readonly string[];
  /** Folders that must exist before the agent is started. */
  readonly folders?: readonly string[];
  /** Makes ready what each session of an agent has for itself. @default nothing */
  readonly openSession?: (session: AcpSessionPlan) => Promise<AcpPreparedSession>;
  /** The folder that the agent's process starts in. @default the client's working directory */
  readonly startFolder?: string;
  /** The method that the agent is told to authenticate with. An option of the client's of this name goes first. */
  readonly authMethod?: string;
  /** Names in the environment that hold keys: the commands that Atomic runs for the agent do not get them. */
  readonly secretNames: readonly string[];
  /** What the MCP servers that the agent starts for a session find in their environment in the place of its own. @default nothing */
  readonly mcpServerEnv?: Readonly<Record<string, string>>;
  /** Makes ready what each process of the agent has for itself. @default nothing */
  readonly prepare?: (decide: AcpCallDecider) => Promise<AcpPreparedProcess>;
}

/** A session that is about to be opened. */
export interface AcpSessionPlan {
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  /** Decides about the session's tool calls, once it is opened. */
  readonly guard: () => ClaudeGuard | undefined;
}

/** What was made ready for one session. */
export interface AcpPreparedSession {
  /** What is sent as `_meta` with a request that opens it; made anew for each. */
  readonly meta: () => Promise<JsonObject>;
  /** What the agent is told in addition to its system prompt; empty when that is nothing. */
  readonly instructions: string;
  /** Takes everything away again. Idempotent. */
  close(): Promise<void>;
}

/** Decides about a tool call of a session before it happens. */
export type AcpCallDecider = (call: OpenCodeCall) => Promise<ToolVerdict>;

/** What was made ready for one process. */
export interface AcpPreparedProcess {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** Where it is started. */
  readonly workingDirectory: string;
  /** Rejects unless the process has Atomic decide about each tool call in a folder that was opened. */
  requireGate(directory: string): Promise<void>;
  /** What the process reads, and what it may change, in a sandbox. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** The ports of this machine that it calls. */
  readonly ports: readonly number[];
  /** Takes everything away again, when the process has ended. Idempotent. */
  release(): Promise<void>;
}

/** The provider that stands for {@link ClientOptions.endpoint} in Codex's settings. */
const ENDPOINT_PROVIDER = "atomic";

const NO_SETTINGS: AcpPresetSettings = { env: {}, args: [], secretNames: [] };
const NO_KEY = "none";

/**
 * Environment and arguments with which an agent uses the endpoint, the home folder and the model of the options, stays
 * off the network where it can, and asks about tools instead of trusting its own settings. Pure.
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

/** The whole environment of a process of the agent's that nothing was prepared for. Pure. */
export function buildAcpEnvironment(
  { env, homeDirectory }: ClientOptions,
  settings: AcpPresetSettings,
): Readonly<Record<string, string>> {
  const home = homeDirectory === undefined ? {} : isolatedHome(homeDirectory);
  return { ...env, ...home, ...noProxyForLoopback(env), ...settings.env };
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

/** Keeps Codex off the network besides its model. */
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

function claudeSettings(options: ClientOptions): AcpPresetSettings {
  const { endpoint, model, homeDirectory, workingDirectory } = options;
  const name = model ?? endpoint?.models[0]?.id;
  return {
    env: {
      ...QUIET_TURNS,
      ...(homeDirectory === undefined ? {} : { CLAUDE_CONFIG_DIR: path.join(homeDirectory, ".claude") }),
      ...(homeDirectory === undefined && endpoint === undefined ? {} : QUIET_CLAUDE),
      ...(name === undefined ? {} : { ANTHROPIC_MODEL: name, ANTHROPIC_CUSTOM_MODEL_OPTION: name }),
      ...(endpoint === undefined
        ? {}
        : {
            ANTHROPIC_BASE_URL: withoutVersion(endpoint.baseUrl),
            ...(canWriteOneTimeKey()
              ? { ANTHROPIC_API_KEY: "", CLAUDE_CODE_API_KEY_HELPER_TTL_MS: String(MAX_TIMER_MS) }
              : { ANTHROPIC_API_KEY: keyOf(endpoint) }),
            // Other models than Anthropic's do not know how to search for tools.
            ENABLE_TOOL_SEARCH: "false",
          }),
    },
    args: [],
    // It is told the folder of each session; what lies in the project must not act on its own start.
    startFolder: path.parse(workingDirectory).root,
    // Without a gateway in the request it changes nothing, but the adapter no longer starts Claude Code once more at every
    // prompt (0.4 s of CPU) to find out who is signed in: with an endpoint nobody is.
    ...(endpoint === undefined ? {} : { authMethod: "gateway" }),
    openSession: (plan) => openClaudeSession(options, plan),
    secretNames: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  };
}

/** Everything that Claude Code gets from its own client, too. */
async function openClaudeSession(options: ClientOptions, plan: AcpSessionPlan): Promise<AcpPreparedSession> {
  const { config, workingDirectory, guard } = plan;
  const { endpoint } = options;
  const hooks = await openClaudeHooks(guard);
  const keys = new OneTimeKeys(endpoint === undefined || !canWriteOneTimeKey() ? undefined : keyOf(endpoint));
  const file = new SettingsFile();
  const settings: JsonObject = { ...hooks.settings, ...restrictiveSettings(config, options) };
  const fixed: JsonObject = {
    title: config.title ?? DEFAULT_TITLE,
    promptSuggestions: false,
    allowDangerouslySkipPermissions: false,
    // Their secrets are kept off the command line, which other users of the machine can read.
    mcpServersDelivery: "initialize",
    disallowedTools: [...TOOLS_BEYOND_THE_TURN],
    ...settingSourcesOf(options),
  };
  const reading = {
    places: CLAUDE_INSTRUCTIONS,
    permissions: config.permissions,
    userFolder: configDirectoryOf(options),
  };
  return {
    meta: async () => {
      // Handed over as an object, they would stand in the command line.
      const extraArgs = { settings: await file.write({ ...settings, ...(await keys.next()) }) };
      return { claudeCode: { options: { ...fixed, extraArgs } } };
    },
    instructions: needsInstructions(options) ? await loadProjectInstructions(workingDirectory, reading) : "",
    close: async () => void (await Promise.all([hooks.close(), keys.remove(), file.remove()])),
  };
}

/** A turn is over when its prompt is answered; a file that a message names is read with a tool; hooks always run. */
const QUIET_TURNS: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  ...Object.fromEntries(WITHOUT_HOOKS.map((name) => [name, ""])),
};

/** A title of our own keeps the agent from asking the model for one. */
const DEFAULT_TITLE = "Atomic session";

const QUIET_CLAUDE: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
};

function keyOf(endpoint: ModelEndpoint): string {
  return endpoint.apiKey ?? NO_KEY;
}

/** Some agents add the `/v1` themselves. */
function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v1\/?$/, "");
}
