import path from "node:path";
import type {
  MCPServerConfig as CopilotMcpServer,
  SessionConfigBase as CopilotSessionConfig,
  ProviderConfig,
  SystemMessageConfig,
} from "@github/copilot-sdk";
import {
  type AgentPrompt,
  type McpServerConfig,
  type PromptPart,
  promptPartsOf,
  type ReasoningEffort,
  type SessionConfig,
  type SystemPrompt,
} from "../../../../contracts/index.ts";
import type { ClientOptions, EndpointModel, ModelEndpoint } from "../../../options/client-options.ts";
import { DEFAULT_CONTEXT_TOKENS, DEFAULT_OUTPUT_TOKENS } from "../../../options/endpoint-models.ts";
import { evaluatePermission } from "../../../policy/rules/evaluate-permission.ts";
import { isolatedHome } from "../../../process/isolated-home.ts";
import { noProxyForLoopback } from "../../../process/no-proxy-for-loopback.ts";
import { toAvailableTools } from "./copilot-tools.ts";

/**
 * Settings of {@link createCopilotClient}. `binaryPath` is a `copilot-runtime`, or a `copilot` program whose version fits
 * the SDK's. Without `projectSettings`, a project's hooks, MCP servers, agents, skills and language servers are left out;
 * without `userSettings`, also the user's instructions, skills and MCP servers. Hooks in the user's `~/.copilot/hooks`
 * always run, but cannot allow more than the policy.
 */
export interface CopilotOptions extends ClientOptions {
  /**
   * Joins a running runtime on this machine, such as `127.0.0.1:4321`, instead of starting one. It continues to run when
   * the client is stopped.
   * @default none
   * @throws ServerNotJoinedError if nothing answers there, or another setting cannot apply to it
   */
  readonly cliUrl?: string;
  /** The token of the runtime at `cliUrl`. @default `COPILOT_CONNECTION_TOKEN` of `env` */
  readonly cliToken?: string;
}

/** An effort in Copilot's spelling. */
export type CopilotEffort = NonNullable<CopilotSessionConfig["reasoningEffort"]>;

/** A message in Copilot's format. */
export interface CopilotMessage {
  readonly prompt: string;
  readonly attachments?: (
    | { readonly type: "file"; readonly path: string }
    | { readonly type: "blob"; readonly data: string; readonly mimeType: string }
  )[];
}

/**
 * The families of calls for which an organisation's rules can require approval. Set as rules here, they make Copilot ask
 * even for what the user has permanently allowed in Copilot's own files and hooks.
 */
const ASK_ALWAYS = ["Bash", "PowerShell", "Read", "Edit", "Write", "Domain"];

/** The complete environment of the runtime, which every command that it runs can read. Pure. */
export function buildRuntimeEnvironment(options: CopilotOptions): Readonly<Record<string, string>> {
  const { env, homeDirectory, endpoint } = options;
  return {
    ...env,
    ...noProxyForLoopback(env),
    ...(homeDirectory === undefined ? {} : isolatedEnvironment(homeDirectory)),
    // Offline, Copilot connects only to the endpoint, and has no tools that read from the network.
    ...(homeDirectory === undefined || endpoint === undefined ? {} : { COPILOT_OFFLINE: "true" }),
  };
}

function isolatedEnvironment(homeDirectory: string): Readonly<Record<string, string>> {
  return {
    ...isolatedHome(homeDirectory),
    COPILOT_HOME: path.join(homeDirectory, ".copilot"),
    COPILOT_CACHE_HOME: path.join(homeDirectory, ".cache", "copilot"),
  };
}

/** The arguments that make the runtime use its standard input and output. Pure. */
export function buildRuntimeArguments({ endpoint }: CopilotOptions): readonly string[] {
  const login = endpoint === undefined ? [] : ["--no-auto-login"];
  return ["--headless", "--no-auto-update", "--stdio", ...login];
}

/** The settings of a session, except its handlers. */
export interface SessionSettings {
  readonly options: CopilotOptions;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  /** The effort in Copilot's spelling, if one is set. */
  readonly reasoningEffort?: CopilotEffort;
  /** The user's own MCP servers to leave out. */
  readonly disabledMcpServers?: readonly string[];
  /** The instructions in the user's and the project's files. @default none */
  readonly instructions?: string;
}

/** The settings of a session in Copilot's spelling. Pure. */
export function buildSessionConfig(settings: SessionSettings): CopilotSessionConfig {
  const { options, config, workingDirectory, reasoningEffort, disabledMcpServers, instructions = "" } = settings;
  const model = resolveModel(options, config.model);
  const { mcpServers } = config;
  const availableTools = toAvailableTools(config);
  const systemPrompt = withInstructions(config.systemPrompt, instructions);
  return {
    clientName: "atomic",
    streaming: true,
    workingDirectory,
    remoteSession: "off",
    ...WITHOUT_INSTRUCTIONS,
    managedSettings: { permissions: { disableBypassPermissionsMode: "disable", ask: ASK_ALWAYS } },
    ...(options.userSettings === false ? WITHOUT_USER_SETTINGS : {}),
    ...(takesProjectSettings(options) ? { enableFileHooks: true } : WITHOUT_PROJECT_SETTINGS),
    ...(options.homeDirectory === undefined && options.endpoint === undefined ? {} : { enableSessionTelemetry: false }),
    ...(model === undefined ? {} : { model }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(systemPrompt === undefined ? {} : { systemMessage: toSystemMessage(systemPrompt) }),
    ...(mcpServers === undefined ? {} : { mcpServers: toMcpServers(mcpServers) }),
    ...(disabledMcpServers === undefined ? {} : { disabledMcpServers: [...disabledMcpServers] }),
    ...(availableTools === undefined ? {} : { availableTools: [...availableTools] }),
    ...excludedTools(settings),
    ...(options.endpoint === undefined ? {} : endpointConfig(options.endpoint, model)),
  };
}

/** Atomic reads a project's instructions, because Copilot would follow links and imports to files that must not be read. */
const WITHOUT_INSTRUCTIONS = { skipCustomInstructions: true, enableOnDemandInstructionDiscovery: false } as const;

const WITHOUT_USER_SETTINGS = { enableConfigDiscovery: false, enableSkills: false } as const;

/** Copilot runs a project's hooks and language servers without asking, even if the user does not trust the project. */
const WITHOUT_PROJECT_SETTINGS = { enableConfigDiscovery: false, enableFileHooks: false } as const;

function takesProjectSettings({ userSettings = true, projectSettings = false }: CopilotOptions): boolean {
  return userSettings && projectSettings;
}

/** The model of a session; with undefined, Copilot chooses. Pure. */
export function resolveModel({ endpoint, model }: CopilotOptions, wanted?: string): string | undefined {
  return wanted ?? model ?? endpoint?.models[0]?.id;
}

/** The endpoint's model with this id, or defaults for one that it does not list. Pure. */
export function endpointModelOf(endpoint: ModelEndpoint, id: string | undefined): EndpointModel {
  return endpoint.models.find((model) => model.id === id) ?? { id: id ?? "default" };
}

/** Tools hidden from the model: sub-agents if the policy denies them, and a project's language servers. */
function excludedTools({ options, config, workingDirectory }: SessionSettings): { readonly excludedTools?: string[] } {
  const names = [
    ...(forbidsSubagents(config, workingDirectory) ? ["builtin:task"] : []),
    ...(takesProjectSettings(options) ? [] : ["builtin:lsp"]),
  ];
  return names.length === 0 ? {} : { excludedTools: names };
}

function forbidsSubagents({ permissions }: SessionConfig, workingDirectory: string): boolean {
  if (permissions === undefined) return false;
  const request = { id: "", sessionId: "", kind: "agent", toolName: "task", title: "", paths: [] } as const;
  return evaluatePermission(permissions, request, { workingDirectory }).effect === "deny";
}

function endpointConfig(
  endpoint: ModelEndpoint,
  modelId: string | undefined,
): Pick<CopilotSessionConfig, "provider" | "modelCapabilities"> {
  const model = endpointModelOf(endpoint, modelId);
  const contextTokens = model.contextWindowTokens ?? DEFAULT_CONTEXT_TOKENS;
  const outputTokens = model.outputTokens ?? DEFAULT_OUTPUT_TOKENS;
  return {
    provider: toProvider(endpoint, { maxPromptTokens: contextTokens, maxOutputTokens: outputTokens }),
    modelCapabilities: {
      supports: { vision: true, reasoningEffort: true },
      limits: {
        max_context_window_tokens: contextTokens,
        max_prompt_tokens: contextTokens,
        max_output_tokens: outputTokens,
      },
    },
  };
}

function toProvider(
  endpoint: ModelEndpoint,
  limits: Pick<ProviderConfig, "maxPromptTokens" | "maxOutputTokens">,
): ProviderConfig {
  const { baseUrl, apiKey = "none" } = endpoint;
  switch (endpoint.protocol) {
    case "openai-chat":
      return { type: "openai", wireApi: "completions", baseUrl, apiKey, ...limits };
    case "openai-responses":
      return { type: "openai", wireApi: "responses", baseUrl, apiKey, ...limits };
    case "anthropic-messages":
      // Copilot itself appends `/v1` to this kind of address.
      return { type: "anthropic", baseUrl: baseUrl.replace(/\/v1\/?$/, ""), apiKey, ...limits };
  }
}

function withInstructions(prompt: SystemPrompt | undefined, instructions: string): SystemPrompt | undefined {
  if (instructions === "") return prompt;
  if (prompt === undefined || typeof prompt === "string") return [instructions, prompt].filter(Boolean).join("\n\n");
  return { ...prompt, text: `${instructions}\n\n${prompt.text}` };
}

function toSystemMessage(prompt: SystemPrompt): SystemMessageConfig {
  return typeof prompt === "string" ? { mode: "append", content: prompt } : { mode: prompt.mode, content: prompt.text };
}

function toMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Record<string, CopilotMcpServer> {
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, toMcpServer(server)]));
}

function toMcpServer(server: McpServerConfig): CopilotMcpServer {
  const tools = ["*"];
  switch (server.type) {
    case "stdio": {
      const { command, args = [], env } = server;
      return { type: "stdio", command, args: [...args], tools, ...(env === undefined ? {} : { env: { ...env } }) };
    }
    case "http": {
      const { url, headers } = server;
      return { type: "http", url, tools, ...(headers === undefined ? {} : { headers: { ...headers } }) };
    }
  }
}

/** Copilot's efforts, lowest first, including `none`, which not all models support. */
const EFFORTS: readonly string[] = ["none", "low", "medium", "high", "xhigh", "max"];

/**
 * The effort in Copilot's spelling: the nearest one that the model supports, the lower of two equally near. Undefined if the
 * model supports none. Pure.
 */
export function nearestEffort(wanted: ReasoningEffort, supported: readonly string[]): CopilotEffort | undefined {
  const places = supported.map((name) => EFFORTS.indexOf(name)).filter((place) => place >= 0);
  const target = EFFORTS.indexOf(wanted);
  const [nearest] = places.toSorted(
    (left, right) => Math.abs(left - target) - Math.abs(right - target) || left - right,
  );
  const effort = nearest === undefined ? undefined : EFFORTS[nearest];
  // The cast is true for all but `none`, which the protocol has and the SDK's type leaves out.
  return effort as CopilotEffort | undefined;
}

/** The efforts of a protocol's endpoints; which of them a model supports is unknown. Pure. */
export function effortsOfProtocol(protocol: ModelEndpoint["protocol"]): readonly string[] {
  return protocol === "anthropic-messages"
    ? ["low", "medium", "high", "max"]
    : ["none", "low", "medium", "high", "xhigh"];
}

/** A message in Copilot's format: files and images are attached to the text. Pure. */
export function toCopilotMessage(message: AgentPrompt, workingDirectory: string): CopilotMessage {
  const parts = promptPartsOf(message);
  const prompt = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const attachments = parts.flatMap((part) => toAttachments(part, workingDirectory));
  return attachments.length === 0 ? { prompt } : { prompt, attachments };
}

function toAttachments(part: PromptPart, workingDirectory: string): NonNullable<CopilotMessage["attachments"]> {
  switch (part.type) {
    case "text":
      return [];
    case "file":
      return [{ type: "file", path: path.resolve(workingDirectory, part.path) }];
    case "image":
      return [{ type: "blob", data: part.data, mimeType: part.mimeType }];
  }
}
