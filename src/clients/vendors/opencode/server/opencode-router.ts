import { type AgentCrashedError, recordOf, stringOf, type ToolVerdict } from "../../../../contracts/index.ts";
import type { HookHandler } from "../../../process/hook-server.ts";
import { type OpenCodeCall, parseOpenCodeCall } from "../../opencode-settings/opencode-call.ts";
import type { PluginGates } from "../../opencode-settings/plugin-gates.ts";
import { type OpenCodeEvent, sessionIdOf } from "./opencode-wire.ts";

/** Receives the events of a session, including those of its sub-agents. Must not throw. */
export interface SessionReceiver {
  receive(event: OpenCodeEvent): void;
  /** Events may have been missed. */
  onReconnect(): void;
  /** The server has ended; no more events follow. */
  onServerEnd(error: AgentCrashedError): void;
  /** Decides about a tool call before it runs. May reject, which blocks the call. */
  decideCall(call: OpenCodeCall): Promise<ToolVerdict>;
  /** A sub-agent of the session has received a message and is about to begin. */
  prepareSubagent(subagentId: string): Promise<void>;
}

/** The parent of a sub-agent's session; undefined for other sessions. */
export type LoadParent = (sessionId: string, directory: string) => Promise<string | undefined>;

/** Routes each event to the receiver of its session; a sub-agent's events go to its parent's receiver. */
export class EventRouter {
  readonly #loadParent: LoadParent;
  readonly #receivers = new Map<string, SessionReceiver>();
  /** The parents of sub-agents' sessions. */
  readonly #parents = new Map<string, string>();

  constructor(loadParent: LoadParent) {
    this.#loadParent = loadParent;
  }

  /** Routes the events of a session to a receiver, which replaces an earlier one. */
  register(sessionId: string, receiver: SessionReceiver): void {
    this.#receivers.set(sessionId, receiver);
  }

  /** Ends the routing if it still goes to this receiver. */
  unregister(sessionId: string, receiver: SessionReceiver): void {
    if (this.#receivers.get(sessionId) !== receiver) return;
    this.#receivers.delete(sessionId);
    for (const [child, parent] of this.#parents) if (parent === sessionId) this.#parents.delete(child);
  }

  /** Passes an event to its receiver, if there is one. */
  route(event: OpenCodeEvent): void {
    const sessionId = sessionIdOf(event);
    // Events of the whole server (a file changed, a plugin was loaded, a toast) belong to no session.
    if (sessionId === undefined) return;
    if (event.type === "session.created") {
      this.#adopt(sessionId, stringOf(recordOf(event.properties.info).parentID));
    }
    this.#receivers.get(this.#ownerOf(sessionId))?.receive(event);
  }

  /** The receiver of a session, which may be a sub-agent's. Looks up an unknown session's parent in OpenCode. */
  async find(sessionId: string, directory: string): Promise<SessionReceiver | undefined> {
    const known = this.#receivers.get(this.#ownerOf(sessionId));
    if (known !== undefined) return known;
    const parent = await this.#loadParent(sessionId, directory);
    if (parent === undefined) return undefined;
    const receiver = await this.find(parent, directory);
    if (receiver !== undefined) this.#adopt(sessionId, parent);
    return receiver;
  }

  /** True for the session of a sub-agent. */
  isSubagent(sessionId: string): boolean {
    return this.#parents.has(sessionId);
  }

  reconnected(): void {
    for (const receiver of this.#receivers.values()) receiver.onReconnect();
  }

  end(error: AgentCrashedError): void {
    for (const receiver of [...this.#receivers.values()]) receiver.onServerEnd(error);
  }

  #adopt(sessionId: string, parentId: string): void {
    const owner = this.#ownerOf(parentId);
    if (this.#receivers.has(owner)) this.#parents.set(sessionId, owner);
  }

  #ownerOf(sessionId: string): string {
    return this.#parents.get(sessionId) ?? sessionId;
  }
}

/**
 * The plugin's requests: `hello` when it is loaded in a folder, `tool` before each tool call, `message` for the first message
 * of a session.
 */
export function createPluginHooks(
  router: EventRouter,
  gates: PluginGates,
): Readonly<Record<"hello" | "tool" | "message", HookHandler>> {
  const readSession = (body: unknown) => {
    const { sessionID, directory } = recordOf(body);
    return [stringOf(sessionID), stringOf(directory)] as const;
  };
  return {
    hello: async (body) => gates.add(stringOf(recordOf(body).directory)),
    tool: async (body): Promise<ToolVerdict> => {
      const call = parseOpenCodeCall(body);
      const receiver = await router.find(call.sessionId, call.directory);
      if (receiver === undefined) return { type: "block", reason: "Atomic does not know the session of this call." };
      return receiver.decideCall(call);
    },
    message: async (body) => {
      const [sessionId, directory] = readSession(body);
      const receiver = await router.find(sessionId, directory);
      if (router.isSubagent(sessionId)) await receiver?.prepareSubagent(sessionId);
    },
  };
}
