import type {
  AgentEvent,
  CodingAgentClient,
  PermissionMode,
  ReasoningEffort,
  Session,
  SessionConfig,
  Unsubscribe,
} from "../../contracts/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { OpenAsks } from "./open-asks.ts";

/** What the user chose for the sessions. */
export interface ConnectionChoice {
  readonly agentType: string;
  readonly model: string | undefined;
  readonly effort: ReasoningEffort | undefined;
  readonly mode: PermissionMode;
}

/** What {@link AgentConnection} needs. */
export interface AgentConnectionOptions {
  readonly host: ChatHost;
  readonly asks: OpenAsks;
  /** Receives the events of the open session. */
  readonly onEvent: (event: AgentEvent) => void;
}

/** The agent of the chat, and its one open session. */
export class AgentConnection {
  readonly #options: AgentConnectionOptions;
  readonly #clients = new Map<string, Promise<CodingAgentClient>>();
  /** The clients that have a process, or are starting one. */
  readonly #opened = new Set<CodingAgentClient>();
  readonly #subscriptions: Unsubscribe[] = [];
  #choice: ConnectionChoice;
  #session: Session | undefined;
  #opening: Promise<Session> | undefined;
  #isStopped = false;

  constructor(choice: ConnectionChoice, options: AgentConnectionOptions) {
    this.#choice = choice;
    this.#options = options;
  }

  get choice(): ConnectionChoice {
    return this.#choice;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  /** An agent's client, started. @throws ClientNotInstalledError, NotSignedInError */
  async client(agentType = this.#choice.agentType): Promise<CodingAgentClient> {
    const known = this.#clients.get(agentType);
    if (known !== undefined) return await known;
    const starting = this.#start(agentType);
    this.#clients.set(agentType, starting);
    // The next message tries again.
    starting.catch(() => this.#clients.delete(agentType));
    return await starting;
  }

  /** The open session, or a new one. Calls at the same time share it. */
  async open(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    return await (this.#opening ?? this.#create(async (client) => await client.createSession(this.config())));
  }

  /** Opens a stored conversation in place of the open session. Calls of {@link open} meanwhile receive it. */
  async resume(sessionId: string): Promise<Session> {
    return await this.#create(async (client) => await client.resumeSession(sessionId, this.config()), this.close());
  }

  /**
   * Opens a copy of the open session in its place.
   *
   * @param options.before what was said from this time on is left out, in milliseconds since 1970. Default: nothing
   * @throws CapabilityMissingError
   */
  async fork({ before }: { readonly before?: number } = {}): Promise<Session> {
    const origin = await this.open();
    const config = { ...this.config(), ...(before === undefined ? {} : { forkBefore: before }) };
    const session = await this.#create(async (client) => await client.forkSession(origin.id, config));
    await origin.destroy();
    return session;
  }

  /**
   * Changes agent, model, effort or mode. The open session is closed; returns its id, to be resumed, where the agent stays
   * the same.
   */
  async choose(choice: Partial<ConnectionChoice>): Promise<string | undefined> {
    const before = this.#choice;
    const id = this.#session?.id;
    await this.close();
    this.#choice = { ...before, ...choice };
    return this.#choice.agentType === before.agentType ? id : undefined;
  }

  /** Closes the open session. The vendor keeps its conversation. */
  async close(): Promise<void> {
    const opening = this.#opening;
    const session = this.#session ?? (await opening?.catch(() => undefined));
    this.#session = undefined;
    await session?.destroy();
  }

  /** Closes the session and stops every agent, also one that is starting: what waits for it fails at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    const session = this.#session;
    this.#session = undefined;
    try {
      await session?.destroy();
    } finally {
      await Promise.all([...this.#opened].map((client) => client.stop()));
    }
  }

  /** The settings of a session opened now. */
  config(): SessionConfig {
    const { host, asks } = this.#options;
    const { agentType, model, effort, mode } = this.#choice;
    // The choice began with these.
    const { model: _model, permissionMode: _mode, ...given } = host.sessionConfigFor(agentType);
    return {
      ...given,
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
      ...(mode === "plan" ? { permissionMode: mode } : {}),
      onPermissionAsk: asks.onPermissionAsk,
      onQuestion: asks.onQuestion,
    };
  }

  async #start(agentType: string): Promise<CodingAgentClient> {
    const client = await this.#options.host.openClient(agentType);
    this.#opened.add(client);
    if (this.#isStopped) {
      await client.stop();
      throw new DOMException("The chat has ended.", "AbortError");
    }
    await client.start();
    this.#subscriptions.push(
      client.on("*", (event) => {
        if (event.sessionId === this.#session?.id) this.#options.onEvent(event);
      }),
    );
    return client;
  }

  async #create(
    openSession: (client: CodingAgentClient) => Promise<Session>,
    before: Promise<void> = Promise.resolve(),
  ): Promise<Session> {
    const create = async (): Promise<Session> => {
      await before;
      const session = await openSession(await this.client());
      this.#session = session;
      return session;
    };
    const opening = create();
    this.#opening = opening;
    try {
      return await opening;
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
  }
}
