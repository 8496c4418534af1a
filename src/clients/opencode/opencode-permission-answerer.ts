import {
  type AgentEvent,
  type DeniedPermission,
  messageOf,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionPolicy,
  type PermissionRequest,
} from "../../contracts/index.ts";
import { evaluatePermission, isOrdinaryReading } from "../policy/evaluate-permission.ts";
import { type PermissionContext, toPermissionRequest } from "./opencode-permissions.ts";
import { fieldsOf, textOf } from "./opencode-wire.ts";

/** How OpenCode takes an answer. */
export type PermissionReply = { readonly reply: "once" } | { readonly reply: "reject"; readonly message: string };

/** What the answerer needs of its session. */
export interface PermissionAnswererOptions {
  readonly context: PermissionContext;
  readonly policy: PermissionPolicy;
  readonly handler: PermissionHandler | undefined;
  /** Hands the answer to OpenCode. A rejection means that OpenCode no longer waits for it. */
  readonly reply: (requestId: string, reply: PermissionReply) => Promise<void>;
  readonly publish: (event: AgentEvent) => void;
  /** Called when a person starts, or is no longer, being waited for. */
  readonly onWaitingChange: () => void;
}

/** What a person allowed for a whole session, kept between its turns. */
export type SessionAllowances = Set<string>;

/**
 * Answers the permissions that OpenCode asks for in one turn.
 *
 * 1. Every request is answered exactly once, with `reject` if anything goes wrong.
 * 2. OpenCode's own `always` is never used: it holds for all sessions of the folder and for more than was asked, so it
 *    would reach past the policies of others. What a person allows for the session is remembered here instead.
 * 3. A rejection always carries a message, because OpenCode ends the turn at one without.
 */
export class OpenCodePermissionAnswerer {
  readonly #options: PermissionAnswererOptions;
  readonly #allowances: SessionAllowances;
  readonly #seen = new Set<string>();
  /** Requests whose answer is not known yet, with the means to give up asking. */
  readonly #open = new Map<string, { readonly request: PermissionRequest; readonly controller: AbortController }>();
  /** What a person allowed for one tool call: writing outside of the folder asks twice, once per reason. */
  readonly #allowedCalls = new Set<string>();
  #waitingCount = 0;

  constructor(options: PermissionAnswererOptions, allowances: SessionAllowances) {
    this.#options = options;
    this.#allowances = allowances;
  }

  /** True while a person is being asked. */
  get isWaiting(): boolean {
    return this.#waitingCount > 0;
  }

  /** Takes the properties of `permission.asked`; the same request again is ignored. */
  async answer(raw: unknown): Promise<void> {
    const { context, reply } = this.#options;
    const request = toPermissionRequest(raw, context);
    if (this.#seen.has(request.id)) return;
    this.#seen.add(request.id);
    const controller = new AbortController();
    this.#open.set(request.id, { request, controller });
    const callId = textOf(fieldsOf(fieldsOf(raw).tool).callID);
    const decision = await this.#decide(request, { callId, signal: controller.signal });
    // No longer open: OpenCode or an abort has answered meanwhile.
    if (!this.#open.delete(request.id)) return;
    if (decision.type === "deny") this.#publishDenial(request, decision.reason);
    const answer: PermissionReply =
      decision.type === "allow" ? { reply: "once" } : { reply: "reject", message: decision.reason };
    await reply(request.id, answer).catch(() => {
      // OpenCode has forgotten the request, as it does when the turn is aborted: nobody waits for the answer.
    });
  }

  /** Takes the properties of `permission.replied`: one refusal makes OpenCode refuse all that the session still asks. */
  settle(raw: unknown): void {
    const { requestID, reply } = fieldsOf(raw);
    const open = this.#open.get(textOf(requestID));
    if (open === undefined) return;
    this.#open.delete(open.request.id);
    open.controller.abort();
    if (reply === "reject") this.#publishDenial(open.request, "Another call of the same message was refused.");
  }

  /** Stops asking; OpenCode drops the requests itself when the turn is aborted. */
  abort(reason: unknown): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { controller } of open) controller.abort(reason);
  }

  async #decide(
    request: PermissionRequest,
    { callId, signal }: { readonly callId: string; readonly signal: AbortSignal },
  ): Promise<PermissionDecision> {
    const { policy, context, handler } = this.#options;
    const { effect, rule } = evaluatePermission(policy, request, context);
    if (effect === "allow") return { type: "allow" };
    if (rule === undefined && isOrdinaryReading(request, context)) return { type: "allow" };
    if (effect === "deny") return { type: "deny", reason: "The permission policy forbids this." };
    const scopes = { session: sessionKey(request), call: `${callId} ${callKey(request)}` };
    if (this.#allowances.has(scopes.session) || this.#allowedCalls.has(scopes.call)) return { type: "allow" };
    if (handler === undefined) {
      return { type: "deny", reason: "The permission policy does not allow this, and nobody is there to ask." };
    }
    const decision = await this.#ask(handler, request, signal);
    if (decision.type === "allow") {
      if (callId !== "") this.#allowedCalls.add(scopes.call);
      if (decision.scope === "session") this.#allowances.add(scopes.session);
    }
    return decision;
  }

  async #ask(handler: PermissionHandler, request: PermissionRequest, signal: AbortSignal): Promise<PermissionDecision> {
    const { publish, onWaitingChange } = this.#options;
    publish({ type: "permission-ask", sessionId: request.sessionId, request });
    this.#waitingCount += 1;
    onWaitingChange();
    try {
      return await handler(request, { signal });
    } catch (error) {
      return { type: "deny", reason: `Asking for permission failed: ${messageOf(error)}` };
    } finally {
      this.#waitingCount -= 1;
      onWaitingChange();
    }
  }

  #publishDenial(request: PermissionRequest, reason: string): void {
    const { toolName, kind, title, sessionId } = request;
    const denied: DeniedPermission = { toolName, kind, title, reason };
    this.#options.publish({ type: "permission-denied", sessionId, denied });
  }
}

/** What "for this session" covers: the identical command or files, and for other tools whatever the title says. */
function sessionKey(request: PermissionRequest): string {
  return JSON.stringify([
    request.kind,
    request.toolName,
    request.command ?? (request.paths.join("\n") || request.title),
  ]);
}

function callKey(request: PermissionRequest): string {
  return JSON.stringify([request.kind, request.command ?? request.paths]);
}
