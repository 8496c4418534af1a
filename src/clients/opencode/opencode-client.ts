import {
  type AgentEvent,
  type AgentEventType,
  type CodingAgentClient,
  type ModelDisplayInfo,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
  type Unsubscribe,
} from "../../contracts/index.ts";
import { CAPABILITIES, missingCapability } from "../capabilities.ts";
import { type OpenCodeConnection, openOpenCodeConnection } from "./opencode-connection.ts";
import { AGENT_TYPE } from "./opencode-errors.ts";
import { loadDefaultModel, loadModelDisplayInfo } from "./opencode-models.ts";
import { type OpenCodeOptions, resolveModel, SESSION_PERMISSIONS } from "./opencode-options.ts";
import { loadWorktree, OpenCodeSession } from "./opencode-session.ts";
import { fieldsOf, textOf } from "./opencode-wire.ts";

/** A title of our own keeps OpenCode from asking the model for one. */
const DEFAULT_TITLE = "Atomic session";

type Listener = (event: AgentEvent) => void;

/**
 * OpenCode as a {@link CodingAgentClient}: one server with one stream of events for any number of sessions.
 *
 * ```ts
 * const client = createOpenCodeClient({ workingDirectory: "/work/app", env: { PATH: "/usr/bin", HOME: "/home/me" } });
 * const session = await client.createSession();
 * console.log((await session.send("What does this project do?")).content);
 * await client.stop();
 * ```
 */
export function createOpenCodeClient(options: OpenCodeOptions): CodingAgentClient {
  return new OpenCodeClient(options);
}

class OpenCodeClient implements CodingAgentClient {
  readonly agentType = AGENT_TYPE;
  readonly capabilities = CAPABILITIES.opencode;
  readonly #options: OpenCodeOptions;
  readonly #sessions = new Map<string, OpenCodeSession>();
  readonly #listeners = new Map<AgentEventType | "*", Set<Listener>>();
  #connecting: Promise<OpenCodeConnection> | undefined;
  #connection: OpenCodeConnection | undefined;

  constructor(options: OpenCodeOptions) {
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
    await Promise.all([...this.#sessions.values()].map((session) => session.end(reason)));
    // One that could not be started has nothing to stop, and told whoever started it.
    const connection = await connecting?.catch(() => undefined);
    await connection?.stop();
  }

  async createSession(config: SessionConfig = {}): Promise<Session> {
    const { sdk } = await this.#connect();
    const workingDirectory = config.workingDirectory ?? this.#options.workingDirectory;
    const { data } = await sdk.session.create(
      {
        directory: workingDirectory,
        title: config.title ?? DEFAULT_TITLE,
        permission: [...SESSION_PERMISSIONS],
      },
      { throwOnError: true },
    );
    return this.#adopt(data.id, { config, workingDirectory });
  }

  async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    const { sdk } = await this.#connect();
    if (this.#sessions.get(sessionId)?.isBusy) throw new SessionBusyError(sessionId);
    const directory = config.workingDirectory ?? this.#options.workingDirectory;
    const found = await sdk.session.get({ sessionID: sessionId, directory }, { throwOnError: true }).catch((cause) => {
      if (statusOf(cause) === 404 || statusOf(cause) === 400) {
        throw new UnknownSessionError(AGENT_TYPE, sessionId, { cause });
      }
      throw cause;
    });
    const workingDirectory = config.workingDirectory ?? (textOf(found.data.directory) || directory);
    await sdk.session.update(
      { sessionID: sessionId, directory: workingDirectory, permission: [...SESSION_PERMISSIONS] },
      { throwOnError: true },
    );
    return this.#adopt(sessionId, { config, workingDirectory });
  }

  async forkSession(): Promise<Session> {
    throw missingCapability(AGENT_TYPE, "fork");
  }

  async listSessions(): Promise<readonly SessionInfo[]> {
    throw missingCapability(AGENT_TYPE, "listSessions");
  }

  async deleteSession(): Promise<void> {
    throw missingCapability(AGENT_TYPE, "deleteSession");
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    throw missingCapability(AGENT_TYPE, "modelList");
  }

  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners);
    // `#publish` hands a listener only events of the type it is registered under.
    const known = listener as Listener;
    listeners.add(known);
    return () => listeners.delete(known);
  }

  registerTool(_tool: ToolDefinition): void {
    throw missingCapability(AGENT_TYPE, "customTools");
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    const { sdk } = await this.#connect();
    const query = { sdk, directory: this.#options.workingDirectory };
    const named = resolveModel(this.#options, modelHint ?? this.#options.model);
    const model = named ?? (modelHint === undefined ? await loadDefaultModel(query) : undefined);
    if (model === undefined) return { model: modelHint ?? "", displayName: modelHint ?? "OpenCode's default" };
    return loadModelDisplayInfo(query, model);
  }

  async #adopt(
    id: string,
    { config, workingDirectory }: { readonly config: SessionConfig; readonly workingDirectory: string },
  ): Promise<Session> {
    const { sdk } = await this.#connect();
    const session: OpenCodeSession = new OpenCodeSession({
      id,
      config,
      workingDirectory,
      worktree: await loadWorktree(sdk, workingDirectory),
      model: resolveModel(this.#options, config.model ?? this.#options.model),
      stallTimeoutMs: this.#options.stallTimeoutMs ?? 300_000,
      connect: () => this.#connect(),
      onEvent: (event) => this.#publish(event),
      onDestroy: () => {
        if (this.#sessions.get(id) === session) this.#sessions.delete(id);
      },
    });
    this.#sessions.set(id, session);
    return session;
  }

  /** The running server; a new one when it has ended or could not be started. */
  async #connect(): Promise<OpenCodeConnection> {
    if (this.#connection?.isOpen === false) {
      this.#connecting = undefined;
      this.#connection = undefined;
    }
    this.#connecting ??= openOpenCodeConnection(this.#options);
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

  #publish(event: AgentEvent): void {
    for (const listener of this.#listeners.get(event.type) ?? []) listener(event);
    for (const listener of this.#listeners.get("*") ?? []) listener(event);
  }
}

/** The HTTP status that the SDK put beside an error. */
function statusOf(error: unknown): unknown {
  return error instanceof Error ? fieldsOf(error.cause).status : undefined;
}
