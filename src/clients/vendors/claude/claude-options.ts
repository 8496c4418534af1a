import type { Options } from "@anthropic-ai/claude-agent-sdk";
import {
  AtomicError,
  type JsonSchema,
  type McpServerConfig,
  type ReasoningEffort,
  type SessionConfig,
} from "../../../contracts/index.ts";
import type { ClientOptions, EndpointModel } from "../../options/client-options.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_OUTPUT_TOKENS } from "../../options/endpoint-models.ts";
import { noProxyForLoopback } from "../../process/no-proxy-for-loopback.ts";
import { STRUCTURED_OUTPUT_RETRIES } from "../../turn/structured/structured-output.ts";
import {
  configDirectoryOf,
  restrictiveSettings,
  settingSourcesOf,
  WITHOUT_HOOKS,
} from "../claude-settings/claude-restrictions.ts";
import { TOOLS_BEYOND_THE_TURN, toVendorTools } from "../claude-settings/claude-tools.ts";
import { toClaudeSchema } from "./claude-schema.ts";

/** Settings of `createClaudeClient`. */
export interface ClaudeOptions extends ClientOptions {
  /**
   * The maximum number of idle sessions that keep their process (about 200 MB each). A session without a process takes
   * half a second longer to answer.
   * @default 4
   */
  readonly maxIdleProcesses?: number;
}

/** The endpoint uses a protocol that Claude Code does not support. */
export class ClaudeEndpointError extends AtomicError {
  constructor(readonly protocol: string) {
    super(
      "CLAUDE_ENDPOINT_PROTOCOL",
      `The agent "claude" cannot talk to an endpoint of the protocol "${protocol}". Give it one of the protocol "anthropic-messages", or choose the agent "opencode" or "copilot".`,
    );
  }
}

/** Defaults for the environment of Claude Code's process, which the user's environment overrides. */
const OWN_ENVIRONMENT: Readonly<Record<string, string>> = {
  DISABLE_AUTOUPDATER: "1",
  // A turn ends with its result: nothing may continue or start on its own after it.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  // A file named in a message would be read without approval; so the agent reads it with a tool.
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  MAX_STRUCTURED_OUTPUT_RETRIES: String(STRUCTURED_OUTPUT_RETRIES + 1),
};

const OFFLINE_ENVIRONMENT: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
};

/** The user's variables that would make Claude Code use or sign in to another provider than the endpoint. */
const OTHER_PROVIDERS: readonly string[] = [
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_FOUNDRY",
  "CLAUDE_CODE_USE_VERTEX",
];

/** The complete environment of Claude Code's process. Pure. @throws ClaudeEndpointError */
export function buildEnvironment(options: ClaudeOptions): Readonly<Record<string, string>> {
  const { env, homeDirectory, endpoint } = options;
  const isOffline = homeDirectory !== undefined || endpoint !== undefined;
  return {
    ...OWN_ENVIRONMENT,
    ...(isOffline ? OFFLINE_ENVIRONMENT : {}),
    ...without(env, endpoint === undefined ? WITHOUT_HOOKS : [...WITHOUT_HOOKS, ...OTHER_PROVIDERS]),
    ...noProxyForLoopback(env),
    ...(homeDirectory === undefined
      ? {}
      : { HOME: homeDirectory, USERPROFILE: homeDirectory, CLAUDE_CONFIG_DIR: configDirectoryOf(options) }),
    ...endpointEnvironment(options),
  };
}

function endpointEnvironment({ endpoint, env, model }: ClaudeOptions): Readonly<Record<string, string>> {
  if (endpoint === undefined) return {};
  if (endpoint.protocol !== "anthropic-messages") throw new ClaudeEndpointError(endpoint.protocol);
  const main = endpoint.models.find(({ id }) => id === model) ?? endpoint.models[0];
  const limits = main === undefined ? {} : modelEnvironment(main);
  return {
    ANTHROPIC_BASE_URL: baseUrlOf(endpoint.baseUrl),
    ANTHROPIC_API_KEY: endpoint.apiKey ?? "none",
    ...limits,
    ...pick(env, Object.keys(limits)),
  };
}

/** The endpoint does not serve the models that Claude Code would choose. */
function modelEnvironment({ id, contextWindowTokens, outputTokens }: EndpointModel): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_DEFAULT_FABLE_MODEL: id,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: id,
    ANTHROPIC_DEFAULT_OPUS_MODEL: id,
    ANTHROPIC_DEFAULT_SONNET_MODEL: id,
    ANTHROPIC_SMALL_FAST_MODEL: id,
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextWindowTokens ?? DEFAULT_CONTEXT_TOKENS),
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(outputTokens ?? DEFAULT_OUTPUT_TOKENS),
  };
}

/** Claude Code adds `/v1` itself. */
function baseUrlOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
}

/** The model of a session; undefined to let Claude Code choose. */
export function resolveModel(options: ClaudeOptions, config: Pick<SessionConfig, "model">): string | undefined {
  return config.model ?? options.model ?? options.endpoint?.models[0]?.id;
}

/** The settings that apply to one process of Claude Code until it ends. */
export interface LaunchSettings {
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  readonly executable: string;
  /** Whether Claude Code already has the conversation. */
  readonly isResumed: boolean;
  readonly sessionId: string;
  /** The schema of the answers. */
  readonly outputSchema: JsonSchema | undefined;
  /** The budget of the process, where Claude Code knows the prices. @default no limit */
  readonly maxBudgetUsd?: number;
  /** The project's instructions, where Claude Code does not read them itself. @default none */
  readonly instructions?: string;
}

/** The settings of a process, without callbacks. Pure. */
export function buildQueryOptions(options: ClaudeOptions, launch: LaunchSettings): Options {
  const { config, workingDirectory, executable, isResumed, sessionId, outputSchema, instructions = "" } = launch;
  const model = resolveModel(options, config);
  const tools = toVendorTools(config);
  const { endpoint } = options;
  return {
    cwd: workingDirectory,
    env: { ...buildEnvironment({ ...options, ...(model === undefined ? {} : { model }) }) },
    pathToClaudeCodeExecutable: executable,
    permissionMode: config.permissionMode ?? "default",
    includePartialMessages: true,
    forwardSubagentText: true,
    systemPrompt: systemPromptOf(config, instructions),
    disallowedTools: [...TOOLS_BEYOND_THE_TURN],
    ...(isResumed ? { resume: sessionId } : { sessionId }),
    ...settingSourcesOf(options),
    settings: {
      ...restrictiveSettings(config, options),
      // The user's settings may contain another address.
      ...(endpoint === undefined ? {} : { env: { ANTHROPIC_BASE_URL: baseUrlOf(endpoint.baseUrl) } }),
    },
    ...(model === undefined ? {} : { model }),
    ...(config.maxTurns === undefined ? {} : { maxTurns: config.maxTurns }),
    ...(launch.maxBudgetUsd === undefined ? {} : { maxBudgetUsd: launch.maxBudgetUsd }),
    ...(config.title === undefined ? {} : { title: config.title }),
    ...(tools === undefined ? {} : { tools }),
    ...(config.reasoningEffort === undefined ? {} : effortOptions(config.reasoningEffort)),
    ...(outputSchema === undefined
      ? {}
      : { outputFormat: { type: "json_schema", schema: toClaudeSchema(outputSchema) } }),
    ...(config.mcpServers === undefined ? {} : mcpOptions(config.mcpServers)),
  };
}

/** The SDK's default prompt is minimal; people expect Claude Code's. */
function systemPromptOf({ systemPrompt }: SessionConfig, instructions: string): NonNullable<Options["systemPrompt"]> {
  const preset = { type: "preset", preset: "claude_code" } as const;
  if (systemPrompt === undefined && instructions === "") return preset;
  const { mode, text } =
    typeof systemPrompt === "string" ? { mode: "append", text: systemPrompt } : (systemPrompt ?? NO_PROMPT);
  const whole = [instructions, text].filter(Boolean).join("\n\n");
  // Without a snapshot a resumed session uses the prompt it is resumed with.
  return mode === "append"
    ? { ...preset, append: whole, snapshot: false }
    : { type: "custom", prompt: whole, snapshot: false };
}

const NO_PROMPT = { mode: "append", text: "" };

function effortOptions(effort: ReasoningEffort): Pick<Options, "effort" | "thinking"> {
  if (effort === "none") return { effort: "low", thinking: { type: "disabled" } };
  return { effort };
}

/** Other users of the machine can read the command line, so it must not contain the servers' secrets. */
function mcpOptions(
  servers: Readonly<Record<string, McpServerConfig>>,
): Pick<Options, "mcpServers" | "mcpServersDelivery"> {
  const named = Object.entries(servers).map(([name, server]) => [name, toVendorServer(server)] as const);
  return { mcpServers: Object.fromEntries(named), mcpServersDelivery: "initialize" };
}

/** Always loaded: its tools are available in the first turn without a search. */
function toVendorServer(server: McpServerConfig): NonNullable<Options["mcpServers"]>[string] {
  switch (server.type) {
    case "http":
      return { type: "http", url: server.url, headers: { ...server.headers }, alwaysLoad: true };
    case "stdio":
      return {
        type: "stdio",
        command: server.command,
        args: [...(server.args ?? [])],
        env: { ...server.env },
        alwaysLoad: true,
      };
  }
}

function without(env: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

function pick(env: Readonly<Record<string, string>>, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.includes(name)));
}
