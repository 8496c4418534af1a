import type { AgentEvent, AgentPrompt, CodingAgentClient, Session, SessionConfig } from "../../contracts/index.ts";
import { ForwardingClient } from "../turn/forwarding/forwarding-client.ts";
import type { HookFact } from "./hook-context.ts";
import { type HookState, readHookFacts, startHookState } from "./hook-facts.ts";
import { HookedSession } from "./hooked-session.ts";

/** The session that hooks are called for. */
export interface HookedPlace {
  readonly sessionId: string;
  /** The settings that it was opened with; empty for a session that is not open here. */
  readonly config: SessionConfig;
  /** Absent for a session that is not open here. */
  readonly session?: Session;
}

/** Calls the hooks for what happens in a client. */
export interface HookAudience {
  /** Calls all handlers; resolves when they are done, and never rejects. */
  tell(place: HookedPlace, fact: HookFact): Promise<void>;
  /** The settings with which a session is opened: where hooks may decide about its calls. */
  prepare(config: SessionConfig): SessionConfig;
  /** The message that the agent receives. Rejects if a hook blocks it. */
  beforeMessage(
    place: HookedPlace,
    prompt: AgentPrompt,
    options: { readonly signal: AbortSignal },
  ): Promise<AgentPrompt>;
  /** Rejects if a hook blocks the compaction. */
  beforeCompaction(place: HookedPlace): Promise<void>;
}

/** A conversation that is open here, once or several times. */
interface OpenSession {
  readonly handles: Set<HookedSession>;
  /** As it was opened last. */
  place: HookedPlace;
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
    return this.#adopt(await this.inner.createSession(this.#audience.prepare(config)), { config, origin: "create" });
  }

  override async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    const session = await this.inner.resumeSession(sessionId, this.#audience.prepare(config));
    return this.#adopt(session, { config, origin: "resume" });
  }

  override async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    const session = await this.inner.forkSession(sessionId, this.#audience.prepare(config));
    return this.#adopt(session, { config, origin: "fork", forkedFrom: sessionId });
  }

  override async deleteSession(sessionId: string): Promise<void> {
    await this.inner.deleteSession(sessionId);
    const place = this.#open.get(sessionId)?.place ?? { sessionId, config: {} };
    await this.#audience.tell(place, { event: "session.end", data: { reason: "delete" } });
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

  async #adopt(
    session: Session,
    { config, ...data }: Extract<HookFact, { event: "session.start" }>["data"] & { readonly config: SessionConfig },
  ): Promise<Session> {
    const { id } = session;
    const place: HookedPlace = { sessionId: id, config, session };
    const handle: HookedSession = new HookedSession(session, {
      beforeMessage: (prompt, options) => this.#audience.beforeMessage(place, prompt, options),
      aroundCompaction: (compact) => this.#aroundCompaction(place, compact),
      afterDestroy: () => this.#release(handle),
    });
    const open = this.#open.get(id) ?? { handles: new Set(), place, state: startHookState() };
    this.#open.set(id, open);
    open.handles.add(handle);
    open.place = place;
    await this.#audience.tell(place, { event: "session.start", data });
    return handle;
  }

  async #aroundCompaction(place: HookedPlace, compact: () => Promise<void>): Promise<void> {
    await this.#audience.beforeCompaction(place);
    const note = (isCompacting: boolean): void => {
      const open = this.#open.get(place.sessionId);
      if (open !== undefined) open.state = { ...open.state, isCompacting };
    };
    note(true);
    try {
      await compact();
    } finally {
      note(false);
    }
  }

  async #release(handle: HookedSession): Promise<void> {
    const open = this.#open.get(handle.id);
    if (open === undefined || !open.handles.delete(handle)) return;
    if (open.handles.size === 0) this.#open.delete(handle.id);
    await this.#audience.tell(open.place, { event: "session.end", data: { reason: "destroy" } });
  }

  #onEvent(event: AgentEvent): void {
    const open = this.#open.get(event.sessionId);
    if (open === undefined) return;
    const { state, facts } = readHookFacts(open.state, event);
    open.state = state;
    for (const fact of facts) void this.#audience.tell(open.place, fact);
  }
}
