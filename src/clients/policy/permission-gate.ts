import {
  messageOf,
  type PermissionDecision,
  type PermissionRequest,
  type SessionConfig,
} from "../../contracts/index.ts";
import type { AgentTurn } from "../turn/agent-turn.ts";
import { evaluatePermission, isOrdinaryReading } from "./evaluate-permission.ts";
import { withRealNames } from "./real-names.ts";

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
  /** Aborted when the vendor takes the request back. */
  readonly until?: AbortSignal;
}

/**
 * Decides about the tool calls of one session, alike for all vendors, and remembers what a person allowed.
 *
 * 1. A policy's `deny` cannot be overruled by anybody; what a person allowed for the session or the project counts only
 *    where the policy says `ask`.
 * 2. Where no rule matches, reading inside the working directory needs nobody's leave (`isOrdinaryReading`).
 * 3. Nobody to ask means `deny`, and every denial is published, so that it is listed in the reply.
 * 4. The vendor's own "always" is never used: it may hold for more than was asked.
 * 5. What fails on the way to an answer, the memory included, counts as a denial.
 * 6. A file is judged by the name that is used and by the one it really has (`withRealNames`).
 */
export class PermissionGate {
  readonly #options: PermissionGateOptions;
  readonly #allowedForSession = new Set<string>();
  /** What was allowed once, for as long as its turn runs. */
  readonly #allowedCalls = new WeakMap<AgentTurn, Set<string>>();

  constructor(options: PermissionGateOptions) {
    this.#options = options;
  }

  /** Decides about a request. Rejects only with the reason of a turn that is stopped, or of a request taken back. */
  async decide(asked: PermissionRequest, origin: PermissionOrigin): Promise<PermissionDecision> {
    const request = await withRealNames(asked, this.#options);
    const decision = await this.#decide(request, origin);
    if (decision.type === "deny") {
      const { toolName, kind, title, sessionId } = request;
      const denied = { toolName, kind, title, reason: decision.reason };
      origin.turn.publish({ type: "permission-denied", sessionId, denied });
    }
    return decision;
  }

  async #decide(request: PermissionRequest, origin: PermissionOrigin): Promise<PermissionDecision> {
    const { config, workingDirectory } = this.#options;
    const { permissions: policy = { rules: [] } } = config;
    const { effect, rule } = evaluatePermission(policy, request, { workingDirectory });
    if (effect === "allow") return { type: "allow" };
    if (rule === undefined && isOrdinaryReading(request, { workingDirectory })) return { type: "allow" };
    if (effect === "deny") return { type: "deny", reason: "The permission policy forbids this." };
    try {
      if (await this.#isRemembered(request, origin)) return { type: "allow" };
      const decision = await this.#ask(request, origin);
      if (decision.type === "allow") await this.#remember(request, decision, origin);
      return decision;
    } catch (error) {
      origin.turn.signal.throwIfAborted();
      origin.until?.throwIfAborted();
      return { type: "deny", reason: `Asking for permission failed: ${messageOf(error)}` };
    }
  }

  async #ask(request: PermissionRequest, { turn, until }: PermissionOrigin): Promise<PermissionDecision> {
    const { onPermissionAsk: handler } = this.#options.config;
    if (handler === undefined) {
      return { type: "deny", reason: "The permission policy does not allow this, and nobody is there to ask." };
    }
    turn.signal.throwIfAborted();
    turn.publish({ type: "permission-ask", sessionId: request.sessionId, request });
    const work = async (signal: AbortSignal) => handler(request, { signal });
    return turn.waitForPerson(work, until === undefined ? {} : { until });
  }

  async #isRemembered(request: PermissionRequest, { turn, callId }: PermissionOrigin): Promise<boolean> {
    if (this.#allowedForSession.has(permissionKey(request))) return true;
    if (callId !== undefined && this.#allowedCalls.get(turn)?.has(callKey(request, callId))) return true;
    return (await this.#options.config.permissionMemory?.isAllowed(request)) ?? false;
  }

  async #remember(
    request: PermissionRequest,
    { scope }: Extract<PermissionDecision, { readonly type: "allow" }>,
    { turn, callId }: PermissionOrigin,
  ): Promise<void> {
    if (callId !== undefined) {
      const calls = this.#allowedCalls.get(turn) ?? new Set();
      this.#allowedCalls.set(turn, calls.add(callKey(request, callId)));
    }
    if (scope === "project") await this.#options.config.permissionMemory?.allow(request);
    if (scope === "session" || scope === "project") this.#allowedForSession.add(permissionKey(request));
  }
}

/** What "for this session" and "always" cover: the identical command or files, and for other tools the request's `key`. */
export function permissionKey(request: PermissionRequest): string {
  return JSON.stringify([request.kind, request.toolName, subjectOf(request)]);
}

/** A vendor that asks twice about one call may name the tool in two ways. */
function callKey(request: PermissionRequest, callId: string): string {
  return JSON.stringify([callId, request.kind, subjectOf(request)]);
}

/** What a call is about, never as text that another call could have in another place. */
function subjectOf({ command, paths, key, title }: PermissionRequest): unknown {
  if (command !== undefined) return command;
  if (paths.length > 0) return paths;
  return key === undefined ? title : { key };
}
