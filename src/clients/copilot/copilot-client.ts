import type { CopilotClient as CopilotSdkClient, SessionMetadata } from "@github/copilot-sdk";
import {
  type AgentEvent,
  type AgentEventType,
  type CodingAgentClient,
  type ListSessionsOptions,
  type ModelDisplayInfo,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
  type Unsubscribe,
} from "../../contracts/index.ts";
import { CAPABILITIES } from "../capabilities.ts";
import { endpointModelInfo } from "../endpoint-models.ts";
import { EventHub } from "../turn/event-hub.ts";
import { type CopilotConnection, openCopilotConnection } from "./copilot-connection.ts";
import { AGENT_TYPE, toSessionError } from "./copilot-errors.ts";
import { toModelDisplayInfo } from "./copilot-models.ts";
import {
  type CopilotEffort,
  type CopilotOptions,
  effortsOfProtocol,
  nearestEffort,
  resolveModel,
  type SessionSettings,
} from "./copilot-options.ts";
import { CopilotSession } from "./copilot-session.ts";

/** What a model of GitHub's takes when the list does not say. */
const COMMON_EFFORTS = ["low", "medium", "high"];

/**
 * GitHub Copilot CLI as a {@link CodingAgentClient}: one runtime for any number of sessions. Without an `endpoint` it uses
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
  return new CopilotClient(options);
}

class CopilotClient implements CodingAgentClient {
  readonly agentType = AGENT_TYPE;
  readonly capabilities = CAPABILITIES.copilot;
  readonly #options: CopilotOptions;
  readonly #sessions = new Map<string, CopilotSession>();
  /** By conversation, the last call that opens it. */
  readonly #resuming = new Map<string, Promise<Session>>();
  readonly #hub = new EventHub();
  readonly #tools: ToolDefinition[] = [];
  #connecting: Promise<CopilotConnection> | undefined;
  #connection: CopilotConnection | undefined;

  constructor(options: CopilotOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#connect();
  }

  async stop(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    this.#connection = undefined;
    const reason = new DOMException("The client was stopped.", "AbortError");
    // What cannot be ended in good order ends with the process.
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.end(reason)));
    // One that could not be started has nothing to stop, and told whoever started it.
    const connection = await connecting?.catch(() => undefined);
    await connection?.stop();
  }

  async createSession(config: SessionConfig = {}): Promise<Session> {
    const workingDirectory = config.workingDirectory ?? this.#options.workingDirectory;
    const session = await this.#makeSession(crypto.randomUUID(), { config, workingDirectory });
    await session.create();
    return this.#adopt(session);
  }

  async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    // Of two calls at once the second takes over from the first: in the runtime they would be one and the same.
    const resume = () => this.#resume(sessionId, config);
    const resuming = (this.#resuming.get(sessionId) ?? Promise.resolve()).then(resume, resume);
    this.#resuming.set(sessionId, resuming);
    try {
      return await resuming;
    } finally {
      if (this.#resuming.get(sessionId) === resuming) this.#resuming.delete(sessionId);
    }
  }

  async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    const { title } = config;
    const request = { sessionId, ...(title === undefined ? {} : { name: title }) };
    const forked = await this.#call((sdk) => sdk.rpc.sessions.fork(request)).catch((error: unknown) => {
      throw toSessionError(error, sessionId);
    });
    return this.resumeSession(forked.sessionId, config);
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

  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    return this.#hub.on(type, listener);
  }

  registerTool(tool: ToolDefinition): void {
    this.#tools.push(tool);
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

  async #resume(sessionId: string, config: SessionConfig): Promise<Session> {
    const isOpen = this.#sessions.has(sessionId);
    await this.#release(sessionId);
    const { context } = (await this.#call((sdk) => sdk.getSessionMetadata(sessionId))) ?? {};
    const workingDirectory = config.workingDirectory ?? context?.workingDirectory ?? this.#options.workingDirectory;
    const session = await this.#makeSession(sessionId, { config, workingDirectory });
    await session.resume().catch((error: unknown) => {
      // One that was created here and has had no turn is not known to Copilot once it is let go of.
      if (isOpen && error instanceof UnknownSessionError) return session.create();
      throw error;
    });
    return this.#adopt(session);
  }

  async #makeSession(
    id: string,
    { config, workingDirectory }: { readonly config: SessionConfig; readonly workingDirectory: string },
  ): Promise<CopilotSession> {
    const reasoningEffort = await this.#resolveEffort(config);
    const disabledMcpServers = this.#options.userSettings === false ? await this.#listUserMcpServers() : undefined;
    const settings: SessionSettings = {
      options: this.#options,
      config,
      workingDirectory,
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(disabledMcpServers === undefined ? {} : { disabledMcpServers }),
    };
    const session: CopilotSession = new CopilotSession({
      id,
      settings,
      tools: [...this.#tools],
      stallTimeoutMs: this.#options.stallTimeoutMs ?? 300_000,
      connect: () => this.#connect(),
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

  /** Lets go of a conversation that is open here. @throws SessionBusyError */
  async #release(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (session?.isBusy) throw new SessionBusyError(sessionId);
    await session?.destroy();
  }

  async #resolveEffort({ reasoningEffort, model }: SessionConfig): Promise<CopilotEffort | undefined> {
    if (reasoningEffort === undefined) return undefined;
    const { endpoint } = this.#options;
    if (endpoint !== undefined) return nearestEffort(reasoningEffort, effortsOfProtocol(endpoint.protocol));
    const wanted = resolveModel(this.#options, model);
    const models = await this.#call((sdk) => sdk.listModels());
    const known = models.find(({ id }) => id === wanted);
    return nearestEffort(reasoningEffort, known?.supportedReasoningEfforts ?? COMMON_EFFORTS);
  }

  async #listUserMcpServers(): Promise<readonly string[]> {
    const { servers } = await this.#call((sdk) => sdk.rpc.mcp.config.list());
    return Object.keys(servers);
  }

  async #call<T>(work: (sdk: CopilotSdkClient) => Promise<T>): Promise<T> {
    return (await this.#connect()).call(work);
  }

  /** The running runtime; a new one when it has ended or could not be started. */
  async #connect(): Promise<CopilotConnection> {
    if (this.#connection?.isOpen === false) {
      this.#connecting = undefined;
      this.#connection = undefined;
    }
    this.#connecting ??= this.#open();
    const connecting = this.#connecting;
    try {
      const connection = await connecting;
      if (this.#connecting === connecting) this.#connection = connection;
      return connection;
    } catch (error) {
      if (this.#connecting === connecting) this.#connecting = undefined;
      throw error;
    }
  }

  async #open(): Promise<CopilotConnection> {
    const connection = await openCopilotConnection(this.#options);
    void connection.ended.then((error) => {
      for (const session of [...this.#sessions.values()]) session.onRuntimeEnd(error);
    });
    return connection;
  }
}

function toSessionInfo({ sessionId, summary, modifiedTime, context }: SessionMetadata): SessionInfo {
  return {
    id: sessionId,
    title: summary ?? "",
    updatedAt: modifiedTime.getTime(),
    ...(context === undefined ? {} : { workingDirectory: context.workingDirectory }),
  };
}
