import {
  type AgentQuestionHandler,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  permissionKey,
  withResolvers,
} from "../../contracts/index.ts";
import type { OpenAsk } from "./chat-state.ts";

/** What {@link OpenAsks} needs. */
export interface OpenAsksOptions {
  readonly now: () => number;
  /** Adds to an edit where it is in its file, before a person sees it. Must not reject. @default nothing is added */
  readonly locate?: (request: PermissionRequest) => Promise<PermissionRequest>;
  /** Called with all open asks, the oldest first, after each change. */
  readonly onChange: (asks: readonly OpenAsk[]) => void;
}

/**
 * What the agents wait for a person to decide. Each request is answered by itself, unless an answer for longer than once
 * covers others that wait.
 */
export class OpenAsks {
  readonly #asks = new Map<string, OpenAsk>();
  readonly #options: OpenAsksOptions;
  #count = 0;

  constructor(options: OpenAsksOptions) {
    this.#options = options;
  }

  readonly onPermissionAsk: PermissionHandler = async (request, { signal }) => {
    const { promise, resolve } = withResolvers<PermissionDecision>();
    const id = this.#nextId();
    const withdraw = (): void => resolve(WITHDRAWN);
    signal.addEventListener("abort", withdraw, { once: true });
    const { now, locate } = this.#options;
    const shown = locate === undefined || request.details?.type !== "edit" ? request : await locate(request);
    if (signal.aborted) withdraw();
    else this.#open({ type: "permission", id, at: now(), request: shown, answer: resolve });
    try {
      const decision = await promise;
      if (isLasting(decision)) this.#allowCovered(request);
      return decision;
    } finally {
      signal.removeEventListener("abort", withdraw);
      this.#close(id);
    }
  };

  readonly onQuestion: AgentQuestionHandler = async (question, { signal }) => {
    const { promise, resolve } = withResolvers<Awaited<ReturnType<AgentQuestionHandler>>>();
    const id = this.#nextId();
    const withdraw = (): void => resolve({ type: "decline", reason: "The question was withdrawn." });
    signal.addEventListener("abort", withdraw, { once: true });
    if (signal.aborted) withdraw();
    else this.#open({ type: "question", id, at: this.#options.now(), question, answer: resolve });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
      this.#close(id);
    }
  };

  /** Answers the other requests that a lasting approval of one covers. */
  #allowCovered(request: PermissionRequest): void {
    const coverage = coverageOf(request);
    for (const ask of this.#asks.values()) {
      if (ask.type !== "permission" || ask.request.isOnce === true || coverageOf(ask.request) !== coverage) continue;
      ask.answer({ type: "allow", scope: "session" });
    }
  }

  #nextId(): string {
    this.#count += 1;
    return `ask${this.#count}`;
  }

  #open(ask: OpenAsk): void {
    this.#asks.set(ask.id, ask);
    this.#options.onChange([...this.#asks.values()]);
  }

  #close(id: string): void {
    if (this.#asks.delete(id)) this.#options.onChange([...this.#asks.values()]);
  }
}

const WITHDRAWN: PermissionDecision = { type: "deny", reason: "The request was withdrawn." };

function isLasting(decision: PermissionDecision): boolean {
  return decision.type === "allow" && decision.scope !== undefined && decision.scope !== "once";
}

/** What a lasting approval covers: the call, and where it is made. */
function coverageOf(request: PermissionRequest): string {
  return JSON.stringify([permissionKey(request), request.workingDirectory ?? ""]);
}
