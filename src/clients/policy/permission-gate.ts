import {
  messageOf,
  type PermissionDecision,
  type PermissionRequest,
  type SessionConfig,
} from "../../contracts/index.ts";
import type { AgentTurn } from "../turn/agent-turn.ts";
import { evaluatePermission, isOrdinaryReading } from "./evaluate-permission.ts";

/** What the decisions of a session depend on. */
export interface PermissionGateOptions {
  readonly config: Pick<SessionConfig, "permissions" | "onPermissionAsk" | "permissionMemory">;
  /** The absolute folder that the policy's relative globs start from. */
  readonly workingDirectory: string;
}

/** Where a request comes from. */
export interface PermissionOrigin {
  readonly turn: AgentTurn;
  /** The tool call behind it, where the vendor asks several times about one call for different reasons. */
  readonly callId?: string;
}

/**
 * Decides about the tool calls of one session, alike for all vendors, and remembers what a person allowed.
 *
 * 1. A policy's `deny` cannot be overruled by anybody; what a person allowed for the session or the project counts only
 *    where the policy says `ask`.
 * 2. Where no rule matches, reading inside the working directory needs nobody's leave (`isOrdinaryReading`).
 * 3. Nobody to ask means `deny`, and every denial is published, so that it is listed in the reply.
 * 4. The vendor's own "always" is never used: it may hold for more than was asked.
 */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  readonly #allowedForSession = new Set<string>();
  readonly #allowedCalls = new Set<string>();

  constructor(options: PermissionGateOptions) {
    this.#options = options;
  }

  /** Decides about a request. Rejects only with the reason of a turn that is stopped meanwhile. */
  async decide(request: PermissionRequest, { turn, callId }: PermissionOrigin): Promise<PermissionDecision> {
    const decision = await this.#decide(request, { turn, ...(callId === undefined ? {} : { callId }) });
    if (decision.type === "deny") {
      const { toolName, kind, title, sessionId } = request;
      const denied = { toolName, kind, title, reason: decision.reason };
      turn.publish({ type: "permission-denied", sessionId, denied });
    }
    return decision;
  }

  async #decide(request: PermissionRequest, { turn, callId }: PermissionOrigin): Promise<PermissionDecision> {
    const { config, workingDirectory } = this.#options;
    const { permissions: policy = { rules: [] }, onPermissionAsk: handler, permissionMemory: memory } = config;
    const { effect, rule } = evaluatePermission(policy, request, { workingDirectory });
    if (effect === "allow") return { type: "allow" };
    if (rule === undefined && isOrdinaryReading(request, { workingDirectory })) return { type: "allow" };
    if (effect === "deny") return { type: "deny", reason: "The permission policy forbids this." };
    const keys = { session: permissionKey(request), call: `${callId ?? ""} ${callKey(request)}` };
    if (this.#allowedForSession.has(keys.session) || this.#allowedCalls.has(keys.call)) return { type: "allow" };
    if (await memory?.isAllowed(request)) return { type: "allow" };
    if (handler === undefined) {
      return { type: "deny", reason: "The permission policy does not allow this, and nobody is there to ask." };
    }
    const decision = await this.#ask(request, turn);
    if (decision.type === "deny") return decision;
    if (callId !== undefined) this.#allowedCalls.add(keys.call);
    if (decision.scope === "session" || decision.scope === "project") this.#allowedForSession.add(keys.session);
    if (decision.scope === "project") await memory?.allow(request);
    return decision;
  }

  async #ask(request: PermissionRequest, turn: AgentTurn): Promise<PermissionDecision> {
    const { onPermissionAsk } = this.#options.config;
    turn.publish({ type: "permission-ask", sessionId: request.sessionId, request });
    try {
      return await turn.waitForPerson(async (signal) => {
        if (onPermissionAsk === undefined) return { type: "deny", reason: "Nobody is there to ask." };
        return onPermissionAsk(request, { signal });
      });
    } catch (error) {
      turn.signal.throwIfAborted();
      return { type: "deny", reason: `Asking for permission failed: ${messageOf(error)}` };
    }
  }
}

/** What "for this session" and "always" cover: the identical command or files, and for other tools what the title says. */
export function permissionKey(request: PermissionRequest): string {
  const { kind, toolName, command, paths, title } = request;
  return JSON.stringify([kind, toolName, command ?? (paths.join("\n") || title)]);
}

function callKey({ kind, command, paths }: PermissionRequest): string {
  return JSON.stringify([kind, command ?? paths]);
}
