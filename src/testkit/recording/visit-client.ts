import { ForwardingClient } from "../../clients/agent-kit.ts";
import type {
  AgentPrompt,
  AgentReply,
  CodingAgentClient,
  ContextUsage,
  Session,
  SessionConfig,
  TurnOptions,
} from "../../contracts/index.ts";
import type { AgentVisit } from "../../graph/index.ts";

/** A turn that a run is about to start. */
export interface VisitTurn {
  readonly client: CodingAgentClient;
  readonly visit: AgentVisit;
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly message: AgentPrompt;
  readonly options: TurnOptions;
}

/** What surrounds the turns of a run. */
export interface TurnWatcher {
  /** Sends the message, and may do something before and after. */
  around(turn: VisitTurn, send: () => Promise<AgentReply>): Promise<AgentReply>;
  /** Says how full a context window is, when a node looks; `read` asks the agent. */
  lookAtContext(visit: AgentVisit, read: () => Promise<ContextUsage>): Promise<ContextUsage>;
}

/** A client as one visit of a node sees it: its turns are watched. */
export class VisitClient extends ForwardingClient {
  readonly #visit: AgentVisit;
  readonly #watcher: TurnWatcher;

  constructor(inner: CodingAgentClient, visit: AgentVisit, watcher: TurnWatcher) {
    super(inner);
    this.#visit = visit;
    this.#watcher = watcher;
  }

  override async createSession(config: SessionConfig = {}): Promise<Session> {
    return this.#watch(await this.inner.createSession(config), config);
  }

  override async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#watch(await this.inner.resumeSession(sessionId, config), config);
  }

  override async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#watch(await this.inner.forkSession(sessionId, config), config);
  }

  #watch(session: Session, config: SessionConfig): Session {
    const [visit, watcher, client] = [this.#visit, this.#watcher, this.inner];
    return {
      id: session.id,
      send: (message, options = {}) =>
        watcher.around({ client, visit, sessionId: session.id, config, message, options }, () =>
          session.send(message, options),
        ),
      // Nodes send; a stream has no place where its answer could be watched.
      stream: (message, options) => session.stream(message, options),
      steer: (message) => session.steer(message),
      abort: () => session.abort(),
      summarize: () => session.summarize(),
      getContextUsage: () => watcher.lookAtContext(visit, () => session.getContextUsage()),
      getSystemToolsTokens: () => session.getSystemToolsTokens(),
      getMcpStatus: () => session.getMcpStatus(),
      destroy: () => session.destroy(),
    };
  }
}
