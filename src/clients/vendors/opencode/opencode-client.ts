import {
  type CodingAgentClient,
  type ListSessionsOptions,
  type ModelDisplayInfo,
  recordOf,
  type Session,
  SessionBusyError,
  type SessionConfig,
  type SessionInfo,
  stringOf,
  type ToolDefinition,
  UnknownSessionError,
} from "../../../contracts/index.ts";
import { CAPABILITIES } from "../../options/capabilities.ts";
import { isFreeModel, joinTools, readClientConfig, type SessionOrigin } from "../../options/read-client-config.ts";
import { toolListsOf } from "../../policy/rules/tool-list.ts";
import { PendingOpenings } from "../../process/pending-openings.ts";
import { SharedConnection } from "../../process/shared-connection.ts";
import { sandboxedClient } from "../../sandbox/sandboxed-client.ts";
import { ToolHost } from "../../tools/tool-host.ts";
import { EventHub } from "../../turn/event-hub.ts";
import { resolveModel } from "../opencode-settings/opencode-model.ts";
import { childEnvironment } from "../opencode-settings/opencode-settings.ts";
import { loadDefaultModel, loadModelDisplayInfo, loadModels } from "./opencode-models.ts";
import { OpenCodeSession } from "./opencode-session.ts";
import { type OpenCodeConnection, openOpenCodeConnection } from "./server/opencode-connection.ts";
import { AGENT_TYPE, toCallError } from "./server/opencode-errors.ts";
import type { OpenCodeOptions } from "./server/opencode-options.ts";
import { type OpenCodeRule, sessionRules } from "./server/opencode-rules.ts";
import { serverPrefixOf } from "./server/opencode-servers.ts";
import { listOf, numberOf, textsOf } from "./server/opencode-wire.ts";

/** A title that is set keeps OpenCode from generating one with the model. */
const DEFAULT_TITLE = "Atomic session";

/** The most sessions to list; OpenCode's own default is 100. */
const MAX_LISTED_SESSIONS = 10_000;

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
  return sandboxedClient(new OpenCodeClient(options), options);
}

/** A conversation that is about to be opened. */
interface SessionPlace {
  readonly connection: OpenCodeConnection;
  /** Aborted when the client is stopped in the meantime. */
  readonly signal: AbortSignal;
  readonly id: string;
  readonly config: SessionConfig;
  readonly workingDirectory: string;
  /** The conversation's existing rules. @default none */
  readonly rules?: unknown;
}

class OpenCodeClient implements CodingAgentClient {
  readonly agentType = AGENT_TYPE;
  readonly capabilities = CAPABILITIES.opencode;
  readonly #options: OpenCodeOptions;
  readonly #sessions = new Map<string, OpenCodeSession>();
  readonly #tools = new Map<string, ToolDefinition>();
  readonly #hub = new EventHub();
  readonly #shared: SharedConnection<OpenCodeConnection>;
  readonly #openings = new PendingOpenings();
  #toolHost = new ToolHost();

  constructor(options: OpenCodeOptions) {
    this.#options = options;
    this.#shared = new SharedConnection((signal) =>
      openOpenCodeConnection(options, { signal, toolHost: this.#toolHost }),
    );
  }

  async start(): Promise<void> {
    await this.#shared.connect();
  }

  async stop(): Promise<void> {
    const toolHost = this.#toolHost;
    this.#toolHost = new ToolHost();
    const reason = new DOMException("The client was stopped.", "AbortError");
    this.#openings.stop(reason);
    const endSessions = () => Promise.all([...this.#sessions.values()].map((session) => session.end(reason)));
    await this.#shared.stop({ reason, beforeEnd: () => endSessions().finally(() => toolHost.stop()) });
  }

  async createSession(given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given);
    return this.#openings.run(async (signal) => {
      const connection = await this.#shared.connect();
      const workingDirectory = config.workingDirectory ?? this.#options.workingDirectory;
      const settings = { directory: workingDirectory, title: config.title ?? DEFAULT_TITLE };
      const creating = connection.sdk.session.create(settings, { throwOnError: true });
      const { data } = await creating.catch((error: unknown) => Promise.reject(toCallError(error)));
      return this.#adopt({ connection, signal, id: data.id, config, workingDirectory });
    });
  }

  async resumeSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "resumed", id: sessionId });
    assertPossible(sessionId);
    return this.#openings.runInTurn(sessionId, async (signal) => {
      const connection = await this.#shared.connect();
      if (this.#sessions.get(sessionId)?.isBusy) throw new SessionBusyError(sessionId);
      const directory = config.workingDirectory ?? this.#options.workingDirectory;
      const getting = connection.sdk.session.get({ sessionID: sessionId, directory }, { throwOnError: true });
      const { data } = await knownSession(sessionId, getting);
      const workingDirectory = config.workingDirectory ?? (stringOf(data.directory) || directory);
      await this.#sessions.get(sessionId)?.destroy();
      return this.#adopt({ connection, signal, id: sessionId, config, workingDirectory, rules: data.permission });
    });
  }

  async forkSession(sessionId: string, given: SessionConfig = {}): Promise<Session> {
    const config = this.#readConfig(given, { type: "forked" });
    assertPossible(sessionId);
    return this.#openings.run(async (signal) => {
      const connection = await this.#shared.connect();
      const { sdk } = connection;
      const directory = config.workingDirectory ?? this.#options.workingDirectory;
      const getting = sdk.session.get({ sessionID: sessionId, directory }, { throwOnError: true });
      const original = await knownSession(sessionId, getting);
      const workingDirectory = config.workingDirectory ?? (stringOf(original.data.directory) || directory);
      const place = { sessionID: sessionId, directory: workingDirectory };
      const { data } = await sdk.session.fork(place, { throwOnError: true });
      return this.#adopt({ connection, signal, id: data.id, config, workingDirectory });
    });
  }

  async listSessions(options: ListSessionsOptions = {}): Promise<readonly SessionInfo[]> {
    const { sdk } = await this.#shared.connect();
    const directory = options.workingDirectory ?? this.#options.workingDirectory;
    const query = { directory, roots: true, limit: MAX_LISTED_SESSIONS };
    const { data } = await sdk.session.list(query, { throwOnError: true });
    return listOf(data)
      .map(toSessionInfo)
      .toSorted((left, right) => (right.updatedAt ?? 0) - (left.updatedAt ?? 0));
  }

  async deleteSession(sessionId: string): Promise<void> {
    assertPossible(sessionId);
    const { sdk } = await this.#shared.connect();
    const directory = this.#options.workingDirectory;
    const getting = sdk.session.get({ sessionID: sessionId, directory }, { throwOnError: true });
    const found = await knownSession(sessionId, getting);
    await this.#sessions.get(sessionId)?.destroy();
    const place = { sessionID: sessionId, directory: stringOf(found.data.directory) || directory };
    await sdk.session.delete(place, { throwOnError: true });
  }

  async listModels(): Promise<readonly ModelDisplayInfo[]> {
    const { sdk } = await this.#shared.connect();
    return loadModels({ sdk, directory: this.#options.workingDirectory });
  }

  on: EventHub["on"] = (type, listener) => this.#hub.on(type, listener);

  registerTool(tool: ToolDefinition): void {
    this.#tools.set(tool.name, tool);
  }

  async getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    const { sdk } = await this.#shared.connect();
    const query = { sdk, directory: this.#options.workingDirectory };
    const named = resolveModel(this.#options, modelHint ?? this.#options.model);
    const model = named ?? (modelHint === undefined ? await loadDefaultModel(query) : undefined);
    if (model === undefined) return { model: modelHint ?? "", displayName: modelHint ?? "OpenCode's default" };
    return loadModelDisplayInfo(query, model);
  }

  #readConfig(given: SessionConfig, origin?: SessionOrigin): SessionConfig {
    const { agentType, capabilities } = this;
    return readClientConfig(given, { agentType, capabilities, options: this.#options }, origin);
  }

  async #adopt(place: SessionPlace): Promise<Session> {
    const { connection, signal, id, config, workingDirectory } = place;
    const { sdk } = connection;
    const rules = await this.#loadRules(place);
    // OpenCode appends the rules, so their list would grow with each resume.
    const permission = endsWith(place.rules, rules) ? [] : [...rules];
    const title = config.title === undefined ? {} : { title: config.title };
    await sdk.session.update(
      { sessionID: id, directory: workingDirectory, ...title, permission },
      { throwOnError: true },
    );
    const { worktree } = await connection.openFolder(workingDirectory);
    signal.throwIfAborted();
    const session: OpenCodeSession = new OpenCodeSession({
      id,
      config,
      workingDirectory,
      worktree,
      childEnv: childEnvironment(this.#options),
      model: resolveModel(this.#options, config.model ?? this.#options.model),
      stallTimeoutMs: this.#options.stallTimeoutMs ?? 300_000,
      endpointModels: this.#options.endpoint?.models.map((model) => model.id),
      checkEndpoint: this.#options.checkEndpoint,
      isFree: isFreeModel(config, this.#options),
      tools: joinTools(this.#tools, config.tools),
      toolHost: this.#toolHost,
      connect: () => this.#shared.connect(),
      onEvent: (event) => this.#hub.publish(event),
      onDestroy: () => {
        if (this.#sessions.get(id) === session) this.#sessions.delete(id);
      },
    });
    this.#sessions.set(id, session);
    try {
      await session.open(connection);
      signal.throwIfAborted();
      return session;
    } catch (error) {
      await session.destroy();
      throw error;
    }
  }

  async #loadRules({ connection, id, config, workingDirectory }: SessionPlace): Promise<readonly OpenCodeRule[]> {
    const lists = toolListsOf(config);
    const serverPrefix = serverPrefixOf(id);
    if (lists.length === 0) return sessionRules({ serverPrefix, lists, knownTools: [] });
    const { data } = await connection.sdk.tool.ids({ directory: workingDirectory }, { throwOnError: true });
    return sessionRules({ serverPrefix, lists, knownTools: textsOf(data) });
  }
}

/** OpenCode reports an internal error for a malformed id. @throws UnknownSessionError */
function assertPossible(sessionId: string): void {
  if (!sessionId.startsWith("ses")) throw new UnknownSessionError(AGENT_TYPE, sessionId);
}

/** The result of a call about a session. @throws UnknownSessionError if OpenCode does not have it */
async function knownSession<T>(sessionId: string, call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    const cause = toCallError(error);
    if (cause !== error) throw cause;
    // The SDK adds the HTTP status to the error's cause.
    const { status } = cause instanceof Error ? recordOf(cause.cause) : {};
    if (status === 404 || status === 400) throw new UnknownSessionError(AGENT_TYPE, sessionId, { cause });
    throw cause;
  });
}

/** Whether a session's rules end with these. */
function endsWith(rules: unknown, wanted: readonly OpenCodeRule[]): boolean {
  const last = listOf(rules).slice(-wanted.length).map(recordOf);
  const toLine = ({ permission, pattern, action }: Readonly<Record<string, unknown>>): string =>
    JSON.stringify([permission, pattern, action]);
  return last.map(toLine).join() === wanted.map((rule) => toLine({ ...rule })).join();
}

function toSessionInfo(raw: unknown): SessionInfo {
  const { id, title, directory, time } = recordOf(raw);
  const updatedAt = numberOf(recordOf(time).updated);
  return {
    id: stringOf(id),
    title: stringOf(title),
    ...(stringOf(directory) === "" ? {} : { workingDirectory: stringOf(directory) }),
    ...(updatedAt > 0 ? { updatedAt } : {}),
  };
}
