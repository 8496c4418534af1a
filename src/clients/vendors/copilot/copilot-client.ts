import type { CopilotClient as CopilotSdkClient, SessionMetadata } from "@github/copilot-sdk";
import {
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
import { CAPABILITIES } from "../../options/capabilities.ts";
import { endpointModelInfo } from "../../options/endpoint-models.ts";
import { assertNewSession, joinTools, readClientConfig, type SessionOrigin } from "../../options/read-client-config.ts";
import { COPILOT_INSTRUCTIONS, loadProjectInstructions } from "../../policy/project-instructions.ts";
import { PendingOpenings } from "../../process/pending-openings.ts";
import { SharedConnection } from "../../process/shared-connection.ts";
import { sandboxedClient } from "../../sandbox/sandboxed-client.ts";
import { EventHub } from "../../turn/event-hub.ts";
import { toModelDisplayInfo } from "./copilot-models.ts";
import { CopilotSession } from "./copilot-session.ts";
import { type CopilotConnection, openCopilotConnection } from "./runtime/copilot-connection.ts";
import { AGENT_TYPE, toSessionError } from "./runtime/copilot-errors.ts";
import {
  type CopilotEffort,
  type CopilotOptions,
  effortsOfProtocol,
  nearestEffort,
  resolveModel,
  type SessionSettings,
} from "./runtime/copilot-options.ts";

/** The efforts of a GitHub model whose efforts are not listed. */
const COMMON_EFFORTS = ["low", "medium", "high"];

/**
 * GitHub Copilot CLI as a {@link CodingAgentClient}: one runtime for any number of sessions. Without an `endpoint`, it uses
 * the models of the user's GitHub account.
 *
 * ```ts
 * const client = createCopilotClient({ workingDirectory: "/work/app", env: { PATH: "/usr/bin", HOME: "/home/me" } });
 * const session = await client.createSession();
 * console.log((await session.send("What does this project do?")).content);
 * await client.stop();
 * ```
 */
export function createCopilotClient(options: CopilotOptions): CodingAgentClient {
  return sandboxedClient(new CopilotClient(options), options);
}

class CopilotClient implements CodingAgentClient {
  readonly agentType = AGENT_TYPE;
  readonly capabilities = CAPABILITIES.copilot;
  readonly #options: CopilotOptions;
  readonly #sessions = new Map<string, CopilotSession>();
  readonly #openings = new PendingOpenings();
  readonly #hub = new EventHub();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #shared = new SharedConnection((signal) => this.#open(signal));

  constructor(options: CopilotOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#shared.connect();
  }

  async stop(): Promise<void> {
    const reason = new DOMException("The client was stopped.", "AbortError");
    this.#openings.stop(reason);
    // A session that cannot be ended cleanly ends with the process.
    const endSessions = () => Promise.allSettled([...this.#sessions.values()].map((session) => session.end(reason)));
    await this.#shared.stop({ reason, beforeEnd: endSessions });
  }

  async createSession(given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given);
    const connection = await this.#shared.connect();
    const workingDirectory = config.workingDirectory ?? this.#options.workingDirectory;
    const { sessionId = crypto.randomUUID() } = config;
    // Of two calls with the same id, the second finds the session of the first.
    return this.#openings.runInTurn(sessionId, async () => {
      if (config.sessionId !== undefined) {
        const known = await connection.call((sdk) => sdk.getSessionMetadata(sessionId));
        assertNewSession(sessionId, known !== undefined || this.#sessions.has(sessionId));
      }
      const session = await this.#makeSession(sessionId, { connection, config, workingDirectory });
      await session.create(connection);
      return this.#adopt(session);
    });
  }

  async resumeSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "resumed", id: sessionId });
    const connection = await this.#shared.connect();
    return this.#openings.runInTurn(sessionId, () => this.#resume(connection, { sessionId, config }));
  }

  async forkSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "forked" });
    const { title } = config;
    const request = { sessionId, ...(title === undefined ? {} : { name: title }) };
    const connection = await this.#shared.connect();
    const forking = connection.call((sdk) => sdk.rpc.sessions.fork(request));
    const forked = await forking.catch((error: unknown) => {
      throw toSessionError(error, sessionId);
    });
    return this.#resume(connection, { sessionId: forked.sessionId, config });
  }

  async listSessions(options: ListSessionsOptions = {}): Promise<readonly SessionInfo[]> {
    const { workingDirectory = this.#options.workingDirectory } = options;
    const listed = await this.#call((sdk) => sdk.listSessions({ workingDirectory }));
    return listed.map(toSessionInfo).toSorted((left, right) => (right.updatedAt ?? 0) - (left.updatedAt ?? 0));
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#release(sessionId);
    await this.#call((sdk) => sdk.deleteSession(sessionId)).catch((error: unknown) => {
      throw toSessionError(error, sessionId);
    });
  }

  on: EventHub["on"] = (type, listener) => this.#hub.on(type, listener);

  registerTool(tool: ToolDefinition): void {
    this.#tools.set(tool.name, tool);
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    const wanted = resolveModel(this.#options, modelHint);
    if (wanted === undefined) return { model: "", displayName: "Copilot's default" };
    const known = (await this.listModels()).find(({ model }) => model === wanted);
    return known ?? { model: wanted, displayName: wanted };
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    const { endpoint } = this.#options;
    if (endpoint !== undefined) return endpoint.models.map(endpointModelInfo);
    return (await this.#call((sdk) => sdk.listModels())).map(toModelDisplayInfo);
  }

  #readConfig(given: SessionConfig, origin?: SessionOrigin): SessionConfig {
    const { agentType, capabilities } = this;
    return readClientConfig(given, { agentType, capabilities, options: this.#options }, origin);
  }

  async #resume(
    connection: CopilotConnection,
    { sessionId, config }: { readonly sessionId: string; readonly config: SessionConfig },
  ): Promise<Session> {
    const isOpen = this.#sessions.has(sessionId);
    await this.#release(sessionId);
    const { context } = (await connection.call((sdk) => sdk.getSessionMetadata(sessionId))) ?? {};
    const workingDirectory = config.workingDirectory ?? context?.workingDirectory ?? this.#options.workingDirectory;
    const session = await this.#makeSession(sessionId, { connection, config, workingDirectory });
    await session.resume(connection).catch((error: unknown) => {
      // Copilot forgets a session without a turn when it is released.
      if (isOpen && error instanceof UnknownSessionError) return session.create(connection);
      throw error;
    });
    return this.#adopt(session);
  }

  async #makeSession(
    id: string,
    place: {
      readonly connection: CopilotConnection;
      readonly config: SessionConfig;
      readonly workingDirectory: string;
    },
  ): Promise<CopilotSession> {
    const { connection, config, workingDirectory } = place;
    const reasoningEffort = await this.#resolveEffort(connection, config);
    const disabledMcpServers = this.#options.userSettings === false ? await loadUserMcpServers(connection) : undefined;
    const settings: SessionSettings = {
      options: this.#options,
      config,
      workingDirectory,
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(disabledMcpServers === undefined ? {} : { disabledMcpServers }),
      instructions:
        this.#options.userSettings === false ? "" : await loadInstructions(connection, { ...config, workingDirectory }),
    };
    const session: CopilotSession = new CopilotSession({
      id,
      settings,
      tools: joinTools(this.#tools, config.tools),
      stallTimeoutMs: this.#options.stallTimeoutMs ?? 300_000,
      hasEndpoint: this.#options.endpoint !== undefined,
      checkEndpoint: this.#options.checkEndpoint,
      connect: () => this.#shared.connect(),
      onEvent: (event) => this.#hub.publish(event),
      onDestroy: () => {
        if (this.#sessions.get(id) === session) this.#sessions.delete(id);
      },
    });
    return session;
  }

  #adopt(session: CopilotSession): Session {
    this.#sessions.set(session.id, session);
    return session;
  }

  /** Releases a conversation that is open here. @throws SessionBusyError */
  async #release(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session?.isBusy) throw new SessionBusyError(sessionId);
    await session?.destroy();
  }

  async #resolveEffort(
    connection: CopilotConnection,
    { reasoningEffort, model }: SessionConfig,
  ): Promise<CopilotEffort | undefined> {
    if (reasoningEffort === undefined) return undefined;
    const { endpoint } = this.#options;
    if (endpoint !== undefined) return nearestEffort(reasoningEffort, effortsOfProtocol(endpoint.protocol));
    const wanted = resolveModel(this.#options, model);
    const models = await connection.call((sdk) => sdk.listModels());
    const known = models.find(({ id }) => id === wanted);
    return nearestEffort(reasoningEffort, known?.supportedReasoningEfforts ?? COMMON_EFFORTS);
  }

  async #call<T>(work: (sdk: CopilotSdkClient) => Promise<T>): Promise<T> {
    return (await this.#shared.connect()).call(work);
  }

  async #open(signal: AbortSignal): Promise<CopilotConnection> {
    const connection = await openCopilotConnection(this.#options, { signal });
    void connection.ended.then((error) => {
      for (const session of [...this.#sessions.values()]) session.onRuntimeEnd(error);
    });
    return connection;
  }
}

async function loadUserMcpServers(connection: CopilotConnection): Promise<readonly string[]> {
  const { servers } = await connection.call((sdk) => sdk.rpc.mcp.config.list());
  return Object.keys(servers);
}

/** The user's instructions, as Copilot finds them, and the project's. */
async function loadInstructions(
  connection: CopilotConnection,
  { workingDirectory, permissions }: Pick<SessionConfig, "permissions"> & { readonly workingDirectory: string },
): Promise<string> {
  const [{ sources }, ofProject] = await Promise.all([
    // Without a project path, it reads no project's instructions.
    connection.call((sdk) => sdk.rpc.instructions.discover({})),
    loadProjectInstructions(workingDirectory, { places: COPILOT_INSTRUCTIONS, permissions }),
  ]);
  const ofUser = sources.filter(({ defaultDisabled }) => defaultDisabled !== true).map(({ content }) => content);
  return [...ofUser, ofProject].filter((text) => text.trim() !== "").join("\n\n");
}

function toSessionInfo({ sessionId, summary, modifiedTime, context }: SessionMetadata): SessionInfo {
  return {
    id: sessionId,
    title: summary ?? "",
    updatedAt: modifiedTime.getTime(),
    ...(context === undefined ? {} : { workingDirectory: context.workingDirectory }),
  };
}
