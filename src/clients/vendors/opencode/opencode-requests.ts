import { type AgentQuestionHandler, type PermissionRequest, recordOf, stringOf } from "../../../contracts/index.ts";
import type { PermissionGate } from "../../policy/permission-gate.ts";
import type { AgentTurn } from "../../turn/agent-turn.ts";
import { askQuestion } from "../../turn/ask-question.ts";
import { publishDenial } from "../../turn/publish-denial.ts";
import type { AskedPermission, OpenCodeCallGate } from "../opencode-settings/opencode-call-gate.ts";
import { type PermissionContext, toPermissionRequest } from "./opencode-permissions.ts";
import { toQuestionAnswer, toQuestions } from "./opencode-questions.ts";
import { numberOf, type OpenCodeEvent, parsePart } from "./server/opencode-wire.ts";

/** An answer to a permission request, in OpenCode's format. */
export type PermissionReply = { readonly reply: "once" } | { readonly reply: "reject"; readonly message: string };

/** Sends answers to OpenCode. A rejected promise means that OpenCode no longer waits for them. */
export interface RequestReplies {
  replyToPermission(requestId: string, reply: PermissionReply): Promise<void>;
  replyToQuestion(requestId: string, answers: string[][]): Promise<void>;
}

/** Settings of {@link OpenCodeRequests}. */
export interface OpenCodeRequestsOptions {
  readonly turn: AgentTurn;
  readonly gate: PermissionGate;
  /** The decisions about the session's calls. */
  readonly calls: OpenCodeCallGate;
  readonly context: PermissionContext;
  readonly onQuestion: AgentQuestionHandler | undefined;
  readonly replies: RequestReplies;
}

/**
 * Answers the permission requests and questions of one turn.
 *
 * 1. Every request is answered exactly once, unless the turn is stopped: then OpenCode drops it.
 * 2. A rejection always has a message, because OpenCode ends the turn at a rejection without one.
 * 3. One rejection makes OpenCode reject all open requests of the session; these are listed as denied, too.
 * 4. A call without a decision of Atomic ends the turn if OpenCode asks about it or has run it.
 */
export class OpenCodeRequests {
  readonly #options: OpenCodeRequestsOptions;
  readonly #startedAt = Date.now();
  readonly #seen = new Set<string>();
  /** Permissions without an answer yet, each with a controller that aborts the request to the person. */
  readonly #open = new Map<string, { readonly request: PermissionRequest; readonly controller: AbortController }>();

  constructor(options: OpenCodeRequestsOptions) {
    this.#options = options;
  }

  /** Handles any event; a repeated request is ignored. */
  receive({ type, properties }: OpenCodeEvent): void {
    switch (type) {
      case "permission.asked":
        void this.#answerPermission(properties);
        return;
      case "permission.replied":
        this.#settle(properties);
        return;
      case "question.asked":
        void this.#answerQuestion(properties);
        return;
      case "message.part.updated":
        this.#checkPart(properties.part);
        return;
    }
  }

  async #answerPermission(raw: OpenCodeEvent["properties"]): Promise<void> {
    const { turn, gate, context, replies } = this.#options;
    const asked = toPermissionRequest(raw, context);
    if (!this.#isNew(asked.id)) return;
    const judged = this.#judgeAsked(raw, asked);
    if (judged.type !== "open") {
      const reply: PermissionReply = judged.type === "decided" ? { reply: "once" } : rejection(UNSEEN);
      await replies.replyToPermission(asked.id, reply).catch(() => {
        // OpenCode no longer waits for it.
      });
      if (judged.type === "ungated") await turn.giveUp(judged.error);
      return;
    }
    const { request } = judged;
    const controller = new AbortController();
    this.#open.set(request.id, { request, controller });
    const callId = stringOf(recordOf(raw.tool).callID);
    const origin = { turn, until: controller.signal, ...(callId === "" ? {} : { callId }) };
    try {
      const decision = await gate.decide(request, origin);
      const reply = decision.type === "allow" ? ({ reply: "once" } as const) : rejection(decision.reason);
      if (this.#open.delete(request.id)) await replies.replyToPermission(request.id, reply);
    } catch {
      // The turn is being stopped, or OpenCode has dropped the request: nobody waits for an answer.
      this.#open.delete(request.id);
    }
  }

  /** Invariant 4. OpenCode itself asks whether to continue a loop. */
  #judgeAsked(raw: OpenCodeEvent["properties"], asked: PermissionRequest): AskedPermission {
    if (raw.permission === "doom_loop") return { type: "open", request: asked };
    const place = { sessionId: stringOf(raw.sessionID), callId: stringOf(recordOf(raw.tool).callID) };
    return this.#options.calls.judgeAsked(asked, place);
  }

  /** Invariant 4. OpenCode may send parts of earlier turns again, without their output. */
  #checkPart(raw: unknown): void {
    const part = parsePart(raw);
    if (part.type !== "tool" || part.status !== "completed") return;
    const { sessionID, state } = recordOf(raw);
    if (numberOf(recordOf(recordOf(state).time).start) < this.#startedAt) return;
    const place = { sessionId: stringOf(sessionID), callId: part.callId };
    const error = this.#options.calls.ungated(part.tool, place);
    if (error !== undefined) void this.#options.turn.giveUp(error);
  }

  /** Invariant 3. */
  #settle({ requestID, reply }: OpenCodeEvent["properties"]): void {
    const open = this.#open.get(stringOf(requestID));
    if (open === undefined) return;
    const { request, controller } = open;
    this.#open.delete(request.id);
    controller.abort(new DOMException("OpenCode no longer asks for this.", "AbortError"));
    if (reply !== "reject") return;
    publishDenial(this.#options.turn, request, { reason: "Another call of the same message was denied." });
  }

  async #answerQuestion(raw: OpenCodeEvent["properties"]): Promise<void> {
    const { turn, context, onQuestion: handler, replies } = this.#options;
    const requestId = stringOf(raw.id);
    if (!this.#isNew(requestId)) return;
    const answers: string[][] = [];
    try {
      for (const question of toQuestions(raw, context.sessionId)) {
        answers.push(toQuestionAnswer(await askQuestion(question, { turn, handler })));
      }
      await replies.replyToQuestion(requestId, answers);
    } catch {
      // As above.
    }
  }

  #isNew(requestId: string): boolean {
    if (this.#seen.has(requestId)) return false;
    this.#seen.add(requestId);
    return true;
  }
}

/** What the model reads for a call that Atomic has never seen. */
const UNSEEN = "Atomic did not decide about this call.";

/** Invariant 2. */
function rejection(reason: string): PermissionReply {
  return { reply: "reject", message: reason || "This is not allowed." };
}
