import { randomUUID } from "node:crypto";
import {
  type CodingAgentClient,
  type ListSessionsOptions,
  type ModelDisplayInfo,
  type Session,
  SessionBusyError,
  type SessionConfig,
  SessionConfigInvalidError,
  type SessionInfo,
  type ToolDefinition,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { CAPABILITIES } from "../../options/capabilities.ts";
import { DEFAULT_START_TIMEOUT_MS } from "../../options/client-options.ts";
import { endpointModelInfo } from "../../options/endpoint-models.ts";
import { assertNewSession, joinTools, readClientConfig, type SessionOrigin } from "../../options/read-client-config.ts";
import { loginCommandOf } from "../../process/login-command.ts";
import { PendingOpenings } from "../../process/pending-openings.ts";
import { EventHub } from "../../turn/event-hub.ts";
import { configDirectoryOf } from "../claude-settings/claude-restrictions.ts";
import { openClaudeConnection } from "./claude-connection.ts";
import { AGENT_TYPE, LOGIN_ARGUMENTS } from "./claude-errors.ts";
import { DEFAULT_MODEL, findModel, toModelDisplayInfo } from "./claude-models.ts";
import { buildEnvironment, buildQueryOptions, type ClaudeOptions } from "./claude-options.ts";
import { openClaudeSandbox } from "./claude-sandbox.ts";
import { type ClaudeInstallation, ClaudeSession } from "./claude-session.ts";
import {
  copySessionFile,
  deleteSessionFile,
  findSessionFile,
  listSessionFiles,
  readSessionInfo,
  SESSION_ID,
} from "./claude-session-files.ts";
import { findClaude, loadClaudeSdk } from "./find-claude.ts";
import { IdleProcesses } from "./idle-processes.ts";

/**
 * Claude Code as a {@link CodingAgentClient}, with one process for each session that has had a turn.
 *
 * ```ts
 * const client = createClaudeClient({ workingDirectory: "/work/app", env: { PATH: "/usr/bin", HOME: "/home/me" } });
 * const session = await client.createSession();
 * console.log((await session.send("What does this project do?")).content);
 * await client.stop();
 * ```
 */
export function createClaudeClient(options: ClaudeOptions): CodingAgentClient {
  return new ClaudeClient(options);
}

class ClaudeClient implements CodingAgentClient {
  readonly agentType = AGENT_TYPE;
  readonly isSandboxed: boolean;
  readonly capabilities = CAPABILITIES.claude;
  readonly #options: ClaudeOptions;
  readonly #hub = new EventHub();
  readonly #sessions = new Map<string, ClaudeSession>();
  readonly #openings = new PendingOpenings();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #idleProcesses: IdleProcesses;
  #installation: Promise<ClaudeInstallation> | undefined;
  #models: Promise<readonly ModelDisplayInfo[]> | undefined;

  constructor(options: ClaudeOptions) {
    this.#options = options;
    this.isSandboxed = options.sandbox !== undefined;
    this.#idleProcesses = new IdleProcesses(options.maxIdleProcesses ?? 4);
  }

  async start(): Promise<void> {
    await this.#install();
  }

  async stop(): Promise<void> {
    const reason = new DOMException("The client was stopped.", "AbortError");
    this.#openings.stop(reason);
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.end(reason)));
  }

  async createSession(given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given);
    const workingDirectory = config.workingDirectory ?? this.#options.workingDirectory;
    const { sessionId } = config;
    if (sessionId === undefined) return this.#adopt(randomUUID(), config, workingDirectory);
    // The second of two calls with the same id finds the session of the first.
    return this.#openings.runInTurn(sessionId, async (signal) => {
      await this.#assertNew(sessionId);
      signal.throwIfAborted();
      return this.#adopt(sessionId, config, workingDirectory);
    });
  }

  async resumeSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "resumed", id: sessionId });
    const open = this.#sessions.get(sessionId);
    if (open?.isBusy === true) throw new SessionBusyError(sessionId);
    const file = await findSessionFile(configDirectoryOf(this.#options), sessionId);
    // Claude Code does not know a session of this client that has had no turn yet.
    if (file === undefined && open === undefined) throw new UnknownSessionError(AGENT_TYPE, sessionId);
    const info = file === undefined ? undefined : await readSessionInfo(file);
    const recorded = info?.workingDirectory ?? this.#options.workingDirectory;
    return this.#adopt(sessionId, config, config.workingDirectory ?? recorded);
  }

  async forkSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "forked" });
    const file = await this.#sessionFile(sessionId);
    const info = await readSessionInfo(file);
    const copyId = randomUUID();
    const { forkBefore, ...settings } = config;
    const isCopied = await copySessionFile(file, copyId, forkBefore === undefined ? {} : { before: forkBefore });
    if (!isCopied) {
      throw new SessionConfigInvalidError([
        `forkBefore: Nothing was said before ${new Date(forkBefore ?? 0).toISOString()}. Choose a later time, or create a new session.`,
      ]);
    }
    const recorded = info?.workingDirectory ?? this.#options.workingDirectory;
    return this.#adopt(copyId, settings, config.workingDirectory ?? recorded);
  }

  async listSessions({ workingDirectory }: ListSessionsOptions = {}): Promise<readonly SessionInfo[]> {
    return listSessionFiles(configDirectoryOf(this.#options), workingDirectory ?? this.#options.workingDirectory);
  }

  async deleteSession(sessionId: string): Promise<void> {
    const file = await this.#sessionFile(sessionId);
    if (this.#sessions.get(sessionId)?.isBusy === true) throw new SessionBusyError(sessionId);
    await this.#sessions.get(sessionId)?.destroy();
    await deleteSessionFile(file);
  }

  on: EventHub["on"] = (type, listener) => this.#hub.on(type, listener);

  registerTool(tool: ToolDefinition): void {
    this.#tools.set(tool.name, tool);
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    const { model, endpoint } = this.#options;
    const hint = modelHint ?? model ?? endpoint?.models[0]?.id ?? DEFAULT_MODEL;
    return findModel(await this.listModels(), hint);
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    const { endpoint } = this.#options;
    if (endpoint !== undefined) return endpoint.models.map(endpointModelInfo);
    this.#models ??= this.#loadModels().catch((error: unknown) => {
      this.#models = undefined; // the next call retries
      throw error;
    });
    return this.#models;
  }

  /** Asks a running process, else one that is started for the question and has no conversation. */
  async #loadModels(): Promise<readonly ModelDisplayInfo[]> {
    const { workingDirectory } = this.#options;
    const { sdk, executable } = await this.#install();
    const open = [...this.#sessions.values()].find(({ query }) => query !== undefined)?.query;
    if (open !== undefined) return (await open.supportedModels()).map(toModelDisplayInfo);
    const launch = { config: {}, workingDirectory, executable, isResumed: false, outputSchema: undefined };
    const sessionId = randomUUID();
    const connection = openClaudeConnection({
      sdk,
      queryOptions: buildQueryOptions(this.#options, { ...launch, sessionId }),
      sessionId,
      workingDirectory,
      sandbox: await openClaudeSandbox(this.#options, { program: executable, workingDirectory }),
      startTimeoutMs: this.#options.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS,
      onMessage: () => {},
      onCrash: () => {}, // the question itself fails
    });
    try {
      await connection.ready;
      return (await connection.query.supportedModels()).map(toModelDisplayInfo);
    } finally {
      await connection.close();
    }
  }

  /** @throws SessionConfigInvalidError */
  async #assertNew(id: string): Promise<void> {
    if (!SESSION_ID.test(id)) {
      throw new SessionConfigInvalidError([`sessionId: Claude Code takes UUIDs only, not "${id}".`]);
    }
    const file = await findSessionFile(configDirectoryOf(this.#options), id);
    assertNewSession(id, file !== undefined || this.#sessions.has(id));
  }

  #readConfig(given: SessionConfig, origin?: SessionOrigin): SessionConfig {
    const { agentType, capabilities } = this;
    return readClientConfig(given, { agentType, capabilities, options: this.#options }, origin);
  }

  async #sessionFile(sessionId: string): Promise<string> {
    const file = await findSessionFile(configDirectoryOf(this.#options), sessionId);
    if (file === undefined) throw new UnknownSessionError(AGENT_TYPE, sessionId);
    return file;
  }

  /** Replaces a session that has the conversation open. @throws SessionBusyError */
  async #adopt(id: string, config: SessionConfig, workingDirectory: string): Promise<Session> {
    const installation = await this.#install();
    // Another call may open it while a session ends, so there is no await between the last check and the new session.
    for (let open = this.#sessions.get(id); open !== undefined; open = this.#sessions.get(id)) {
      if (open.isBusy) throw new SessionBusyError(id);
      await open.destroy();
    }
    const session: ClaudeSession = new ClaudeSession({
      id,
      client: this.#options,
      installation,
      config,
      workingDirectory,
      tools: joinTools(this.#tools, config.tools),
      onEvent: (event) => this.#hub.publish(event),
      idleProcesses: this.#idleProcesses,
      onDestroy: () => {
        if (this.#sessions.get(id) === session) this.#sessions.delete(id);
      },
    });
    this.#sessions.set(id, session);
    return session;
  }

  /** Finds Claude Code once. A failed search is repeated. */
  async #install(): Promise<ClaudeInstallation> {
    buildEnvironment(this.#options); // throws at once for an unusable endpoint
    this.#installation ??= Promise.all([loadClaudeSdk(this.#options), findClaude(this.#options)]).then(
      async ([sdk, executable]) => {
        const program = { name: "claude", args: LOGIN_ARGUMENTS, env: this.#options.env };
        return { sdk, executable, loginCommand: await loginCommandOf(executable, program) };
      },
    );
    const installing = this.#installation;
    try {
      return await installing;
    } catch (error) {
      if (this.#installation === installing) this.#installation = undefined;
      throw error;
    }
  }
}
