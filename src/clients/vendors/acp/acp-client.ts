import {
  type AgentCapabilities,
  type AgentCapability,
  type CodingAgentClient,
  type ListSessionsOptions,
  type ModelDisplayInfo,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { missingCapability } from "../../options/capabilities.ts";
import { DEFAULT_START_TIMEOUT_MS } from "../../options/client-options.ts";
import { isFreeModel, readClientConfig, type SessionOrigin } from "../../options/read-client-config.ts";
import { PendingOpenings } from "../../process/pending-openings.ts";
import { SharedConnection } from "../../process/shared-connection.ts";
import { sandboxedClient } from "../../sandbox/sandboxed-client.ts";
import type { OpenedTools } from "../../tools/tool-host.ts";
import { EventHub } from "../../turn/event-hub.ts";
import { type AcpConnection, openAcpConnection } from "./acp-connection.ts";
import {
  type AcpOpenedSession,
  type AcpSessionSetup,
  loadSessions,
  openFork,
  openNewSession,
} from "./acp-open-session.ts";
import { AcpOwnSession } from "./acp-own-session.ts";
import { toMcpServers, withInstructions } from "./acp-prompt.ts";
import { AcpSession, TOOL_SERVER } from "./acp-session.ts";
import { type AcpSettings, toModelDisplayInfos } from "./acp-settings.ts";
import { AcpToolOffer, type SessionHolder } from "./acp-tool-offer.ts";
import { type AcpMeter, NEW_METER, UNKNOWN_METER } from "./acp-usage.ts";
import { buildAcpEnvironment } from "./program/acp-environment.ts";
import { narrowCapabilities, presetCapabilities } from "./program/acp-features.ts";
import { type AcpOptions, agentTypeOf, presetOf } from "./program/acp-options.ts";
import type { AcpPresetSettings } from "./program/acp-preparation.ts";
import { buildPresetSettings } from "./program/acp-preset-settings.ts";

/** What was prepared for opening a session. */
interface PreparedSession {
  readonly config: SessionConfig;
  readonly setup: AcpSessionSetup;
  readonly mcpServers: readonly string[];
  readonly tools: OpenedTools | undefined;
  readonly own: AcpOwnSession;
  readonly connector: SharedConnection<AcpConnection>;
  /** The connection that opens the session. */
  readonly connection: AcpConnection;
  readonly holder: SessionHolder;
}

/** How a conversation starts. */
interface SessionOpening {
  readonly open: (connection: AcpConnection, setup: AcpSessionSetup) => Promise<AcpOpenedSession>;
  /** The known size and cost of the conversation. */
  readonly meter: AcpMeter;
}

/**
 * Any agent that speaks the Agent Client Protocol on its standard input and output, as a {@link CodingAgentClient}.
 * One process serves all sessions. OpenCode's sessions share their MCP servers, so each set of servers gets its own
 * process. `capabilities` are the preset's until the agent is connected; then those it did not announce are removed.
 *
 * Atomic offers to read and write files and to run commands for the agent. The permission policy covers all of these
 * for an agent that accepts (Goose, Gemini). An agent with its own tools decides when to request permission: a preset
 * makes it request as often as possible, and the preset's `knownGaps` list the exceptions.
 *
 * ```ts
 * const client = createAcpClient({ preset: "gemini", workingDirectory: "/work/app", env: { PATH: "/usr/bin", HOME: "/home/me" } });
 * const session = await client.createSession();
 * console.log((await session.send("What does this project do?")).content);
 * await client.stop();
 * ```
 */
export function createAcpClient(options: AcpOptions): CodingAgentClient {
  return sandboxedClient(new AcpClient(options), options);
}

class AcpClient implements CodingAgentClient {
  readonly agentType: string;
  capabilities: AgentCapabilities;
  readonly hasFreeContextUsage = true;
  readonly #options: AcpOptions;
  readonly #hub = new EventHub();
  readonly #sessions = new Map<string, AcpSession>();
  /** The meters of destroyed sessions, for resuming them: agents report the cost of a whole conversation. */
  readonly #meters = new Map<string, AcpMeter>();
  readonly #tools: AcpToolOffer;
  readonly #shared: SharedConnection<AcpConnection>;
  /** Processes for sessions with MCP servers, by these servers, where an agent's sessions would share them. */
  readonly #own = new Map<string, { readonly connector: SharedConnection<AcpConnection>; userCount: number }>();
  /** The settings that an agent last offered. */
  #settings: AcpSettings | undefined;
  readonly #openings = new PendingOpenings();

  constructor(options: AcpOptions) {
    this.#options = options;
    this.agentType = agentTypeOf(options);
    this.capabilities = presetCapabilities(presetOf(options));
    this.#shared = this.#createConnector();
    this.#tools = new AcpToolOffer({
      isShared: this.#sharesMcpServers,
      sessions: () => this.#sessions.values(),
    });
  }

  async start(): Promise<void> {
    await this.#shared.connect();
  }

  async stop(): Promise<void> {
    const reason = new DOMException("The client was stopped.", "AbortError");
    const own = [...this.#own.values()].map(({ connector }) => connector);
    this.#openings.stop(reason);
    const endSessions = () => Promise.all([...this.#sessions.values()].map((session) => session.end(reason)));
    try {
      await this.#shared.stop({ reason, beforeEnd: endSessions });
    } finally {
      await Promise.all(own.map((connector) => connector.stop({ reason })));
      await this.#tools.stop();
    }
  }

  async createSession(given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given);
    return this.#openings.run((signal) => this.#open(config, { open: openNewSession, meter: NEW_METER, signal }));
  }

  async resumeSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "resumed", id: sessionId });
    return this.#openings.runInTurn(sessionId, async (signal) => {
      await this.#require("resume");
      const earlier = this.#sessions.get(sessionId);
      if (earlier?.isBusy === true) throw new SessionBusyError(sessionId);
      // The agent reopens it, perhaps with other settings.
      await earlier?.destroy();
      const prepared = await this.#prepare(config, signal);
      const session = this.#make(sessionId, prepared, this.#meters.get(sessionId) ?? UNKNOWN_METER);
      try {
        await session.open(prepared.connection);
        signal.throwIfAborted();
        return session;
      } catch (error) {
        await session.destroy();
        throw error;
      }
    });
  }

  async forkSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    return this.#openings.run(async (signal) => {
      await this.#require("fork");
      const config = this.#readConfig(given, { type: "forked" });
      const open: SessionOpening["open"] = (connection, setup) => openFork(connection, setup, sessionId);
      return this.#open(config, { open, meter: UNKNOWN_METER, signal });
    });
  }

  async listSessions(options: ListSessionsOptions = {}): Promise<readonly SessionInfo[]> {
    const { workingDirectory = this.#options.workingDirectory } = options;
    const connection = await this.#require("listSessions");
    return loadSessions(connection, { workingDirectory, timeoutMs: this.#timeoutMs });
  }

  async deleteSession(sessionId: string): Promise<void> {
    const connection = await this.#require("deleteSession");
    const { features } = connection;
    const sessions = features.listSessions ? await loadSessions(connection, { timeoutMs: this.#timeoutMs }) : undefined;
    if (sessions?.every(({ id }) => id !== sessionId) && !this.#sessions.has(sessionId)) {
      throw new UnknownSessionError(this.agentType, sessionId);
    }
    await this.#sessions.get(sessionId)?.destroy();
    await connection.request("session/delete", { sessionId }, { sessionId, timeoutMs: this.#timeoutMs });
    this.#meters.delete(sessionId);
  }

  on: EventHub["on"] = (type, listener) => this.#hub.on(type, listener);

  registerTool(tool: ToolDefinition): void {
    if (!this.capabilities.customTools) throw missingCapability(this.agentType, "customTools");
    this.#tools.add(tool);
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    const models = await this.#loadModels();
    const wanted = modelHint ?? this.#options.model ?? this.#settings?.model?.current ?? "";
    const found = models.find(({ model, displayName }) => [model, displayName].includes(wanted));
    const suffixed = found ?? models.find(({ model }) => model.endsWith(`/${wanted}`));
    const info = suffixed ?? { model: wanted, displayName: wanted || `${this.agentType}'s default` };
    const id = info.model.slice(info.model.lastIndexOf("/") + 1);
    const tokens = this.#options.endpoint?.models.find((model) => model.id === id)?.contextWindowTokens;
    return { ...info, ...(tokens === undefined ? {} : { contextWindowTokens: tokens }) };
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    await this.#require("modelList");
    const models = await this.#loadModels();
    if (models.length === 0) throw missingCapability(this.agentType, "modelList");
    return models;
  }

  get #sharesMcpServers(): boolean {
    return presetOf(this.#options)?.sharesMcpServers === true;
  }

  get #presetSettings(): AcpPresetSettings {
    return buildPresetSettings(this.#options.preset, this.#options);
  }

  get #timeoutMs(): number {
    return this.#options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS;
  }

  /** Agents report their models when a session is opened, so this opens one if none has been. */
  async #loadModels(): Promise<readonly ModelDisplayInfo[]> {
    if (this.#settings === undefined) {
      const session = await this.createSession();
      await session.destroy();
      if (this.capabilities.deleteSession) await this.deleteSession(session.id);
    }
    return toModelDisplayInfos(this.#settings ?? {});
  }

  #readConfig(given: SessionConfig, origin?: SessionOrigin): SessionConfig {
    const { agentType, capabilities } = this;
    return readClientConfig(given, { agentType, capabilities, options: this.#options }, origin);
  }

  async #open(
    config: SessionConfig,
    { open, meter, signal }: SessionOpening & { readonly signal: AbortSignal },
  ): Promise<Session> {
    const prepared = await this.#prepare(config, signal);
    try {
      const { id, settings } = await open(prepared.connection, prepared.setup);
      signal.throwIfAborted();
      const session = this.#make(id, prepared, meter);
      session.adopt(prepared.connection, settings);
      return session;
    } catch (error) {
      await this.#release(prepared);
      throw error;
    }
  }

  /** Checks the session's settings and opens its tools. @throws CapabilityMissingError */
  async #prepare(config: SessionConfig, signal: AbortSignal): Promise<PreparedSession> {
    // After a stop, `connect` would open a new connection that nobody stops.
    signal.throwIfAborted();
    if (config.beforeTool !== undefined) throw missingCapability(this.agentType, "interceptTools");
    if (config.allowedTools !== undefined) throw missingCapability(this.agentType, "allowedTools");
    const { mcpServers = {} } = config;
    const connector = this.#takeConnector(config);
    const holder: SessionHolder = {};
    let tools: OpenedTools | undefined;
    const own = new AcpOwnSession({ config, guard: () => holder.session?.guard });
    let connection: AcpConnection;
    let instructions: string | undefined;
    const workingDirectory = config.workingDirectory ?? this.#options.workingDirectory;
    try {
      connection = await connector.connect();
      const { features } = connection;
      if (!features.httpMcpServers && Object.values(mcpServers).some(({ type }) => type === "http")) {
        throw missingCapability(this.agentType, "mcpServers");
      }
      tools = await this.#tools.open(holder, config.tools);
      if (tools !== undefined && !features.httpMcpServers) throw missingCapability(this.agentType, "customTools");
      instructions = await this.#presetSettings.loadInstructions?.(workingDirectory, config);
    } catch (error) {
      await this.#release({ connector, tools, own });
      throw error;
    }
    const servers = { ...mcpServers, ...(tools === undefined ? {} : { [TOOL_SERVER]: tools.server }) };
    const complete = connection.features.systemPrompt ? withInstructions(config, instructions) : config;
    const setup = this.#setupFor(complete, { servers, own });
    return { config, setup, mcpServers: Object.keys(servers), tools, own, holder, connector, connection };
  }

  /** The process for a session with these MCP servers and tools. */
  #takeConnector({ mcpServers = {}, tools = [] }: SessionConfig): SharedConnection<AcpConnection> {
    const hasOwn = Object.keys(mcpServers).length + tools.length > 0;
    if (!this.#sharesMcpServers || !hasOwn) return this.#shared;
    const key = tools.length > 0 ? crypto.randomUUID() : JSON.stringify(mcpServers);
    const own = this.#own.get(key) ?? { connector: this.#createConnector(), userCount: 0 };
    own.userCount += 1;
    this.#own.set(key, own);
    return own.connector;
  }

  /** Frees what only this session used. */
  async #release(used: Pick<PreparedSession, "connector" | "tools" | "own">): Promise<void> {
    await used.tools?.close();
    await used.own.close();
    const [key, own] = [...this.#own].find(([, { connector }]) => connector === used.connector) ?? [];
    if (key === undefined || own === undefined) return;
    own.userCount -= 1;
    if (own.userCount > 0) return;
    this.#own.delete(key);
    await used.connector.stop();
  }

  #setupFor(
    config: SessionConfig,
    { servers, own }: { readonly servers: NonNullable<SessionConfig["mcpServers"]>; readonly own: AcpOwnSession },
  ): AcpSessionSetup {
    const { systemPrompt, model, reasoningEffort, title } = config;
    const { workingDirectory, mode, endpoint } = this.#options;
    const { mcpServerEnv } = this.#presetSettings;
    const defaultMode = presetOf(this.#options)?.askingMode;
    const defaultModel = this.#options.model ?? endpoint?.models[0]?.id;
    return {
      agentType: this.agentType,
      workingDirectory: config.workingDirectory ?? workingDirectory,
      mcpServers: toMcpServers(servers, mcpServerEnv),
      timeoutMs: this.#timeoutMs,
      own,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(model === undefined ? {} : { model }),
      ...(defaultModel === undefined ? {} : { defaultModel }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(mode === undefined ? {} : { mode }),
      ...(defaultMode === undefined ? {} : { defaultMode }),
      ...(title === undefined ? {} : { title }),
    };
  }

  #make(id: string, prepared: PreparedSession, meter: AcpMeter): AcpSession {
    const { config, setup, mcpServers, holder, connector } = prepared;
    let isDestroyed = false;
    const session: AcpSession = new AcpSession({
      id,
      config,
      setup,
      mcpServers,
      guardHome: this.#presetSettings.guardHome,
      meter,
      isFree: isFreeModel(config, this.#options),
      commandEnv: this.#commandEnv(),
      compactCommand: presetOf(this.#options)?.compactCommand,
      hidesUsage: presetOf(this.#options)?.hidesUsage === true,
      addedInputs: presetOf(this.#options)?.addedInputs ?? [],
      tellsContextUsage: this.capabilities.contextUsage,
      stallTimeoutMs: this.#options.stallTimeoutMs ?? 300_000,
      connect: () => connector.connect(),
      onEvent: (event) => this.#hub.publish(event),
      onSettings: (settings) => {
        this.#settings = settings;
      },
      onDestroy: async () => {
        if (isDestroyed) return;
        isDestroyed = true;
        if (this.#sessions.get(id) === session) this.#sessions.delete(id);
        this.#meters.set(id, session.meter);
        await this.#release(prepared);
      },
    });
    holder.session = session;
    this.#sessions.set(id, session);
    return session;
  }

  /** The agent's environment without keys, for commands that Atomic runs for the agent. */
  #commandEnv(): Readonly<Record<string, string>> {
    const { secretNames } = this.#presetSettings;
    const env = buildAcpEnvironment(this.#options, { env: {} });
    return Object.fromEntries(Object.entries(env).filter(([name]) => !secretNames.includes(name)));
  }

  /** Connects the agent, whose announced capabilities count. @throws CapabilityMissingError */
  async #require(capability: AgentCapability): Promise<AcpConnection> {
    const connection = await this.#shared.connect();
    if (!this.capabilities[capability]) throw missingCapability(this.agentType, capability);
    return connection;
  }

  #createConnector(): SharedConnection<AcpConnection> {
    return new SharedConnection(async (signal) => {
      const settings = this.#presetSettings;
      const connection = await openAcpConnection(this.#options, {
        settings,
        signal,
        openToolPort: () => this.#tools.listen(),
      });
      this.capabilities = narrowCapabilities(presetCapabilities(presetOf(this.#options)), connection.features);
      return connection;
    });
  }
}
