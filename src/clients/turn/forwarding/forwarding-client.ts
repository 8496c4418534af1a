import type {
  AgentCapabilities,
  AgentEvent,
  AgentEventType,
  CodingAgentClient,
  ListSessionsOptions,
  ModelDisplayInfo,
  Session,
  SessionConfig,
  SessionInfo,
  ToolDefinition,
  Unsubscribe,
} from "../../../contracts/index.ts";

/** A client that forwards everything to another one: a decorator overrides only what it changes. */
export class ForwardingClient implements CodingAgentClient {
  protected readonly inner: CodingAgentClient;

  constructor(inner: CodingAgentClient) {
    this.inner = inner;
  }

  get agentType(): string {
    return this.inner.agentType;
  }

  get capabilities(): AgentCapabilities {
    return this.inner.capabilities;
  }

  get isSandboxed(): boolean {
    return this.inner.isSandboxed === true;
  }

  get hasFreeContextUsage(): boolean {
    return this.inner.hasFreeContextUsage === true;
  }

  start(): Promise<void> {
    return this.inner.start();
  }

  stop(): Promise<void> {
    return this.inner.stop();
  }

  createSession(config?: SessionConfig): Promise<Session> {
    return this.inner.createSession(config);
  }

  resumeSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    return this.inner.resumeSession(sessionId, config);
  }

  forkSession(sessionId: string, config?: SessionConfig): Promise<Session> {
    return this.inner.forkSession(sessionId, config);
  }

  listSessions(options?: ListSessionsOptions): Promise<readonly SessionInfo[]> {
    return this.inner.listSessions(options);
  }

  deleteSession(sessionId: string): Promise<void> {
    return this.inner.deleteSession(sessionId);
  }

  on<T extends AgentEventType | "*">(
    type: T,
    listener: (event: T extends AgentEventType ? Extract<AgentEvent, { type: T }> : AgentEvent) => void,
  ): Unsubscribe {
    return this.inner.on(type, listener);
  }

  registerTool(tool: ToolDefinition): void {
    this.inner.registerTool(tool);
  }

  getModelDisplayInfo(modelHint?: string): Promise<ModelDisplayInfo> {
    return this.inner.getModelDisplayInfo(modelHint);
  }

  listModels(): Promise<readonly ModelDisplayInfo[]> {
    return this.inner.listModels();
  }
}
