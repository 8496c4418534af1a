import { join } from "node:path";
import {
  ACP_PRESETS,
  type AcpOptions,
  type AcpPresetName,
  type ClientOptions,
  createAcpClient,
  createClaudeClient,
  createCopilotClient,
  createOpenCodeClient,
  isLoopback,
  narrowSandbox,
  type RecoveryPolicy,
  type TurnSlots,
  withRecovery,
  withTurnSlots,
} from "../../clients/index.ts";
import type { CodingAgentClient, SandboxConfig } from "../../contracts/index.ts";
import type { ClientProvider, ClientWish } from "../../graph/index.ts";
import type { AgentScript } from "../../testkit/index.ts";
import type { AcpAgentSettings } from "../config/agent-settings.ts";
import { type Config, loadConfigLayers, settingsOf } from "../config/config.ts";
import { UsageError } from "../config/usage-error.ts";
import type { OpenedHooks } from "../hooks/opened-hooks.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import { SANDBOX } from "../install/vendor-packages.ts";
import { overruleRepositoryPrograms } from "../trust/repository-programs.ts";
import { untrustedEnvironment } from "../trust/untrusted-environment.ts";
import { agentEnvironment, withoutTelemetryReceivers } from "./agent-environment.ts";
import { assertKnownAgent } from "./agent-types.ts";
import { ALWAYS_SET, type GitSetting, withGitSettings } from "./git-settings.ts";
import { createTurnSlots, INSIDE_VARIABLE } from "./machine-limit.ts";
import { type OfferToolsOptions, offerTools } from "./offer-tools.ts";
import { awaitEndpoint, type ProbeOptions, probeEndpoint } from "./probe-endpoint.ts";

/** What the agents of a call need to know. */
export interface AgentsOptions {
  readonly config: Config;
  readonly defaultAgent: string;
  readonly workingDirectory: string;
  /** @default the working directory */
  readonly projectDirectory?: string;
  /** The user's own Atomic folder, which contains the installed agents. */
  readonly atomicHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The sandbox of all agents. @default none, unless a node requires one */
  readonly sandbox?: SandboxConfig | undefined;
  /**
   * Whether the agents use the project's settings, git's included.
   * @default false
   */
  readonly isProjectTrusted?: boolean;
  /** Git settings that override the programs of an untrusted repository. Called when an agent is created. */
  readonly gitSettings?: readonly GitSetting[];
  /**
   * Called before an agent is created: whether it uses the project's settings. Its errors go to the node that needs the
   * agent.
   * @default isProjectTrusted
   */
  readonly beforeStart?: (agentType: string) => Promise<boolean>;
  /** The tools that all agents but the scripted one are offered. @default none */
  readonly offeredTools?: OfferToolsOptions | undefined;
  /** The hooks of the user and the project, which run with all agents. @default none */
  readonly hooks?: OpenedHooks | undefined;
  /** How failed turns are retried. @default never */
  readonly recovery?: RecoveryPolicy | undefined;
  /** What the scripted agent says and does. @default a short answer in the requested shape */
  readonly scriptedAgent?: AgentScript | undefined;
  /** Whether the scripted agent replaces all others, to try a workflow for free. @default false */
  readonly isRehearsal?: boolean;
}

/** The agents of one call: created on first use, stopped together. */
export interface Agents {
  readonly provider: ClientProvider;
  stop(): Promise<void>;
}

/** The same, with what the agents of a call share. */
interface OpenOptions extends AgentsOptions {
  /** The slots of their turns. @default no limit */
  readonly slots?: TurnSlots | undefined;
}

/** Creates the agents of a call, each on first use. */
export function createAgents(options: AgentsOptions): Agents {
  const slots = createTurnSlots(options);
  const clients = new Map<string, Promise<CodingAgentClient>>();
  return {
    async provider(wanted = options.defaultAgent, wish = {}) {
      assertKnownAgent(wanted, options.config);
      const agentType = options.isRehearsal ? "scripted" : wanted;
      const sandbox = sandboxFor(options, wish);
      // Agents in different sandboxes need processes of their own.
      const key = JSON.stringify([agentType, sandbox]);
      if (!clients.has(key)) await probe(agentType, options);
      const known = clients.get(key);
      if (known !== undefined) return await known;
      const client = openClient(agentType, { ...options, sandbox, slots });
      clients.set(key, client);
      // In a conversation, the person can install the agent and try once more.
      client.catch(() => clients.delete(key));
      return await client;
    },
    async stop() {
      const opened = await Promise.allSettled(clients.values());
      for (const result of opened) if (result.status === "fulfilled") await result.value.stop();
    },
  };
}

/** @throws EndpointUnreachableError when nothing answers at the agent's endpoint */
async function probe(agentType: string, options: AgentsOptions): Promise<void> {
  const endpoint = endpointOf(agentType, options);
  if (endpoint !== undefined) await probeEndpoint(endpoint);
}

/** The agent's endpoint, if the settings or the environment name one. */
function endpointOf(agentType: string, options: AgentsOptions): ProbeOptions | undefined {
  const { config, atomicHome, workingDirectory, projectDirectory = workingDirectory, isProjectTrusted, env } = options;
  const endpoint = settingsOf(config, agentType)?.endpoint;
  if (endpoint === undefined) return environmentEndpointOf(agentType, env);
  const findPlace = async (): Promise<string> => {
    const projectFolder = join(projectDirectory, ".atomic");
    const trustedProjectFolder = isProjectTrusted ? projectFolder : undefined;
    const { project, userFile, projectFile = userFile } = await loadConfigLayers({ atomicHome, trustedProjectFolder });
    const isOfProject = settingsOf(project, agentType)?.endpoint !== undefined;
    return `"agents.${agentType}.endpoint.baseUrl" in ${(isOfProject ? projectFile : userFile).path}`;
  };
  return { baseUrl: endpoint.baseUrl, findPlace, env };
}

/** An address of this machine in Claude Code's own variable. Others may need a network that only the agent knows. */
function environmentEndpointOf(agentType: string, env: AgentsOptions["env"]): ProbeOptions | undefined {
  const baseUrl = env.ANTHROPIC_BASE_URL ?? "";
  if (agentType !== "claude" || !URL.canParse(baseUrl) || !isLoopback(new URL(baseUrl).hostname)) return undefined;
  return { baseUrl, findPlace: async () => "the variable ANTHROPIC_BASE_URL", env };
}

/** A node may want a stricter sandbox than the call's. @throws SandboxInvalidError when it is a looser one */
function sandboxFor(
  { sandbox, env, workingDirectory }: AgentsOptions,
  { sandbox: wanted }: ClientWish,
): SandboxConfig | undefined {
  if (sandbox === undefined || wanted === undefined) return wanted ?? sandbox;
  return narrowSandbox(sandbox, wanted, { home: env.HOME, workingDirectory });
}

async function openClient(agentType: string, options: OpenOptions): Promise<CodingAgentClient> {
  const isProjectTrusted = (await options.beforeStart?.(agentType)) ?? options.isProjectTrusted ?? false;
  const now = { ...options, isProjectTrusted };
  const gitSettings = await gitSettingsFor(agentType, now);
  const client = await createClient(agentType, { ...now, gitSettings });
  const { offeredTools, slots } = options;
  const created = slots === undefined ? client : withTurnSlots(client, slots);
  const bare = offeredTools === undefined || agentType === "scripted" ? created : offerTools(created, offeredTools);
  const recovering = options.recovery === undefined ? bare : withRecovery(bare, options.recovery);
  const env = clientOptions(agentType, { ...now, config: {}, gitSettings }).env;
  return (await options.hooks?.attach(recovering, { agentType, isProjectTrusted, env })) ?? recovering;
}

async function gitSettingsFor(
  agentType: string,
  { isProjectTrusted, workingDirectory, projectDirectory = workingDirectory, env }: AgentsOptions,
): Promise<readonly GitSetting[]> {
  if (isProjectTrusted || agentType === "scripted") return [];
  const own = agentEnvironment({ kind: agentType, env });
  return await overruleRepositoryPrograms({
    workingDirectory,
    env: untrustedEnvironment(own, { workingDirectory, projectDirectory }),
  });
}

async function createClient(agentType: string, options: OpenOptions): Promise<CodingAgentClient> {
  const { config, atomicHome } = options;
  const vendorDirectory = vendorDirectoryOf(atomicHome, agentType);
  switch (agentType) {
    case "scripted":
      return createScripted(options);
    case "claude":
      return createClaudeClient({
        ...clientOptions(agentType, options),
        ...vendorSettings(config.agents?.claude),
        vendorDirectory,
      });
    case "copilot":
      return createCopilotClient({
        ...clientOptions(agentType, options),
        ...vendorSettings(config.agents?.copilot),
        vendorDirectory,
      });
    case "opencode":
      return createOpenCodeClient({
        ...clientOptions(agentType, options),
        ...vendorSettings(config.agents?.opencode),
        vendorDirectory,
      });
    default:
      return createAcpClient(acpOptions(agentType, options));
  }
}

async function createScripted({ workingDirectory, scriptedAgent }: AgentsOptions): Promise<CodingAgentClient> {
  const { createScriptedAgent } = await import("../../testkit/index.ts");
  return createScriptedAgent({
    workingDirectory,
    ...(scriptedAgent === undefined ? {} : { script: scriptedAgent }),
    evaluatePermission: "policy",
  });
}

/** @param kind the agent's name in Atomic, where the settings use another one */
function clientOptions(
  agentType: string,
  options: OpenOptions,
  kind = agentType,
): Pick<
  ClientOptions,
  "workingDirectory" | "env" | "projectSettings" | "sandbox" | "sandboxDirectory" | "checkEndpoint"
> {
  const { config, workingDirectory, projectDirectory = workingDirectory, env, sandbox, atomicHome } = options;
  const { isProjectTrusted = false, gitSettings, slots } = options;
  const endpoint = endpointOf(agentType, options);
  const allowed = settingsOf(config, agentType)?.environment;
  const own = {
    ...withoutTelemetryReceivers(agentEnvironment({ kind, env, allowed }), { kind, allowed }),
    ...(slots === undefined ? {} : { [INSIDE_VARIABLE]: slots.id }),
  };
  return {
    workingDirectory,
    env: isProjectTrusted
      ? withGitSettings(own, ALWAYS_SET)
      : untrustedEnvironment(own, { workingDirectory, projectDirectory, gitSettings }),
    projectSettings: isProjectTrusted,
    ...(endpoint === undefined ? {} : { checkEndpoint: (signal) => awaitEndpoint(endpoint, { signal }) }),
    ...(sandbox === undefined ? {} : { sandbox, sandboxDirectory: vendorDirectoryOf(atomicHome, SANDBOX) }),
  };
}

/** The settings as options: what is about the environment has been used already. */
function vendorSettings<Settings extends { readonly environment?: unknown }>(
  settings: Settings | undefined,
): Partial<Omit<Settings, "environment">> {
  const { environment: _used, ...rest } = settings ?? {};
  // What is left has the settings' own types.
  return rest as Partial<Omit<Settings, "environment">>;
}

/** How an agent over ACP is started. @throws UsageError when the settings name neither a command nor a known agent */
export function acpOptions(agentType: string, options: OpenOptions): AcpOptions {
  const { config, atomicHome } = options;
  const settings = settingsOf(config, agentType) as AcpAgentSettings | undefined; // names without a client of their own have such settings
  const { preset: named, command, ...rest } = vendorSettings(settings);
  const preset = named ?? agentType;
  const common = {
    ...clientOptions(agentType, options, preset),
    ...rest,
    agentType,
    vendorDirectory: vendorDirectoryOf(atomicHome, "acp"),
  };
  if (isPreset(preset)) {
    const programDirectory = vendorDirectoryOf(atomicHome, preset);
    return { ...common, preset, programDirectory, ...(command === undefined ? {} : { command }) };
  }
  if (named !== undefined) {
    throw new UsageError(
      `Unknown preset "${named}" of the agent "${agentType}". Known presets: ${Object.keys(ACP_PRESETS).join(", ")}.`,
    );
  }
  if (command === undefined) {
    throw new UsageError(
      `The agent "${agentType}" has no command. Set agents.${agentType}.command in config.json to the program that speaks ACP.`,
    );
  }
  return { ...common, command };
}

function isPreset(name: string): name is AcpPresetName {
  return Object.hasOwn(ACP_PRESETS, name);
}
