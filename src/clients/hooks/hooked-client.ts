import type { AgentEvent, CodingAgentClient, Session, SessionConfig, ToolInterceptor } from "../../contracts/index.ts";
import { ForwardingClient } from "../turn/forwarding/forwarding-client.ts";
import type { HookFact } from "./hook-context.ts";
import { type HookState, readHookFacts, startHookState } from "./hook-facts.ts";
import { HookedSession } from "./hooked-session.ts";

/** Calls the hooks for what happens in a client. */
export interface HookAudience {
  /** Calls all handlers; resolves when they are done, and never rejects. */
  tell(sessionId: string, fact: HookFact): Promise<void>;
  /** Adds the interceptors to a session's own; absent if there are none. */
  interceptorFor(own: ToolInterceptor | undefined): ToolInterceptor | undefined;
}

/** A conversation that is open here, once or several times. */
interface OpenSession {
  readonly handles: Set<HookedSession>;
  state: HookState;
}

/** A client that calls hooks for the sessions that are opened through it. */
export class HookedClient extends ForwardingClient {
  readonly #audience: HookAudience;
  readonly #open = new Map<string, OpenSession>();

  constructor(inner: CodingAgentClient, audience: HookAudience) {
    super(inner);
    this.#audience = audience;
    inner.on("*", (event) => this.#onEvent(event));
  }

  override async createSession(config: SessionConfig = {}): Promise<Session> {
    return this.#adopt(await this.inner.createSession(this.#prepare(config)), { origin: "create" });
  }

  override async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return this.#adopt(await this.inner.resumeSession(sessionId, this.#prepare(config)), { origin: "resume" });
  }

  override async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    const session = await this.inner.forkSession(sessionId, this.#prepare(config));
    return this.#adopt(session, { origin: "fork", forkedFrom: sessionId });
  }

  override async deleteSession(sessionId: string): Promise<void> {
    await this.inner.deleteSession(sessionId);
    await this.#audience.tell(sessionId, { event: "session.end", data: { reason: "delete" } });
  }

  override async stop(): Promise<void> {
    const reason = new DOMException("The client was stopped.", "AbortError");
    for (const handle of this.#handles()) handle.end(reason);
    try {
      await this.inner.stop();
    } finally {
      await Promise.all(this.#handles().map((handle) => this.#release(handle)));
    }
  }

  #handles(): readonly HookedSession[] {
    return [...this.#open.values()].flatMap((session) => [...session.handles]);
  }

  #prepare(config: SessionConfig): SessionConfig {
    const beforeTool = this.#audience.interceptorFor(config.beforeTool);
    return beforeTool === undefined ? config : { ...config, beforeTool };
  }

  async #adopt(session: Session, data: Extract<HookFact, { event: "session.start" }>["data"]): Promise<Session> {
    const { id } = session;
    const handle: HookedSession = new HookedSession(session, {
      beforeMessage: (prompt) => this.#audience.tell(id, { event: "message.before", data: { prompt } }),
      afterDestroy: () => this.#release(handle),
    });
    const open = this.#open.get(id) ?? { handles: new Set(), state: startHookState() };
    this.#open.set(id, open);
    open.handles.add(handle);
    await this.#audience.tell(id, { event: "session.start", data });
    return handle;
  }

  async #release(handle: HookedSession): Promise<void> {
    const open = this.#open.get(handle.id);
    if (open === undefined || !open.handles.delete(handle)) return;
    if (open.handles.size === 0) this.#open.delete(handle.id);
    await this.#audience.tell(handle.id, { event: "session.end", data: { reason: "destroy" } });
  }

  #onEvent(event: AgentEvent): void {
    const open = this.#open.get(event.sessionId);
    if (open === undefined) return;
    const { state, facts } = readHookFacts(open.state, event);
    open.state = state;
    for (const fact of facts) void this.#audience.tell(event.sessionId, fact);
  }
}
