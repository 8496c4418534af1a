import type { CodingAgentClient, Session, SessionConfig, ToolDefinition } from "../../../contracts/index.ts";
import { type WrappedSessionHost, WrappingClient } from "../forwarding/wrapping-client.ts";
import { SlottedSession } from "./slotted-session.ts";
import type { TurnSlots } from "./turn-slots.ts";

/**
 * The same client, each turn of which holds a slot. While there is none, the turn has begun and reports `waiting` with the
 * reason `machine-limit`; the time does not count as a stall. Its callbacks (tools, interceptors, questions) may begin other
 * turns with the same slots.
 */
export function withTurnSlots(client: CodingAgentClient, slots: TurnSlots): CodingAgentClient {
  return new SlottedClient(client, slots);
}

class SlottedClient extends WrappingClient {
  readonly #slots: TurnSlots;

  constructor(inner: CodingAgentClient, slots: TurnSlots) {
    super(inner);
    this.#slots = slots;
  }

  override async createSession(config: SessionConfig = {}): Promise<Session> {
    return await super.createSession(this.#slots.withCallbacks(this.agentType, config));
  }

  override async resumeSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return await super.resumeSession(sessionId, this.#slots.withCallbacks(this.agentType, config));
  }

  override async forkSession(sessionId: string, config: SessionConfig = {}): Promise<Session> {
    return await super.forkSession(sessionId, this.#slots.withCallbacks(this.agentType, config));
  }

  override registerTool(tool: ToolDefinition): void {
    super.registerTool(this.#slots.withHandler(this.agentType, tool));
  }

  protected override wrap(inner: Session, host: WrappedSessionHost): SlottedSession {
    return new SlottedSession(inner, { ...host, agentType: this.agentType, slots: this.#slots });
  }
}
